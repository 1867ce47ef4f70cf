// Capabilities that do not exist until one use of them is granted, for one exact target.
import type { Writer } from "./chain";
import { seen } from "./decision";
import { sha256 } from "./digest";
import { register, type Registration, words } from "./offer";
import { LONGEST_TIMER, messageOf, spoken } from "./proposals";
import { badArguments, notGranted } from "./words";
import { refusal, type Write } from "./write";

/** A write that is absent until it is granted, and gone after one use. */
export interface OneShot<Args> {
  /** The arguments that are granted now. */
  readonly granted: Args | undefined;
  /**
   * Grants one call with exactly these arguments, and offers the tool. Resolves when the browser has taken it. A grant that is not used
   * expires like a proposal.
   *
   * @throws Error when there is no event, the arguments do not fit, one use is granted already, or the browser does not take the tool;
   * then nothing is granted.
   */
  grant(args: Args, event: Event): Promise<void>;
  /** Takes the grant and the tool back. */
  revoke(): Promise<void>;
  /** Calls back when a grant is in force, when it ends, and when a call is denied. Answers what ends that. */
  onChange(heard: (news: GrantNews) => void): () => void;
}

/** What became of a grant, with the arguments that were granted; or of a call that was denied, with those that were given. */
export type GrantNews =
  | { readonly what: "granted" | "used" | "expired" | "revoked"; readonly arguments: unknown }
  | { readonly what: "denied"; readonly why: string; readonly arguments: unknown };

interface Grant {
  readonly text: string;
  /** Until the browser has taken the tool nothing is in force. */
  inForce: boolean;
  readonly expiresAt: number;
  readonly tools: Registration[];
}

/** What a one-shot write stands on. */
export interface Ground {
  chain: Writer;
  /** Whether Countersign holds its calls, too. */
  desk: boolean;
  expiresAfter: number;
}

export const createOneShot = <Args>({ chain, desk, expiresAfter }: Ground, write: Write): OneShot<Args> => {
  let grant: Grant | undefined;

  /** Ends a grant; only the first of many callers gets it. */
  const take = (one: Grant): boolean => {
    if (grant !== one) return false;
    grant = undefined;
    return true;
  };
  let removed: Promise<unknown> = Promise.resolve();
  const remove = (one: Grant) => {
    removed = Promise.all(one.tools.map((tool) => tool.withdraw()));
  };
  const listeners = new Set<(news: GrantNews) => void>();
  const tell = (news: GrantNews): void => {
    for (const heard of listeners) {
      try {
        heard(news);
      } catch (error) {
        reportError(error);
      }
    }
  };
  const ended = (why: string) => chain.append({ kind: "rule-ended", data: { tool: write.name, why } });

  const end = async (one: Grant, why: "expired" | "revoked"): Promise<void> => {
    if (!take(one)) return;
    remove(one);
    await ended(why);
    if (one.inForce) tell({ what: why, arguments: JSON.parse(one.text) });
  };

  const execute = async (one: Grant, input: unknown): Promise<unknown> => {
    const answer = (what: ReturnType<typeof notGranted>) => {
      tell({ what: "denied", why: String(what["why"]), arguments: input });
      if (desk) throw refusal(what);
      return words(what);
    };
    const checked = write.check(input);
    if ("faults" in checked) return answer(badArguments(write.name, checked.faults));
    if (Date.now() >= one.expiresAt) await end(one, "expired");
    // Spent here, where it is decided: of two calls at once one finds it gone.
    if (!one.inForce || checked.text !== one.text || !take(one)) return answer(notGranted(write.name));
    remove(one);
    await ended("used");
    tell({ what: "used", arguments: JSON.parse(one.text) });
    try {
      const result = await write.run(checked.text);
      const resultDigest = await sha256(spoken(result));
      await chain.append({ kind: "outcome", data: { outcome: "committed", tool: write.name, resultDigest } });
      return result;
    } catch (error) {
      const message = messageOf(error);
      await chain.append({ kind: "outcome", data: { outcome: "failed", tool: write.name, message } });
      if (desk) throw error;
      return words({ status: "failed", changed: "not known", message, note: FAILED });
    }
  };

  return {
    get granted() {
      return grant?.inForce ? (JSON.parse(grant.text) as Args) : undefined;
    },
    grant: async (args, event) => {
      const by = seen(event);
      const checked = write.check(args);
      if ("faults" in checked) throw refusal(badArguments(write.name, checked.faults));
      if (grant) throw new Error(`One use of ${write.name} is granted already.`);
      const expiresAt = Date.now() + expiresAfter;
      const one: Grant = { text: checked.text, inForce: false, expiresAt, tools: [] };
      grant = one;
      const argumentsDigest = await sha256(one.text);
      await chain.append({
        kind: "rule-made",
        data: { ...by, tool: write.name, uses: 1, arguments: one.text, argumentsDigest },
      });
      // The browser takes no second tool of that name.
      await removed;
      // Revoked meanwhile.
      if (grant !== one) throw new Error(`The grant of ${write.name} was taken back.`);
      one.tools.push(register(write.companion), register({ ...write.offer, execute: (input) => execute(one, input) }));
      try {
        await Promise.all(one.tools.map(({ offered }) => offered));
      } catch (error) {
        if (take(one)) {
          remove(one);
          await ended(`the browser did not take the tool: ${messageOf(error)}`);
        }
        throw error;
      }
      one.inForce = true;
      tell({ what: "granted", arguments: JSON.parse(one.text) });
      setTimeout(() => void end(one, "expired"), Math.min(expiresAfter, LONGEST_TIMER));
    },
    revoke: async () => {
      if (grant) await end(grant, "revoked");
    },
    onChange: (heard) => {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
  };
};

const FAILED =
  "It was granted and ran once, and the page reported a failure. The grant is used up. Something may have changed all the same: read how things stand, then ask the person how to go on.";
