import type { Beside, MarkedRead, Photograph, Quote, Tab, Tool } from "../gen/contract";
import { isObject } from "../words/json";

const suffix = ".preview";

/** The word on a tool’s chip, and what it means. */
export function toolChip(tool: Tool, marked = false): { words: string; means: string; tone: "good" | "held" } {
  if (marked) return { words: "read, marked by you", means: "The page says nothing of it: runs at once", tone: "good" };
  if (tool.source === "form") return { words: "form", means: "A form of the page: always held", tone: "held" };
  return tool.annotations.readOnly && tool.source !== "unwrapped"
    ? { words: "read", means: "The page says it changes nothing: runs at once", tone: "good" }
    : { words: "write", means: "Held until you release it", tone: "held" };
}

const beside = (tools: Tool[], tool: Tool, name: string) =>
  tools.some((other) => other.name === name && other.page.document === tool.page.document);

/** A read that only tells what another tool would change; it is listed with that tool. */
function isCompanion(tools: Tool[], tool: Tool): boolean {
  return (
    tool.annotations.readOnly && tool.name.endsWith(suffix) && beside(tools, tool, tool.name.slice(0, -suffix.length))
  );
}

export function hasPreview(tools: Tool[], tool: Tool): boolean {
  return tools.some((other) => isCompanion(tools, other) && other.name === tool.name + suffix);
}

/** The tools of a tab without the companions. */
export function offered(tab: Tab): Tool[] {
  return tab.tools.filter((tool) => !isCompanion(tab.tools, tool));
}

/** The mark that would make a read of this tool. */
export function markOf(tool: Tool): MarkedRead {
  return { origin: tool.page.origin, tool: tool.name, digest: tool.digest };
}

export const isSame = (one: MarkedRead, other: MarkedRead) =>
  one.origin === other.origin && one.tool === other.tool && one.digest === other.digest;

/** Whether a person can mark it as a read: its page connected by itself and says nothing of it. */
export function canBeMarked(tool: Tool): boolean {
  return ["relay", "mcp-b"].includes(tool.page.door) && !Object.values(tool.annotations).includes(true);
}

/** The reads of a tool’s own document that can be called along with it. */
export const readsBeside = (tab: Tab, tool: Tool): Tool[] =>
  offered(tab).filter(
    (other) => other.page.document === tool.page.document && other.key !== tool.key && toolChip(other).words === "read",
  );

/** The names of a tool’s arguments. */
export function members(of: Tool | undefined): string[] {
  const schema = of?.inputSchema;
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

/** Those that it cannot be called without. */
export function needed(of: Tool): string[] {
  const schema = of.inputSchema;
  const required = isObject(schema) ? schema["required"] : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** What stands beside a tool when this is changed of it. */
export const besideWith = (
  tool: Tool,
  kept: Beside | undefined,
  change: { quote?: Quote | undefined; photographs?: Photograph[] },
): Beside => {
  const { quote = undefined, photographs } = { quote: kept?.quote, photographs: kept?.photographs ?? [], ...change };
  return {
    ...{ origin: tool.page.origin, tool: tool.name, digest: tool.digest },
    ...(quote !== undefined && { quote }),
    photographs,
  };
};

/** What a person put beside this very definition of a tool. */
export const keptBeside = (all: Beside[], tool: Tool): Beside | undefined =>
  all.find((one) => one.origin === tool.page.origin && one.tool === tool.name && one.digest === tool.digest);
