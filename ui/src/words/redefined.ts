import type { Change, Moved } from "../gen/contract";
import { jsonDiff } from "./diff";
import { read } from "./json";

/** One part of a definition that is not what it was, in the way it is best read. */
export type Redefined =
  | { part: string; shown: "changes"; changes: Change[] }
  | { part: string; shown: "text"; before: string; after: string };

const parts = ["name", "title", "description", "schema", "hints", "digest", "tool"];

const partIs: Record<string, string> = {
  name: "Name",
  title: "Title",
  description: "Description",
  schema: "Arguments it takes (schema)",
  hints: "What it says about itself (hints)",
  digest: "Digest of the definition",
  tool: "Registration",
};

const hintIs: Record<string, string> = {
  read_only: "says that it only reads",
  consequential: "says that it is hard to undo",
  untrusted_content: "says that it answers with other people’s text",
  autosubmit: "submits itself once filled",
};

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function hints(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/"?(\w+)"?: ?(true|false)/g)].map(([, name = "", value]) => [
      snake(name),
      value === "true" ? "yes" : "no",
    ]),
  );
}

function hintChanges(before: string, after: string): Change[] {
  const [was, is] = [hints(before), hints(after)];
  return Object.entries(hintIs)
    .filter(([name]) => was.get(name) !== is.get(name))
    .map(([name, words]) => ({ path: words, before: was.get(name), after: is.get(name) }));
}

function schemaChanges(before: string, after: string): Change[] {
  const [was, is] = [read(before), read(after)];
  try {
    return "value" in was && "value" in is ? jsonDiff(was.value, is.value) : [];
  } catch {
    return [];
  }
}

/** `description: Adds tea.` is a part and its text; the part is our own word in front. */
function split(text: string): { part: string; rest: string } {
  const part = parts.find((name) => text.startsWith(`${name}: `));
  return part === undefined ? { part: "", rest: text } : { part, rest: text.slice(part.length + 2) };
}

const long = (value: Change["before"]) => typeof value === "string" && value.length > 80;

/** Takes the gate’s words about a changed definition apart. A long text inside a schema is a part of its own. */
export function redefined(moved: Moved): Redefined[] {
  const [before, after] = [split(moved.before), split(moved.after)];
  const part = before.part === after.part ? before.part : "";
  const name = partIs[part] ?? moved.what;
  if (part === "schema" || part === "hints") {
    const all = part === "schema" ? schemaChanges(before.rest, after.rest) : hintChanges(before.rest, after.rest);
    const isText = (change: Change) => long(change.before) && long(change.after);
    const [texts, changes] = [all.filter(isText), all.filter((change) => !isText(change))];
    const table: Redefined[] = changes.length > 0 ? [{ part: name, shown: "changes", changes }] : [];
    const apart = texts.map((change): Redefined => {
      const [was, is] = [String(change.before), String(change.after)];
      return { part: `${name}: ${change.path}`, shown: "text", before: was, after: is };
    });
    if (all.length > 0) return [...table, ...apart];
  }
  const [was, is] = part === "" ? [moved.before, moved.after] : [before.rest, after.rest];
  return [{ part: name, shown: "text", before: was, after: is }];
}
