// What another origin claims, carried word for word.
import type { Writer } from "./chain";
import { seen } from "./decision";
import { sha256 } from "./digest";

/** A claim of another origin. It is that origin's word and nobody else's. */
export interface Claim {
  readonly origin: string;
  /** Verbatim. */
  readonly claim: string;
  /** SHA-256 of the claim's UTF-8 bytes. */
  readonly sha256: string;
  readonly grade: "inherited";
}

/** What a page of another origin posts: `postMessage({ type: "countersign:claim", claim: "…" }, origin)`. */
export const CLAIM = "countersign:claim";

const MOST_CHARACTERS = 65_536;

/**
 * Carries the claims that these origins post to this window into the chain, graded `inherited`. Everything else is passed over: other
 * messages, other origins, events that a script made, claims that are no text, too long, or hold half a surrogate pair.
 * Answers what ends it.
 */
export const carryClaims = (
  chain: Writer,
  origins: readonly string[],
  heard: (claim: Claim) => void = () => {},
): (() => void) => {
  const partners = new Set(origins.map(originOf));
  const listen = (event: MessageEvent) => {
    const { type, claim } = (event.data ?? {}) as { type?: unknown; claim?: unknown };
    if (type !== CLAIM || typeof claim !== "string" || !partners.has(event.origin)) return;
    if (!seen(event).isTrusted || claim.length > MOST_CHARACTERS || !claim.isWellFormed()) return;
    void carry(event.origin, claim).then(heard);
  };
  const carry = async (origin: string, claim: string): Promise<Claim> => {
    const carried = { origin, claim, sha256: await sha256(claim) };
    await chain.append({ kind: "claim", ingress: "partner", seat: origin, data: carried });
    return Object.freeze({ ...carried, grade: "inherited" });
  };
  addEventListener("message", listen);
  return () => removeEventListener("message", listen);
};

/**
 * A bare origin, such as `https://partner.example`.
 *
 * @throws TypeError for anything else.
 */
export const originOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.origin === "null" || url.origin !== text) {
    throw new TypeError(`"${text}" is no bare origin such as https://partner.example.`);
  }
  return url.origin;
};
