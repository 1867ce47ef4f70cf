// What a page's author writes down of a tool.
import type { PreviewDraft } from "./preview";
import type { Schema } from "./schema";

interface Definition {
  /** 1 to 128 letters, digits, `_`, `-` and `.`; 120 for a write, whose preview has a longer one. */
  name: string;
  /** What a person reads. */
  title?: string;
  /** What an agent reads. */
  description: string;
  /** The schema of the arguments, of `type: "object"`; without one the tool takes none. */
  inputSchema?: Schema;
  /** Other origins that may see and call the tool; see `exposure`. */
  exposedTo?: readonly string[];
  /** The answer holds text of somebody else, which an agent must not take for instructions. */
  untrustedContent?: boolean;
}

/** What a function of a tool gets beside the arguments. */
export interface Call {
  /** Aborted when the caller gives the call up; absent where the browser gives none. */
  readonly signal?: AbortSignal | undefined;
}

/** A tool that changes nothing. It runs whenever it is called. */
export interface ReadTool<Args = Record<string, unknown>> extends Definition {
  execute(args: Args, call: Call): unknown;
}

/** A tool that changes something. `commit` runs only when the call was released. */
export interface WriteTool<Args = Record<string, unknown>> extends Definition {
  /** The change is grave: it cannot be undone, or is dear. */
  consequential?: boolean;
  /** What `commit` would do and cost with these arguments. It changes nothing, and is asked again at the release. */
  preview(args: Args): PreviewDraft | Promise<PreviewDraft>;
  /** Makes the change. What it throws is a failure. */
  commit(args: Args): unknown;
}

/** A tool of either kind; what has a `commit` is a write. */
export type Tool = ReadTool<never> | WriteTool<never>;
