import type { JsonValue } from "../gen/serde_json/JsonValue";

export type JsonObject = { [key in string]: JsonValue };

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One value on one line, the way it is written in JSON. */
export function written(value: JsonValue): string {
  return JSON.stringify(value);
}

/** Reads JSON text; the reason in words when it is not JSON. */
export function read(text: string): { value: JsonValue } | { fault: string } {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { fault: error instanceof Error ? `This is not JSON: ${error.message}` : "This is not JSON." };
  }
}

/** The first whole number in a JSON text that JavaScript would round. */
function rounded(text: string): string | undefined {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/(?<![\d.])-?\d+(?![\d.eE])/g) ?? [];
  return numbers.find((digits) => !Number.isSafeInteger(Number(digits)));
}

/** Reads a JSON object; anything else is a fault, and so is a number that would not survive. */
export function readObject(text: string): { value: JsonObject } | { fault: string } {
  const found = read(text);
  if ("fault" in found) return found;
  const lost = rounded(text);
  if (lost !== undefined) return { fault: `${lost} is too large to be exact. Write it as text, in quotes.` };
  return isObject(found.value) ? { value: found.value } : { fault: "The arguments must be one JSON object: { … }." };
}

/** Bytes of a text in UTF-8. */
export function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** `18,304 bytes`. */
export function bytesInWords(count: number): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? "byte" : "bytes"}`;
}

/** The first and last characters of a digest: enough to compare by eye. */
export function short(digest: string): string {
  return digest.length > 16 ? `${digest.slice(0, 8)}…${digest.slice(-4)}` : digest;
}
