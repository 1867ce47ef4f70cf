import type { Pause, Proposal } from "../gen/contract";

/** What the window is doing with the card, or with several at once. */
export type Mode = "view" | "refuse" | "edit" | "allow" | "refuse-all";

/** Several cards that are refused together: those that waited when it was opened, and no others. */
export interface Batch {
  /** What they have in common: the tool, or whoever asks. */
  of: "tool" | "source";
  name: string;
  origin: string;
  ids: string[];
}

const held = (proposal: Proposal) => proposal.state.state === "held";

/** Those of a batch that still wait. */
export function remaining(batch: Batch, proposals: Proposal[]): string[] {
  const ids = new Set(batch.ids);
  return proposals.filter((proposal) => ids.has(proposal.id) && held(proposal)).map((proposal) => proposal.id);
}

/** Everything that a stopped source still has waiting. */
export function ofPause(pause: Pause, proposals: Proposal[]): Batch {
  const theirs = proposals.filter(
    (proposal) =>
      held(proposal) &&
      proposal.page.origin === pause.origin &&
      proposal.caller.ingress === pause.ingress &&
      proposal.caller.client === pause.client,
  );
  return { of: "source", name: pause.caller, origin: pause.origin, ids: theirs.map((proposal) => proposal.id) };
}

export type Key = "leave" | "release" | "refuse";

/** What a key means in this window; nothing when it belongs to what is being typed. */
export function keyOf(event: KeyboardEvent): Key | undefined {
  if (event.defaultPrevented || event.isComposing) return undefined;
  const { target } = event;
  const ticks = target instanceof HTMLInputElement && ["checkbox", "radio"].includes(target.type);
  const typing = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !ticks);
  const chord = event.ctrlKey || event.metaKey;
  if (event.key === "Escape") return "leave";
  if (chord && event.key === "Enter") return "release";
  if (chord && event.key === "Backspace" && !typing) return "refuse";
  return undefined;
}
