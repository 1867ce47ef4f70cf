import type { Effect, Row } from "../gen/contract";
import type { JsonValue } from "../gen/serde_json/JsonValue";
import { isObject, type JsonObject } from "../words/json";
import { effectIs } from "../words/phrases";

const text = (value: JsonValue | undefined) => (typeof value === "string" && value !== "" ? value : undefined);
const line = (...words: (string | undefined)[]) => words.filter((word) => word !== undefined).join(" · ");
const effect = (value: JsonValue | undefined) =>
  typeof value === "string" && Object.hasOwn(effectIs, value) ? effectIs[value as Effect].toLowerCase() : text(value);

const howIs: Record<string, string> = {
  "writes-revoked": "write tools are revoked",
  rule: "refused by rule",
  "refused-before": "refused before",
};

/** What a row about rules and stopped sources is about; nothing for any other row. */
function ofRules(row: Row, data: JsonObject): string | undefined {
  const by = text(data["byRule"]);
  switch (row.kind) {
    case "rule-made": {
      const rule = isObject(data["rule"]) ? data["rule"] : {};
      return line(text(rule["id"]), effect(rule["effect"]), text(rule["tool"]), text(rule["origin"]));
    }
    case "rule-ended":
      return line(text(data["rule"]), effect(data["effect"]), text(data["uses"]) && `used ${text(data["uses"])} times`);
    case "turned-away": {
      const how = text(data["how"]) ?? "";
      const why = line(howIs[how] ?? text(how), by);
      return line(text(data["name"]), text(data["origin"]), why);
    }
    case "paused":
      return line(text(data["caller"]), text(data["origin"]));
    case "resumed":
      return line(text(data["origin"]), text(data["turnedAway"]) && `${text(data["turnedAway"])} were turned away`);
    case "released":
      return by === undefined ? undefined : line(row.ref, text(data["tool"]), `by rule ${by}`);
    case "writes-revoked":
      return "agents have no write tools";
    case "writes-restored":
      return "agents have write tools again";
    default:
      return undefined;
  }
}

/** Which program a row about a client is about, and how it came; nothing for any other row. */
function ofClients(row: Row, data: JsonObject): string | undefined {
  if (!["client-paired", "client-refused", "client-unpaired"].includes(row.kind)) return undefined;
  const who = isObject(data["who"]) ? data["who"] : {};
  const token = text(who["token"]);
  return line(text(data["client"]), text(who["name"]), text(who["program"]) ?? (token && `token ${token}`));
}

/** What an outcome row says when a gate of the page’s own answered; nothing for any other row. */
function ofPageGate(row: Row, data: JsonObject): string | undefined {
  if (row.kind !== "outcome" || !isObject(data["gate"])) return undefined;
  return line(row.ref, "the page’s own gate", text(data["gate"]["says"]));
}

/** What a row is about, from its particulars: the tool or request, and where. */
export function subject(row: Row): string {
  const data: JsonObject = isObject(row.data) ? row.data : {};
  const known = ofRules(row, data) ?? ofClients(row, data) ?? ofPageGate(row, data);
  if (known !== undefined) return known;
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
    case "turned-away":
    case "paused":
    case "recovered":
      return "bad";
    case "released":
    case "read":
    case "client-paired":
      return "good";
    case "outcome": {
      const text = JSON.stringify(row.data);
      if (isObject(row.data) && row.data["outcome"] === "page-gate") return "held";
      return /"(failed|unknown)"/.test(text) ? "bad" : "good";
    }
    default:
      return "plain";
  }
}
