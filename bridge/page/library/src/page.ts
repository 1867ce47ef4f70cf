import { askingOffers } from "./asking";
import { type Chain, createChain } from "./chain";
import { type Claim, carryClaims } from "./claims";
import type { ReadTool, Tool, WriteTool } from "./definitions";
import { exchangeHeads, findDesk } from "./desk";
import { sha256 } from "./digest";
import { createOneShot, type OneShot } from "./grants";
import { type Offer, register, type Registration, words } from "./offer";
import { createPhases, type Phases } from "./phases";
import { createProposals, messageOf, MOST_HELD, type Proposals, spoken } from "./proposals";
import { readOffer } from "./read";
import { badArguments, givenUp, held, tooMany } from "./words";
import { refusal, type Write, writeOf } from "./write";

/** What a page may say when it begins. */
export interface PageOptions {
  /** How long a proposal that the page holds waits for a decision, in milliseconds; 15 minutes when left out. */
  expiresAfter?: number;
}

/** A page's tools, and what becomes of their writes. */
export interface Page {
  /** Whether Countersign is there and decides. Otherwise `proposals` does. */
  readonly desk: boolean;
  /** Registers a read. @throws SchemaError when its schema holds what is not checked. */
  read<Args = Record<string, unknown>>(tool: ReadTool<Args>): Registration;
  /** Registers a write and its preview. @throws SchemaError as `read`. */
  propose<Args = Record<string, unknown>>(tool: WriteTool<Args>): Registration;
  /** Tools by phase; those of the first are registered at once. @throws SchemaError as `read`. */
  phases<Name extends string>(tools: Readonly<Record<Name, readonly Tool[]>>): Phases<Name>;
  /** A write that does not exist until one use of it is granted. @throws SchemaError as `read`. */
  oneShot<Args = Record<string, unknown>>(tool: WriteTool<Args>): OneShot<Args>;
  /** Carries what other origins claim into the chain. Answers what ends it. */
  claims(origins: readonly string[], heard?: (claim: Claim) => void): () => void;
  /** What the page holds itself; always empty where Countersign is. */
  readonly proposals: Proposals;
  /** The page's own record. */
  readonly chain: Chain;
}

const QUARTER_OF_AN_HOUR = 900_000;

/**
 * Begins a page. It looks once whether Countersign is there; call it before tools are registered, once in a document.
 *
 * @throws Error outside a secure context, where neither WebMCP nor the hashes of the chain exist.
 */
export const createPage = ({ expiresAfter = QUARTER_OF_AN_HOUR }: PageOptions = {}): Page => {
  if (!isSecureContext) throw new Error("WebMCP and the chain need a secure context: https, or localhost.");
  const chain = createChain();
  const proposals = createProposals(chain, expiresAfter);
  const desk = findDesk();
  if (desk) exchangeHeads(chain, desk);
  void chain.append({ kind: "opened", data: { origin: location.origin, desk: desk !== undefined } });
  addEventListener("pagehide", () => proposals.leave());

  let asking: Registration[] | undefined;
  const registerWrite = (write: Write): Registration => {
    if (!desk) asking ??= askingOffers(proposals).map(register);
    const execute = desk ? atTheDesk(write) : inThePage(write);
    // Both or none: a write whose preview the browser did not take would be decided blind.
    const pair = together([...(asking ?? []), ...[write.companion, { ...write.offer, execute }].map(register)], {
      kept: asking?.length ?? 0,
    });
    return {
      offered: pair.offered,
      withdraw: async () => {
        proposals.withdraw(write.name);
        await pair.withdraw();
        // What the last calls proposed while they were waited for.
        proposals.withdraw(write.name);
      },
    };
  };

  /** Countersign's interceptor held the call before this runs: it was released. */
  const atTheDesk =
    (write: Write): Offer["execute"] =>
    async (input) => {
      const checked = write.check(input);
      if ("faults" in checked) throw refusal(badArguments(write.name, checked.faults));
      const { text } = checked;
      // Hashed beside the call, not before its answer.
      const record = async (outcome: object, result?: string) => {
        const argumentsDigest = await sha256(text);
        const digests = { argumentsDigest, ...(result !== undefined && { resultDigest: await sha256(result) }) };
        await chain.append({ kind: "outcome", data: { tool: write.name, ...digests, ...outcome } });
      };
      try {
        const result = await write.run(text);
        void record({ outcome: "committed" }, spoken(result));
        return result;
      } catch (error) {
        void record({ outcome: "failed", message: messageOf(error) });
        throw error;
      }
    };

  const inThePage =
    (write: Write): Offer["execute"] =>
    async (input, signal) => {
      const checked = write.check(input);
      if ("faults" in checked) return words(badArguments(write.name, checked.faults));
      if (signal?.aborted) return words(givenUp(write.name));
      if (proposals.isFull()) return words(tooMany(write.name, MOST_HELD));
      const { text } = checked;
      const { id } = await proposals.hold({
        tool: write.name,
        title: write.title,
        arguments: text,
        price: () => write.price(text),
        run: () => write.run(text),
      });
      return words(held(id));
    };

  /** Looks a tool over now, so that a fault in it shows before its phase comes. */
  const ready = (tool: Tool): (() => Registration) => {
    if ("commit" in tool) {
      const write = writeOf(tool);
      return () => registerWrite(write);
    }
    const offer = readOffer(tool);
    return () => register(offer);
  };

  return {
    desk: desk !== undefined,
    read: (tool) => register(readOffer(tool)),
    propose: (tool) => registerWrite(writeOf(tool)),
    phases: (tools) => {
      // The same definition in two phases is one tool, which stays when the page goes from one to the other.
      const known = new Map<Tool, () => Registration>();
      const once = (tool: Tool) => {
        const made = known.get(tool) ?? ready(tool);
        known.set(tool, made);
        return made;
      };
      const prepared = Object.entries<readonly Tool[]>(tools).map(([name, list]) => [name, list.map(once)]);
      return createPhases(chain, Object.fromEntries(prepared));
    },
    oneShot: (tool) => createOneShot({ chain, desk: desk !== undefined, expiresAfter }, writeOf(tool)),
    claims: (origins, heard) => carryClaims(chain, origins, heard),
    proposals: {
      list: proposals.list,
      release: proposals.release,
      refuse: proposals.refuse,
      onChange: proposals.onChange,
    },
    chain: { entries: chain.entries, head: chain.head, lines: chain.lines },
  };
};

/** Several registrations as one: all of them, or none but the first `kept`. */
const together = (all: Registration[], { kept }: { kept: number }): Registration => {
  const own = all.slice(kept);
  const withdraw = async () => void (await Promise.all(own.map((one) => one.withdraw())));
  const offered = Promise.all(all.map((one) => one.offered)).then(
    (taken) => taken.every(Boolean),
    async (error: unknown) => {
      await withdraw();
      throw error;
    },
  );
  return { offered, withdraw };
};
