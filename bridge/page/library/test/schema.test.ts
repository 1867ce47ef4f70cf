import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonical } from "../src/canonical";
import { compile, type Schema, SchemaError } from "../src/schema";

const ORDER: Schema = {
  type: "object",
  properties: {
    product: { type: "string", enum: ["mug", "pen"], description: "The id." },
    quantity: { type: "integer", minimum: 1, maximum: 10 },
    note: { type: ["string", "null"], minLength: 2, maxLength: 4, pattern: "^[a-z😀]*$" },
    tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
    fixed: { const: { a: [1] } },
  },
  required: ["product"],
  additionalProperties: false,
};
const faults = (value: unknown, schema: unknown = ORDER) => compile(schema)(value);
const paths = (value: unknown, schema?: unknown) => faults(value, schema).map(({ path }) => path);

describe("a value", () => {
  test.each([
    [{ product: "mug" }],
    [{ product: "pen", quantity: 10, note: null, tags: ["a", "b"], fixed: { a: [1.0] } }],
    [{ product: "pen", quantity: 3.0, note: "😀😀😀😀" }],
  ])("fits: %j", (value) => expect(faults(value)).toEqual([]));

  test.each<[unknown, string[]]>([
    ["mug", [""]],
    [[], [""]],
    [{}, ["/product"]],
    [{ product: "cup" }, ["/product"]],
    [{ product: "mug", quantity: 0 }, ["/quantity"]],
    [{ product: "mug", quantity: 11 }, ["/quantity"]],
    [{ product: "mug", quantity: 1.5 }, ["/quantity"]],
    [{ product: "mug", quantity: "1" }, ["/quantity"]],
    [{ product: "mug", quantity: Number.NaN }, ["/quantity"]],
    [{ product: "mug", note: "x" }, ["/note"]],
    [{ product: "mug", note: "abcde" }, ["/note"]],
    [{ product: "mug", note: "A1" }, ["/note"]],
    [{ product: "mug", tags: [] }, ["/tags"]],
    [{ product: "mug", tags: ["a", 1, "b"] }, ["/tags/1", "/tags"]],
    [{ product: "mug", fixed: { a: [2] } }, ["/fixed"]],
    [{ product: "mug", "a/b": 1 }, ["/a~1b"]],
    [{ product: 1, quantity: 0 }, ["/product", "/product", "/quantity"]],
  ])("does not fit: %j", (value, expected) => expect(paths(value)).toEqual(expected));

  test("has its own members only", () => {
    expect(paths({}, { type: "object", required: ["toString"] })).toEqual(["/toString"]);
    const proto = JSON.parse('{"__proto__": 1}') as unknown;
    expect(paths(proto, { properties: {}, additionalProperties: false })).toEqual(["/__proto__"]);
    expect(paths(proto, { properties: JSON.parse('{"__proto__": {"type": "string"}}') as unknown })).toEqual([
      "/__proto__",
    ]);
  });

  test("is told at most twenty faults", () => {
    expect(faults(Array.from({ length: 100 }), { items: false })).toHaveLength(20);
  });
});

describe("a schema", () => {
  test.each<[unknown, string]>([
    [{ oneOf: [] }, "/oneOf"],
    [{ type: "object", properties: { a: { format: "email" } } }, "/properties/a/format"],
    [{ items: { exclusiveMinimum: 1 } }, "/items/exclusiveMinimum"],
    [{ toString: 1 }, "/toString"],
    [{ type: "text" }, "/type"],
    [{ type: [] }, "/type"],
    [{ properties: [] }, "/properties"],
    [{ required: "a" }, "/required"],
    [{ enum: [] }, "/enum"],
    [{ const: 2 ** 53 }, "/const"],
    [{ enum: ["\ud800"] }, "/enum"],
    [{ minimum: "1" }, "/minimum"],
    [{ maxLength: -1 }, "/maxLength"],
    [{ minItems: 1.5 }, "/minItems"],
    [{ pattern: "(" }, "/pattern"],
    [{ pattern: 1 }, "/pattern"],
    [{ items: [{}] }, "/items"],
    [{ additionalProperties: 1 }, "/additionalProperties"],
  ])("is refused with the place: %j", (schema, at) => {
    expect(() => compile(schema)).toThrow(SchemaError);
    expect(() => compile(schema)).toThrow(`at ${at} `);
  });

  test("is refused for any word that is no keyword", () => {
    const known =
      /^(type|properties|required|additionalProperties|enum|const|items|title|description|default|examples|pattern|\$schema|\$comment|(min|max)(imum|Length|Items))$/;
    fc.assert(
      fc.property(
        fc.string().filter((word) => !known.test(word)),
        fc.jsonValue(),
        (word, operand) => {
          const schema = Object.fromEntries([[word, operand]]);
          expect(() => compile(schema)).toThrow(SchemaError);
        },
      ),
    );
  });
});

/** A schema of the subset, with values that fit it. */
const { fitting } = fc.letrec<{ fitting: { schema: Schema; value: unknown } }>((tie) => ({
  fitting: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant({ schema: { type: "null" }, value: null }),
    fc.boolean().map((value) => ({ schema: { type: "boolean" }, value })),
    fc.integer().map((value) => ({ schema: { type: "integer", minimum: value - 1, maximum: value }, value })),
    fc.string({ unit: "grapheme" }).map((value) => {
      const length = Array.from(value).length;
      return { schema: { type: "string", minLength: length, maxLength: length }, value };
    }),
    fc.jsonValue({ maxDepth: 2 }).map((value) => ({ schema: { const: value }, value })),
    tie("fitting").chain(({ schema, value }) =>
      fc.integer({ min: 0, max: 3 }).map((length) => ({
        schema: { type: "array", items: schema, minItems: length, maxItems: length },
        value: Array.from({ length }, () => value),
      })),
    ),
    fc.dictionary(fc.string(), tie("fitting") as fc.Arbitrary<{ schema: Schema; value: unknown }>).map((members) => ({
      schema: {
        type: "object",
        properties: mapped(members, ({ schema }) => schema),
        required: Object.keys(members),
        additionalProperties: false,
      },
      value: mapped(members, ({ value }) => value),
    })),
  ),
}));

const mapped = <One, Other>(members: Record<string, One>, change: (one: One) => Other) =>
  Object.fromEntries(Object.entries(members).map(([name, one]) => [name, change(one)]));

/** A schema of the subset that compiles, with a value that fits it. */
const readable = () =>
  fitting.filter(({ schema, value }) => {
    try {
      // A list without items says nothing of what its schema names.
      compile(schema);
      return canonical(value).length > 0;
    } catch {
      return false;
    }
  });

test("what was made to fit fits", () => {
  fc.assert(
    fc.property(readable(), ({ schema, value }) => {
      expect(compile(schema)(value)).toEqual([]);
    }),
  );
});

test("a member more, a member less, another type: each is named", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.integer(), { minKeys: 1 }),
      fc.string(),
      fc.nat(),
      (members, extra, place) => {
        const schema = {
          type: "object",
          properties: mapped(members, () => ({ type: "integer" })),
          required: Object.keys(members),
          additionalProperties: false,
        };
        const check = compile(schema);
        const names = Object.keys(members);
        const name = names[place % names.length] as string;
        const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        const less = Object.fromEntries(Object.entries(members).filter(([key]) => key !== name));
        expect(check(less)).toEqual([{ path: pointer, message: "is missing" }]);
        const other = Object.fromEntries(
          Object.entries(members).map(([key, value]) => [key, key === name ? `${value}` : value]),
        );
        expect(check(other).map(({ path }) => path)).toEqual([pointer]);
        if (!Object.hasOwn(members, extra)) {
          const more = Object.fromEntries([...Object.entries(members), [extra, 1]]);
          expect(check(more)).toHaveLength(1);
        }
      },
    ),
  );
});

test("no value makes a check throw", () => {
  fc.assert(fc.property(readable(), fc.anything(), ({ schema }, value) => void compile(schema)(value)));
});
