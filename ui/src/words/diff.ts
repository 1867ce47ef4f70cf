import type { Change } from "../gen/contract";
import type { JsonValue } from "../gen/serde_json/JsonValue";
import { isObject } from "./json";

/** A run of text that stayed, went or came. */
export interface Run {
  kind: "same" | "gone" | "come";
  text: string;
}

/** Beyond this many comparisons the middle is shown as one whole change: still true, only less fine. */
const limit = 250_000;

const words = (text: string) => text.match(/\s+|[^\s]+/gu) ?? [];

function common(one: string[], other: string[], from: "start" | "end"): number {
  const most = Math.min(one.length, other.length);
  const at = (list: string[], index: number) => (from === "start" ? list[index] : list[list.length - 1 - index]);
  let count = 0;
  while (count < most && at(one, count) === at(other, count)) count += 1;
  return count;
}

/** Lengths of the longest common run of words from each pair of places on, row by row. */
function table(one: string[], other: string[]): Uint32Array[] {
  const rows = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let at = one.length - 1; at >= 0; at -= 1) {
    for (let to = other.length - 1; to >= 0; to -= 1) {
      const row = rows[at] as Uint32Array;
      const below = rows[at + 1] as Uint32Array;
      row[to] = one[at] === other[to] ? (below[to + 1] ?? 0) + 1 : Math.max(below[to] ?? 0, row[to + 1] ?? 0);
    }
  }
  return rows;
}

function middle(one: string[], other: string[]): Run[] {
  if (one.length * other.length > limit) {
    return [
      { kind: "gone", text: one.join("") },
      { kind: "come", text: other.join("") },
    ];
  }
  const lengths = table(one, other);
  const runs: Run[] = [];
  let at = 0;
  let to = 0;
  while (at < one.length || to < other.length) {
    const gone = one[at];
    const come = other[to];
    if (gone !== undefined && gone === come) {
      runs.push({ kind: "same", text: gone });
      at += 1;
      to += 1;
    } else if (
      gone !== undefined &&
      (come === undefined || (lengths[at + 1]?.[to] ?? 0) >= (lengths[at]?.[to + 1] ?? 0))
    ) {
      runs.push({ kind: "gone", text: gone });
      at += 1;
    } else if (come !== undefined) {
      runs.push({ kind: "come", text: come });
      to += 1;
    }
  }
  return runs;
}

function joined(runs: Run[]): Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (run.text === "") continue;
    if (last?.kind === run.kind) last.text += run.text;
    else all.push({ ...run });
  }
  return all;
}

/** What changed between two texts, word by word. The runs put together are both texts whole. */
export function textDiff(before: string, after: string): Run[] {
  const one = words(before);
  const other = words(after);
  const start = common(one, other, "start");
  const end = common(one.slice(start), other.slice(start), "end");
  return joined([
    { kind: "same", text: one.slice(0, start).join("") },
    ...middle(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    { kind: "same", text: one.slice(one.length - end).join("") },
  ]);
}

/** A run that stayed, cut to what stands next to a change; nothing is cut from what went or came. */
export function near(run: Run, first: boolean, last: boolean): { head: string; left: number; tail: string } {
  const all = words(run.text);
  const keep = 16;
  const head = first ? 0 : keep;
  const tail = last ? 0 : keep;
  if (run.kind !== "same" || all.length <= head + tail + 8) return { head: run.text, left: 0, tail: "" };
  const cut = all.slice(head, all.length - tail);
  return {
    head: all.slice(0, head).join(""),
    left: cut.filter((word) => /\S/u.test(word)).length,
    tail: tail === 0 ? "" : all.slice(-tail).join(""),
  };
}

const same = (one: JsonValue | undefined, other: JsonValue | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);

function members(value: JsonValue): Map<string, JsonValue> {
  if (Array.isArray(value)) return new Map(value.map((item, at) => [String(at), item]));
  return new Map(isObject(value) ? Object.entries(value) : []);
}

/** Deeper than this, a value is compared as a whole. */
const deepest = 64;

/** What changed between two JSON values, leaf by leaf. */
export function jsonDiff(before: JsonValue, after: JsonValue, path = "", depth = 0): Change[] {
  const objects = isObject(before) && isObject(after);
  const lists = Array.isArray(before) && Array.isArray(after);
  if ((!objects && !lists) || depth > deepest)
    return same(before, after) ? [] : [{ path: path || "all of it", before, after }];
  const one = members(before);
  const other = members(after);
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((name): Change[] => {
    const at = lists ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    const [was, is] = [one.get(name), other.get(name)];
    if (was !== undefined && is !== undefined) return jsonDiff(was, is, at, depth + 1);
    return was === undefined ? [{ path: at, after: is as JsonValue }] : [{ path: at, before: was }];
  });
}
