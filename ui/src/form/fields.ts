import type { JsonValue } from "../gen/serde_json/JsonValue";
import { isObject, read, type JsonObject } from "../words/json";

type Kind = "text" | "long-text" | "integer" | "number" | "boolean" | "choice" | "json";

/** One argument of a tool, as a form shows it. */
export interface Field {
  name: string;
  kind: Kind;
  label: string;
  description: string;
  required: boolean;
  /** For `choice`: the values, in the schema's order. */
  choices: JsonValue[];
  minimum?: number;
  maximum?: number;
  /** The schema's own default, if it has one. */
  preset?: JsonValue;
}

/** What has been typed, by field name. An empty text means that the argument is left out. */
export type Draft = Record<string, string>;

export type Built = { value: JsonObject } | { faults: Record<string, string> };

const text = (value: JsonValue | undefined) => (typeof value === "string" ? value : "");
const number = (value: JsonValue | undefined) => (typeof value === "number" ? value : undefined);

function typeOf(schema: JsonObject): string {
  const type = schema["type"];
  if (Array.isArray(type)) return text(type.find((one) => one !== "null"));
  return text(type);
}

function kindOf(schema: JsonObject): Kind {
  if (Array.isArray(schema["enum"])) return "choice";
  switch (typeOf(schema)) {
    case "string":
      return text(schema["format"]) === "textarea" || (number(schema["maxLength"]) ?? 0) > 80 ? "long-text" : "text";
    case "integer":
      return "integer";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "json";
  }
}

/** The fields of a JSON Schema; nothing when it does not describe an object with named properties. */
export function fieldsOf(schema: JsonValue): Field[] | undefined {
  if (!isObject(schema)) return undefined;
  const properties = schema["properties"];
  if (properties === undefined) return typeOf(schema) === "object" ? [] : undefined;
  if (!isObject(properties)) return undefined;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, given]) => {
    const one: JsonObject = isObject(given) ? given : {};
    return {
      name,
      kind: kindOf(one),
      label: text(one["title"]) || name,
      description: text(one["description"]),
      required: required.includes(name),
      choices: Array.isArray(one["enum"]) ? one["enum"] : [],
      minimum: number(one["minimum"]),
      maximum: number(one["maximum"]),
      preset: one["default"],
    };
  });
}

function drafted(field: Field, value: JsonValue | undefined): string {
  if (value === undefined) return "";
  if (field.kind === "choice") {
    const at = field.choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
    return at < 0 ? "" : String(at);
  }
  if (field.kind === "json") return JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A form filled with the given arguments, or with the schema's defaults when there are none. */
export function draftOf(fields: Field[], given?: JsonObject): Draft {
  return Object.fromEntries(
    fields.map((field) => [field.name, drafted(field, given === undefined ? field.preset : given[field.name])]),
  );
}

function limits(field: Field, value: number): { value: JsonValue } | { fault: string } {
  if (field.minimum !== undefined && value < field.minimum) return { fault: `At least ${field.minimum}.` };
  if (field.maximum !== undefined && value > field.maximum) return { fault: `At most ${field.maximum}.` };
  return { value };
}

function parse(field: Field, typed: string): { value: JsonValue } | { fault: string } {
  switch (field.kind) {
    case "text":
    case "long-text":
      return { value: typed };
    case "integer": {
      const value = Number(typed.trim());
      if (!/^[-+]?\d+$/.test(typed.trim())) return { fault: "A whole number, such as 3." };
      return Number.isSafeInteger(value) ? limits(field, value) : { fault: "Too large to be exact." };
    }
    case "number": {
      const value = Number(typed.trim());
      if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(typed.trim()) || !Number.isFinite(value)) {
        return { fault: "A number, such as 2.5." };
      }
      return limits(field, value);
    }
    case "boolean":
      return { value: typed === "true" };
    case "choice": {
      const value = field.choices[Number(typed)];
      return value === undefined ? { fault: "Pick one of the choices." } : { value };
    }
    case "json":
      return read(typed);
  }
}

/** The arguments a filled form stands for. `kept` are members the form has no field for; they stay as they are. */
export function build(fields: Field[], draft: Draft, kept: JsonObject = {}): Built {
  const value: JsonObject = {};
  const faults: Record<string, string> = {};
  const own = new Set(fields.map((field) => field.name));
  for (const [name, member] of Object.entries(kept)) if (!own.has(name)) put(value, name, member);
  for (const field of fields) {
    const typed = draft[field.name] ?? "";
    if (typed === "") {
      if (field.required) faults[field.name] = "Needed.";
      continue;
    }
    const found = parse(field, typed);
    if ("fault" in found) faults[field.name] = found.fault;
    else put(value, field.name, found.value);
  }
  return Object.keys(faults).length === 0 ? { value } : { faults };
}

/** Sets a member by any name; a page may call one `__proto__`. */
function put(object: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}
