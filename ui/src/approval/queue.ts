import type { DeskState, Proposal } from "../gen/contract";
import { isAside, isOpen } from "../words/act";

/** Everything that waits, in the gate’s order: set-aside ones last. */
export function waiting(desk: DeskState): Proposal[] {
  return desk.proposals.filter((proposal) => isOpen(proposal.state));
}

/** The card to show when nobody picked one: the first that waits. */
export function first(desk: DeskState, except?: string): Proposal | undefined {
  const open = waiting(desk).filter((proposal) => proposal.id !== except);
  return open.find((proposal) => !isAside(proposal.state)) ?? open[0];
}

export function find(desk: DeskState, id: string | undefined): Proposal | undefined {
  return desk.proposals.find((proposal) => proposal.id === id);
}
