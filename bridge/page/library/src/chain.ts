// The page's own record: append-only, each entry naming the hash of the one before, in the form of the desk's ledger.
import { BODY, canonical } from "./canonical";
import { sha256 } from "./digest";

/** How an act came in, and by that how well it is known. What page code says is `client-asserted`, however it was pressed. */
export const GRADES = {
  page: "client-asserted",
  partner: "inherited",
  "panel-agent": "server-observed",
  "panel-hand": "server-observed",
  "mcp-client": "server-observed",
  "browser-network": "server-observed",
  approval: "server-observed",
  desk: "server-observed",
  presence: "attested",
} as const;

export type Ingress = keyof typeof GRADES;
export type Grade = (typeof GRADES)[Ingress];

/** What the page records. The names are those of the desk's ledger; `phase` and `claim` are the page's own. */
export type Kind =
  | "opened"
  | "door"
  | "proposed"
  | "repriced"
  | "released"
  | "refused"
  | "expired"
  | "withdrawn"
  | "page-gone"
  | "outcome"
  | "rule-made"
  | "rule-ended"
  | "phase"
  | "claim";

/** An entry. Its hash is the SHA-256 of the canonical JSON of all its other members, with `v: 1` and `ref: null` where there is none. */
export interface Entry {
  /** 1, 2, 3… */
  readonly seq: number;
  readonly hash: string;
  /** The hash of the entry before; 64 zeros for the first. */
  readonly prev: string;
  /** RFC 3339, UTC, with milliseconds. */
  readonly at: string;
  readonly kind: string;
  readonly grade: Grade;
  readonly ingress: Ingress;
  /** Who. */
  readonly seat: string;
  /** The proposal it belongs to. */
  readonly ref?: string;
  readonly data: unknown;
}

/** The number and the hash of the last entry; 0 and 64 zeros when there is none. */
export interface Head {
  seq: number;
  hash: string;
}

/** An entry before it is numbered, linked and stamped. */
export interface Draft {
  kind: Kind;
  ingress?: "page" | "partner";
  seat?: string;
  ref?: string;
  data: object;
}

/** What the page's author sees of the chain. */
export interface Chain {
  /** Every entry, the first one first. */
  entries(): readonly Entry[];
  head(): Head;
  /** The chain as a ledger file has it: one line an entry, `<hash> <body>`. */
  lines(): Promise<string>;
}

/** The chain as the library has it. */
export interface Writer extends Chain {
  /** Resolves when the entry stands. Entries stand in the order in which they were given. */
  append(draft: Draft): Promise<Entry>;
  /** Calls back after each entry. */
  onAppend(heard: (entry: Entry) => void): void;
}

export const GENESIS: Head = Object.freeze({ seq: 0, hash: "0".repeat(64) });

/** The bytes that are hashed. */
export const bodyOf = ({ hash: _, ref, ...facts }: Entry): string =>
  canonical({ v: 1, ref: ref ?? null, ...facts }, BODY);

export const createChain = (now: () => number = Date.now): Writer => {
  const entries: Entry[] = [];
  const listeners: ((entry: Entry) => void)[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const head = (): Head => {
    const { seq, hash } = entries.at(-1) ?? GENESIS;
    return { seq, hash };
  };
  const seal = async ({ kind, ingress = "page", seat = "page", ref }: Draft, data: unknown): Promise<Entry> => {
    const { seq, hash: prev } = head();
    const facts = {
      seq: seq + 1,
      prev,
      at: new Date(now()).toISOString(),
      kind,
      grade: GRADES[ingress],
      ingress,
      seat,
      ...(ref !== undefined && { ref }),
      data,
    };
    const hash = await sha256(bodyOf({ hash: "", ...facts }));
    const entry = frozen({ hash, ...facts });
    entries.push(entry);
    for (const heard of listeners) heard(entry);
    return entry;
  };
  return {
    entries: () => [...entries],
    head,
    lines: async () => {
      await last;
      return entries.map((entry) => `${entry.hash} ${bodyOf(entry)}\n`).join("");
    },
    append: async (draft) => {
      // A copy that nobody else holds, made before anything is waited for. Half a surrogate pair is replaced, as in UTF-8.
      const wellFormed = (_: string, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value);
      const data: unknown = JSON.parse(JSON.stringify(draft.data), wellFormed);
      canonical(data, BODY);
      const sealed = last.then(() => seal(draft, data));
      last = sealed.catch(() => undefined);
      return sealed;
    },
    onAppend: (heard) => {
      listeners.push(heard);
    },
  };
};

/** The value, frozen all the way down. */
export const frozen = <Value>(value: Value): Value => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};
