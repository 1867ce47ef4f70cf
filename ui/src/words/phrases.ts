import type {
  Basis,
  Cost,
  DoorKind,
  Effect,
  FaultReason,
  Grade,
  Ingress,
  ProviderKind,
  RiskLevel,
  RowKind,
  StorageAct,
  StorageArea,
  ToolSource,
  Verdict,
} from "../gen/contract";

/** What a grade means, in a short phrase. */
export const gradeMeans: Record<Grade, string> = {
  "client-asserted": "page code said so; nobody else saw it",
  "server-observed": "seen by Countersign itself, outside the page",
  inherited: "carried over from another origin",
  attested: "a signature over this very digest verifies",
};

/** The way an act came in. */
export const ingressIs: Record<Ingress, string> = {
  "panel-agent": "the panel’s own agent",
  "panel-hand": "run by hand from the panel",
  "mcp-client": "an outside program, through MCP",
  page: "code in the page, or another agent in the browser",
  "browser-network": "the browser’s network layer",
  approval: "the approval window",
  desk: "Countersign itself",
  partner: "another origin",
  presence: "a security key",
};

export const doorIs: Record<DoorKind, string> = {
  browser: "the browser Countersign started",
  extension: "your own browser, through the extension",
  relay: "a page that opted in, over loopback",
  "mcp-b": "a page with the mcp-b widget, over loopback",
};

export const basisIs: Record<Basis, string> = {
  quoted: "the page says",
  measured: "measured by Countersign",
  "not-measured": "not measured",
};

export const levelIs: Record<RiskLevel, string> = { note: "Note", caution: "Caution", critical: "Critical" };

export const sourceIs: Record<ToolSource, string> = {
  script: "registered by the page’s script",
  form: "a form of the page",
  unwrapped: "seen by the browser, but calls by others cannot be held",
};

export const providerIs: Record<ProviderKind, string> = {
  none: "No model",
  openai: "OpenAI",
  "openai-compatible": "OpenAI-compatible server",
  ollama: "Ollama",
};

export const verdictIs: Record<Verdict, string> = {
  held: "Held",
  released: "Released",
  committed: "Done",
  failed: "Failed",
  "page-waits": "Waits at the page",
  "page-declined": "Not let through by the page",
  granted: "One use granted",
  refused: "Refused",
  expired: "Expired",
  repriced: "Held again",
  withdrawn: "Withdrawn",
  "page-gone": "Page gone",
  unknown: "Outcome unknown",
};

export const effectIs: Record<Effect, string> = { refuse: "Refuses", hide: "Hides", allow: "Allows" };

export const rowIs: Record<RowKind, string> = {
  opened: "Opened",
  recovered: "Recovered",
  door: "Door",
  read: "Read",
  proposed: "Held",
  amended: "Edited",
  repriced: "Held again",
  released: "Released",
  refused: "Refused",
  "set-aside": "Set aside",
  expired: "Expired",
  withdrawn: "Withdrawn",
  "page-gone": "Page gone",
  outcome: "Outcome",
  "lying-read": "Lying read",
  "changed-unreleased": "Changed, not released",
  photographed: "Measured",
  "page-head": "Page’s own record",
  phase: "Phase",
  claim: "Claim",
  prompt: "Prompt",
  "rule-made": "Rule made",
  "rule-ended": "Rule ended",
  "turned-away": "Turned away",
  "client-paired": "Paired",
  "client-refused": "Not paired",
  "client-unpaired": "Pairing ended",
  paused: "Paused",
  resumed: "Heard again",
  "writes-revoked": "Writes revoked",
  "writes-restored": "Writes restored",
};

export const faultIs: Record<FaultReason, string> = {
  malformed: "a line is not a row",
  "hash-mismatch": "a row’s bytes are not what was hashed",
  "broken-link": "a row does not follow the one before it",
  "bad-sequence": "a number is missing or repeated",
  "not-canonical": "a row is not in canonical form",
  "torn-tail": "the last line has no end",
};

export const notMeasured = "Not measured";

/** The whole cost in one line, for the place next to the buttons. */
export function costLine(cost: Cost | undefined): string {
  if (cost === undefined || cost.items.length === 0) return "cost not measured";
  const [only, ...others] = cost.items;
  const of = others.length === 0 && only?.of !== undefined ? ` of ${only.of}` : "";
  const sums = cost.totals.map((total) => `${total.amount}${of} ${total.unit}`);
  if (sums.length === 0) return "cost not measured";
  const rest = cost.notMeasured === 0 ? "" : `, and ${cost.notMeasured} not measured`;
  return `costs ${sums.join(" + ")}${rest}`;
}

/** How far a price may move, in words. */
export function toleranceLine(tolerance: string | undefined): string {
  const fraction = Number(tolerance);
  if (tolerance === undefined || !(fraction > 0)) return "If it moves at all before release, the write is held again.";
  const percent = Number((fraction * 100).toFixed(4));
  return `If it moves by more than ${percent} % before release, the write is held again.`;
}

export const storageAreaIs: Record<StorageArea, string> = {
  "local-storage": "Local storage",
  "session-storage": "Session storage",
  cookies: "Cookie",
  "indexed-db": "Database",
  "cache-storage": "Cache",
};

export const storageActIs: Record<StorageAct, string> = {
  added: "was added",
  updated: "was changed",
  removed: "was removed",
  cleared: "was emptied",
  written: "was written",
};
