// What the pages of these tests have beside what those of the library have: the site's own modules.
import type { Entry } from "../../bridge/page/library/src/index";

interface RecordOfRows {
  append(draft: object): Promise<Entry>;
  rows(): Entry[];
}

interface Modules {
  createRecord(): RecordOfRows;
  hashOf(row: Entry): Promise<string>;
  createProceeding(record: RecordOfRows): { phase: string; advance(to: string, by: object): Promise<void> };
}

declare global {
  const load: (path: string) => Promise<Modules>;
}
