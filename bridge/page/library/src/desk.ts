// How the page and Countersign find each other, and how each comes to remember the other's head.
import type { Head, Writer } from "./chain";

/** What stands behind the page when Countersign is there. */
export interface Desk {
  readonly version: 1;
  /** Tells the head of the page's chain, and answers the head of the desk's ledger. */
  tell(head: Head): Promise<Head | undefined>;
}

/** The event by which a page asks for a desk, dispatched on `document`. */
export const EVENT = "countersign:page";

/**
 * Asks once whether Countersign is there. It answers while the event is dispatched, or it is not there. Any script of the page can
 * answer in its place.
 */
export const findDesk = (): Desk | undefined => {
  // Answered late it changes nothing: what was found by then has been given back.
  let found: Desk | undefined;
  const heard = (desk: Desk) => {
    if (desk?.version === 1 && typeof desk.tell === "function") found ??= desk;
  };
  document.dispatchEvent(new CustomEvent(EVENT, { detail: { version: 1, heard } }));
  return found;
};

/** A desk records one head a second. */
const AGAIN = 1_500;

/**
 * Tells the desk the head after each entry, the last one when several come at once, and records what it answers. A head that the
 * desk did not record is told once more.
 */
export const exchangeHeads = (chain: Writer, desk: Desk): void => {
  let telling = false;
  let again = false;
  const tell = async (last: boolean) => {
    if (telling) return void (again = true);
    telling = true;
    let told: boolean;
    do {
      again = false;
      try {
        const theirs = await desk.tell(chain.head());
        told = isHead(theirs);
        if (isHead(theirs)) {
          await chain.append({ kind: "door", data: { door: "desk", seq: theirs.seq, hash: theirs.hash } });
        }
      } catch {
        told = false;
      }
    } while (again);
    telling = false;
    if (!told && !last) setTimeout(() => void tell(true), AGAIN);
  };
  chain.onAppend(({ kind }) => {
    if (kind !== "door") void tell(false);
  });
};

const isHead = (head: Head | undefined): head is Head =>
  Number.isSafeInteger(head?.seq) && (head?.seq ?? -1) >= 0 && /^[0-9a-f]{64}$/.test(String(head?.hash));
