import type { Row } from "../gen/contract";
import { isObject, type JsonObject } from "../words/json";

/** What a row is about, from its particulars: the tool or request, and where. */
export function subject(row: Row): string {
  const data: JsonObject = isObject(row.data) ? row.data : {};
  const said = [
    "tool",
    "door",
    "method",
    "outcome",
    "verdict",
    "state",
    "reason",
    "message",
    "product",
    "origin",
    "url",
    "digest",
  ]
    .map((name) => data[name] ?? (isObject(data["status"]) ? data["status"][name] : undefined))
    .filter((value) => typeof value === "string" && value !== "");
  const words = [row.ref, ...said.slice(0, 3)].filter((word) => word !== undefined);
  return words.join(" · ");
}

/** The colour that goes with what a row records. */
export function tone(row: Row): "plain" | "held" | "good" | "bad" {
  switch (row.kind) {
    case "proposed":
    case "repriced":
    case "amended":
      return "held";
    case "lying-read":
    case "changed-unreleased":
    case "recovered":
      return "bad";
    case "released":
    case "read":
      return "good";
    case "outcome": {
      const text = JSON.stringify(row.data);
      return /"(failed|unknown)"/.test(text) ? "bad" : "good";
    }
    default:
      return "plain";
  }
}
