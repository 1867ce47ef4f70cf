// The subset of JSON Schema that tools use. The platform checks no argument, so each tool checks its own.
import { canonical, step } from "./canonical";

/** A JSON Schema made of the keywords below; any other keyword is refused when the tool is registered. */
export type Schema = Readonly<Record<string, unknown>>;

/** What is wrong with a value, and where. */
export interface Fault {
  /** JSON pointer (RFC 6901) from the top of the arguments; empty for the arguments themselves. */
  path: string;
  message: string;
}

/** Answers what is wrong with a value: nothing, when it is valid. */
export type Check = (value: unknown) => Fault[];

/** A schema the validator does not know how to check. */
export class SchemaError extends Error {
  constructor(at: string, fault: string) {
    super(`The input schema ${at && `at ${at} `}${fault}`);
    this.name = "SchemaError";
  }
}

type Tell = (path: string, message: string) => void;
type Rule = (value: unknown, path: string, tell: Tell) => void;
/** Makes the rule of one keyword from what the schema says for it. */
type Keyword = (operand: unknown, at: string, schema: Schema) => Rule | undefined;

/** More would bury the first ones. */
const MOST_FAULTS = 20;

/**
 * Makes the check of a schema.
 *
 * @throws SchemaError for a keyword that is not checked here, or one that says what it cannot say.
 */
export const compile = (schema: unknown): Check => {
  const rule = ruleOf(schema, "");
  return (value) => {
    const faults: Fault[] = [];
    rule(value, "", (path, message) => {
      if (faults.length < MOST_FAULTS) faults.push({ path, message });
    });
    return faults;
  };
};

const ruleOf = (schema: unknown, at: string): Rule => {
  if (schema === true) return () => {};
  if (schema === false) return (_, path, tell) => tell(path, "is not allowed");
  if (!isObject(schema)) throw new SchemaError(at, "is not an object.");
  const rules = Object.entries(schema).flatMap(([keyword, operand]) => {
    if (!Object.hasOwn(KEYWORDS, keyword)) {
      const known = Object.keys(KEYWORDS).join(", ");
      throw new SchemaError(step(at, keyword), `uses a keyword that is not checked here. These are: ${known}.`);
    }
    return KEYWORDS[keyword]?.(operand, step(at, keyword), schema) ?? [];
  });
  return (value, path, tell) => rules.forEach((rule) => rule(value, path, tell));
};

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const TYPES: Record<string, { words: string; is: (value: unknown) => boolean }> = {
  object: { words: "an object", is: isObject },
  array: { words: "a list", is: Array.isArray },
  string: { words: "a text", is: (value) => typeof value === "string" },
  number: { words: "a number", is: Number.isFinite },
  integer: { words: "a whole number", is: Number.isInteger },
  boolean: { words: "true or false", is: (value) => typeof value === "boolean" },
  null: { words: "null", is: (value) => value === null },
};

const expect = (right: boolean, at: string, what: string): void => {
  if (!right) throw new SchemaError(at, `must be ${what}.`);
};

const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
/** As JSON Schema counts: code points. */
const lengthOf = (text: string) => Array.from(text).length;

/** A bound on a number that a value of one type has; values of other types pass. */
const bound =
  <Value>(
    operands: { is: (operand: unknown) => operand is number; words: string },
    measure: (value: unknown) => Value | undefined,
    holds: (value: Value, limit: number) => boolean,
    words: (limit: number) => string,
  ): Keyword =>
  (limit, at) => {
    expect(operands.is(limit), at, operands.words);
    return (value, path, tell) => {
      const measured = measure(value);
      if (measured !== undefined && !holds(measured, limit as number)) tell(path, words(limit as number));
    };
  };

const NUMBER = { is: isNumber, words: "a number" };
const COUNT = { is: isCount, words: "a whole number that is not negative" };
const least = (one: number, limit: number) => one >= limit;
const most = (one: number, limit: number) => one <= limit;
const size = (value: unknown) => (isNumber(value) ? value : undefined);
const characters = (value: unknown) => (typeof value === "string" ? lengthOf(value) : undefined);
const items = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
/** Says something to readers and nothing about what is valid. */
const said: Keyword = () => undefined;

const KEYWORDS: Record<string, Keyword> = {
  type: (operand, at) => {
    const names = typeof operand === "string" ? [operand] : operand;
    const known = isTexts(names) && names.length > 0 && names.every((name) => Object.hasOwn(TYPES, name));
    expect(known, at, `one of ${Object.keys(TYPES).join(", ")}, or a list of them`);
    const types = (names as string[]).flatMap((name) => TYPES[name] ?? []);
    const words = types.map((type) => type.words).join(" or ");
    return (value, path, tell) => {
      if (!types.some((type) => type.is(value))) tell(path, `must be ${words}`);
    };
  },
  properties: (operand, at) => {
    if (!isObject(operand)) throw new SchemaError(at, "must be an object.");
    const rules = Object.entries(operand).map(([name, schema]) => [name, ruleOf(schema, step(at, name))] as const);
    return (value, path, tell) => {
      if (!isObject(value)) return;
      for (const [name, rule] of rules) if (Object.hasOwn(value, name)) rule(value[name], step(path, name), tell);
    };
  },
  required: (operand, at) => {
    expect(isTexts(operand), at, "a list of names");
    return (value, path, tell) => {
      if (!isObject(value)) return;
      for (const name of operand as string[]) if (!Object.hasOwn(value, name)) tell(step(path, name), "is missing");
    };
  },
  additionalProperties: (operand, at, schema) => {
    const others = ruleOf(operand, at);
    const named = isObject(schema["properties"]) ? schema["properties"] : {};
    return (value, path, tell) => {
      if (!isObject(value)) return;
      for (const name of Object.keys(value)) {
        if (!Object.hasOwn(named, name)) others(value[name], step(path, name), tell);
      }
    };
  },
  enum: (operand, at) => {
    expect(Array.isArray(operand) && operand.length > 0, at, "a list that is not empty");
    const allowed = (operand as unknown[]).map((one) => exactly(one, at));
    return oneOf(allowed, `must be one of ${allowed.join(", ")}`);
  },
  const: (operand, at) => {
    const only = exactly(operand, at);
    return oneOf([only], `must be ${only}`);
  },
  minimum: bound(NUMBER, size, least, (limit) => `must be at least ${limit}`),
  maximum: bound(NUMBER, size, most, (limit) => `must be at most ${limit}`),
  minLength: bound(COUNT, characters, least, (limit) => `must have at least ${limit} characters`),
  maxLength: bound(COUNT, characters, most, (limit) => `must have at most ${limit} characters`),
  pattern: (operand, at) => {
    const pattern = patternOf(operand, at);
    return (value, path, tell) => {
      if (typeof value === "string" && !pattern.test(value)) tell(path, `must match ${pattern.source}`);
    };
  },
  items: (operand, at) => {
    const rule = ruleOf(operand, at);
    return (value, path, tell) => {
      if (Array.isArray(value)) value.forEach((item, index) => rule(item, step(path, index), tell));
    };
  },
  minItems: bound(COUNT, items, least, (limit) => `must have at least ${limit} items`),
  maxItems: bound(COUNT, items, most, (limit) => `must have at most ${limit} items`),
  title: said,
  description: said,
  default: said,
  examples: said,
  $schema: said,
  $comment: said,
};

const oneOf =
  (allowed: string[], words: string): Rule =>
  (value, path, tell) => {
    if (!allowed.includes(spelled(value))) tell(path, words);
  };

/** The one spelling of a value that arguments are compared with. */
const exactly = (value: unknown, at: string): string => {
  try {
    return canonical(value);
  } catch (error) {
    throw new SchemaError(at, `names a value nothing can equal: ${(error as Error).message}`);
  }
};

/** What has no canonical spelling is equal to nothing. */
const spelled = (value: unknown): string => {
  try {
    return canonical(value);
  } catch {
    return "";
  }
};

const patternOf = (operand: unknown, at: string): RegExp => {
  expect(typeof operand === "string", at, "a text");
  try {
    return new RegExp(operand as string, "u");
  } catch (error) {
    throw new SchemaError(at, `is no pattern: ${(error as Error).message}.`);
  }
};
