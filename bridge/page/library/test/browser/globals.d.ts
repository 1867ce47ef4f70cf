// What the pages of the cases have: the library's script, `helpers.js` and `desk.js`.
import type * as Library from "../../src/index";

declare global {
  const Countersign: typeof Library;
  const listed: () => Promise<
    Record<
      string,
      { name: string; description: string; inputSchema: unknown; annotations?: { readOnlyHint?: boolean } }
    >
  >;
  const call: (name: string, args?: unknown) => Promise<string>;
  const asked: (name: string, args?: unknown) => Promise<Record<string, unknown>>;
  const until: (holds: () => unknown) => Promise<void>;
  const QUANTITY: Library.Schema;
  const order: Library.WriteTool<{ quantity: number }>;
  const shop: { stock: number; price: number; commits: number[]; previews: number };
  const onRelease: (page: Library.Page, id: string) => void;
  const previewed: (page: Library.Page, id: string) => Promise<void>;
  let decided: Promise<Library.Proposal>;
  const desk: { version: number; heads: Library.Head[]; heard: (desk: Library.Desk) => void };
  interface Window {
    page: Library.Page;
  }
}
