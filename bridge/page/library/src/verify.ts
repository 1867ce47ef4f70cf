import { bodyOf, type Entry, GENESIS, GRADES } from "./chain";
import { sha256 } from "./digest";

/** The first thing found wrong in a chain. */
export interface ChainFault {
  /** The entry, from 1. */
  line: number;
  reason: "malformed" | "hash-mismatch" | "bad-sequence" | "broken-link";
  /** In words, with what was expected and what was found. */
  message: string;
}

/** What checking a chain found. */
export interface Verification {
  /** Entries that verify, counted from the first. */
  rows: number;
  /** The hash of the last of them; 64 zeros when there is none. */
  head: string;
  fault?: ChainFault;
}

/**
 * Checks every hash, link, number and grade. It shows an entry that was edited, dropped, added or moved. It cannot show entries cut
 * from the end, nor a chain written anew from some entry on: for that somebody has to remember a head.
 */
export const verify = async (entries: readonly Entry[]): Promise<Verification> => {
  let head = GENESIS.hash;
  for (const [index, entry] of entries.entries()) {
    const fault = await faultOf(entry, index + 1, head);
    if (fault) return { rows: index, head, fault: { line: index + 1, ...fault } };
    head = entry.hash;
  }
  return { rows: entries.length, head };
};

const MEMBERS = new Set(["seq", "hash", "prev", "at", "kind", "grade", "ingress", "seat", "ref", "data"]);

const faultOf = async (entry: Entry, line: number, prev: string): Promise<Omit<ChainFault, "line"> | undefined> => {
  const malformed = (message: string) => ({ reason: "malformed", message }) as const;
  if (typeof entry !== "object" || entry === null) return malformed("This is not an entry.");
  const extra = Object.keys(entry).find((key) => !MEMBERS.has(key));
  if (extra !== undefined) return malformed(`An entry has no member "${extra}".`);
  if (!Object.hasOwn(GRADES, entry.ingress) || GRADES[entry.ingress] !== entry.grade) {
    return malformed(`What came in by "${entry.ingress}" cannot have the grade "${entry.grade}".`);
  }
  let body;
  try {
    body = bodyOf(entry);
  } catch (error) {
    return malformed(`The entry has no canonical form: ${(error as Error).message}`);
  }
  const hash = await sha256(body);
  if (hash !== entry.hash) {
    return { reason: "hash-mismatch", message: `The entry hashes to ${hash}, but says ${entry.hash}: it was changed.` };
  }
  if (entry.seq !== line) {
    return { reason: "bad-sequence", message: `Entry ${entry.seq} stands where entry ${line} should be.` };
  }
  if (entry.prev !== prev) {
    return {
      reason: "broken-link",
      message: `It says the entry before it hashes to ${entry.prev}, but that is ${prev}.`,
    };
  }
  return undefined;
};
