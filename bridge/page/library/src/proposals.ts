// Proposals that the page itself holds, where no Countersign does.
import type { Writer } from "./chain";
import { frozen } from "./chain";
import { seen } from "./decision";
import { sha256 } from "./digest";
import { type Moved, movedBetween } from "./moved";
import type { Preview } from "./preview";
import { type Act, HELD, isOpen, isOver, next, type State } from "./state";

/** A write that waits, or how it ended. A new object at every change. */
export type Proposal = State & {
  /** `p1`, `p2`… */
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  /** The very arguments that would run. */
  readonly arguments: unknown;
  readonly preview: Preview;
  /** When it was proposed and when it expires, in milliseconds since 1970. */
  readonly proposedAt: number;
  readonly expiresAt: number;
};

/** What the page's own screens see and decide. */
export interface Proposals {
  /** Every proposal, the oldest first; those that are over are kept until there are 200. */
  list(): readonly Proposal[];
  /**
   * Releases a proposal: asks its preview once more, runs `commit` once when nothing moved beyond the tolerance, and otherwise holds it
   * again with `moved`. Resolves with how it stands then.
   *
   * @throws Error when there is no event, no such proposal, or nothing to release.
   */
  release(id: string, event: Event): Promise<Proposal>;
  /**
   * Refuses a proposal; the reason reaches the agent.
   *
   * @throws Error as `release`.
   */
  refuse(id: string, reason: string, event: Event): Promise<Proposal>;
  /** Calls back with a proposal whenever one has changed. Answers what ends that. */
  onChange(heard: (proposal: Proposal) => void): () => void;
}

/** A write as it is held. */
export interface Writes {
  tool: string;
  title: string;
  /** Canonical JSON: the one copy that is shown, recorded and run. */
  arguments: string;
  /** Asks what it would do now. Never rejects. */
  price(): Promise<Preview>;
  run(): Promise<unknown>;
}

/** What the library itself does with proposals. */
export interface Holding extends Proposals {
  hold(write: Writes): Promise<Proposal>;
  /** Whether as many wait as may. */
  isFull(): boolean;
  find(id: string): Proposal | undefined;
  /** The proposals of a tool that is taken away. */
  withdraw(tool: string): void;
  /** The page goes away. */
  leave(): void;
}

export const MOST_HELD = 50;
const MOST_OVER = 200;
/** What a timer of the browser can wait, in milliseconds. */
export const LONGEST_TIMER = 2 ** 31 - 1;

interface Entry {
  view: Proposal;
  readonly write: Writes;
  clock?: ReturnType<typeof setTimeout>;
}

export const createProposals = (chain: Writer, expiresAfter: number, now: () => number = Date.now): Holding => {
  const entries = new Map<string, Entry>();
  const listeners = new Set<(proposal: Proposal) => void>();
  let count = 0;
  /** Those whose entry in the chain is being made. */
  let coming = 0;

  const show = (entry: Entry, view: Proposal): void => {
    entry.view = frozen(view);
    for (const heard of listeners) {
      try {
        heard(entry.view);
      } catch (error) {
        reportError(error);
      }
    }
  };
  const record = (entry: Entry, kind: Parameters<Writer["append"]>[0]["kind"], data: object) =>
    chain.append({ kind, ref: entry.view.id, data });

  /** Whether the act happened. */
  const act = (entry: Entry, what: Act): boolean => {
    const { id, tool, title, arguments: args, preview, proposedAt, expiresAt } = entry.view;
    const state = next(entry.view, what);
    if (!state) return false;
    show(entry, { id, tool, title, arguments: args, preview, proposedAt, expiresAt, ...state });
    if (isOver(state)) {
      clearTimeout(entry.clock);
      forgetTheOldest();
    }
    return true;
  };
  const forgetTheOldest = () => {
    const over = [...entries.values()].filter(({ view }) => isOver(view));
    for (const { view } of over.slice(0, Math.max(0, over.length - MOST_OVER))) entries.delete(view.id);
  };
  const end = (entry: Entry, how: "expire" | "withdraw" | "leave", kind: "expired" | "withdrawn" | "page-gone") => {
    if (act(entry, { type: how })) void record(entry, kind, { status: entry.view.status });
  };
  const expireWhenDue = (entry: Entry) => {
    if (entry.view.status === "held" && now() >= entry.view.expiresAt) end(entry, "expire", "expired");
  };
  const decidable = (id: string): Entry => {
    const entry = entries.get(id);
    if (!entry) throw new Error(`There is no proposal ${id}.`);
    expireWhenDue(entry);
    return entry;
  };

  const hold: Holding["hold"] = async (write) => {
    coming += 1;
    const proposedAt = now();
    const view = {
      ...HELD,
      id: `p${++count}`,
      tool: write.tool,
      title: write.title,
      arguments: JSON.parse(write.arguments) as unknown,
      preview: { state: "pending" as const },
      proposedAt,
      expiresAt: proposedAt + expiresAfter,
    } as Proposal;
    const entry: Entry = { view: frozen(view), write };
    const argumentsDigest = await sha256(write.arguments);
    await record(entry, "proposed", { act: "tool", tool: write.tool, arguments: write.arguments, argumentsDigest });
    coming -= 1;
    entries.set(view.id, entry);
    entry.clock = setTimeout(() => expireWhenDue(entry), Math.min(expiresAfter, LONGEST_TIMER));
    show(entry, entry.view);
    void write.price().then((preview) => {
      if (isOpen(entry.view)) show(entry, { ...entry.view, preview });
    });
    return entry.view;
  };

  const release: Proposals["release"] = async (id, event) => {
    const by = seen(event);
    const entry = decidable(id);
    const shown = entry.view.preview;
    if (entry.view.status === "held" && shown.state === "pending") {
      throw new Error(`${id} has not been previewed yet, so nobody has seen what it would do.`);
    }
    if (!act(entry, { type: "press" })) throw new Error(`${id} is ${entry.view.status} and cannot be released.`);
    const preview = await entry.write.price();
    if (!isOpen(entry.view)) return entry.view;
    if (now() >= entry.view.expiresAt) {
      end(entry, "expire", "expired");
      return entry.view;
    }
    const moved = movedBetween(shown, preview);
    if (moved.length > 0) return holdAgain(entry, preview, moved);
    await record(entry, "released", { ...by });
    // The page may have gone, or its tool, while the entry was made.
    if (act(entry, { type: "run" })) await run(entry);
    return entry.view;
  };

  const holdAgain = async (entry: Entry, preview: Preview, moved: Moved[]): Promise<Proposal> => {
    entry.view = { ...entry.view, preview };
    act(entry, { type: "moved", moved });
    await record(entry, "repriced", { moved });
    return entry.view;
  };

  const run = async (entry: Entry): Promise<void> => {
    try {
      const result = spoken(await entry.write.run());
      const resultDigest = await sha256(result);
      if (act(entry, { type: "ran", result })) await record(entry, "outcome", { outcome: "committed", resultDigest });
    } catch (error) {
      const message = messageOf(error);
      if (act(entry, { type: "threw", message })) await record(entry, "outcome", { outcome: "failed", message });
    }
  };

  return {
    hold,
    release,
    refuse: async (id, reason, event) => {
      const by = seen(event);
      const entry = decidable(id);
      if (!act(entry, { type: "refuse", reason })) {
        throw new Error(`${id} is ${entry.view.status} and cannot be refused.`);
      }
      await record(entry, "refused", { ...by, reason });
      return entry.view;
    },
    list: () => {
      entries.forEach(expireWhenDue);
      return [...entries.values()].map(({ view }) => view);
    },
    onChange: (heard) => {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
    isFull: () => [...entries.values()].filter(({ view }) => !isOver(view)).length + coming >= MOST_HELD,
    find: (id) => {
      const entry = entries.get(id);
      if (entry) expireWhenDue(entry);
      return entry?.view;
    },
    withdraw: (tool) => {
      for (const entry of entries.values()) if (entry.view.tool === tool) end(entry, "withdraw", "withdrawn");
    },
    leave: () => {
      for (const entry of entries.values()) {
        if (isOpen(entry.view)) end(entry, "leave", "page-gone");
        else if (act(entry, { type: "leave" })) void record(entry, "outcome", { outcome: "unknown" });
      }
    },
  };
};

/** A result as the agent gets it. */
export const spoken = (result: unknown): string =>
  typeof result === "string" ? result : (JSON.stringify(result) ?? "");

/** What was thrown, in words. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
