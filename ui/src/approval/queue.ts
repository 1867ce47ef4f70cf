import type { DeskState, Proposal } from "../gen/contract";
import { actName, isAside, isOpen, needsDecision } from "../words/act";
import { asking } from "../words/client";

/** Everything that waits, in the gate’s order: set-aside ones last. */
export function waiting(desk: DeskState): Proposal[] {
  return desk.proposals.filter((proposal) => isOpen(proposal.state));
}

/** The card to show when nobody picked one: the first that waits for a person. */
export function first(desk: DeskState, except?: string): Proposal | undefined {
  const open = waiting(desk).filter((proposal) => proposal.id !== except);
  const mine = open.filter(needsDecision);
  return mine.find((proposal) => !isAside(proposal.state)) ?? mine[0] ?? open[0];
}

/** What comes up when nothing is picked: a client that asks, for that is quick to decide, else the first card that waits. */
export function next(desk: DeskState, except?: string): string | undefined {
  return asking(desk).find((client) => client.id !== except)?.id ?? first(desk, except)?.id;
}

export function find(desk: DeskState, id: string | undefined): Proposal | undefined {
  return desk.proposals.find((proposal) => proposal.id === id);
}

/** One card in the queue, or several that ask for the same tool of the same origin. */
export type Place = { key: string; name: string; origin: string; cards: Proposal[] };

const enough = 3;

const sameAsk = (card: Proposal) =>
  card.act.kind === "tool" && isOpen(card.state) ? `${card.page.origin} ${card.act.tool.name}` : card.id;

/** The queue with what asks for the same thing put together, each group where its first card stands. */
export function grouped(cards: Proposal[]): Place[] {
  const alike = new Map<string, Proposal[]>();
  for (const card of cards) alike.set(sameAsk(card), [...(alike.get(sameAsk(card)) ?? []), card]);
  const seen = new Set<string>();
  return cards.flatMap((card): Place[] => {
    const group = alike.get(sameAsk(card)) ?? [card];
    const key = group.length < enough ? card.id : sameAsk(card);
    if (seen.has(key)) return [];
    seen.add(key);
    const common = { key, name: actName(card), origin: card.page.origin };
    return [{ ...common, cards: group.length < enough ? [card] : group }];
  });
}
