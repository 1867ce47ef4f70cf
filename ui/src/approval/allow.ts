import type { ArgumentPattern, Lasts, MemberPattern, NewRule, Proposal } from "../gen/contract";
import type { JsonValue } from "../gen/serde_json/JsonValue";
import { isObject, read, written } from "../words/json";
import type { Told } from "../words/rule";

/** One member of the card's arguments, and how far another ask may differ in it. */
export interface MemberDraft {
  name: string;
  /** The card's own value, as JSON text. */
  json: string;
  /** It stays as it is; else it may be anything. */
  kept: boolean;
  /** Kept, but a smaller number passes as well. */
  upTo: boolean;
  /** The largest number that passes, as typed. */
  most: string;
}

/** What is being chosen for the asks after this card. Starts as narrow as a rule can be. */
export interface AllowDraft {
  lasts: Lasts;
  covers: ArgumentPattern["covers"];
  members: MemberDraft[];
  /** Uses and minutes, as typed; empty for as many as it likes. */
  limit: string;
  minutes: string;
}

const mostUses = 4_294_967_295;
const mostMinutes = 366 * 24 * 60;

export function draftFor(canonical: string): AllowDraft {
  const found = read(canonical);
  const all = "value" in found && isObject(found.value) ? Object.entries(found.value) : [];
  const members = all.map(([name, value]) => ({
    name,
    json: written(value),
    kept: true,
    upTo: false,
    most: written(value),
  }));
  return { lasts: "task", covers: "exactly", members, limit: "", minutes: "" };
}

const valueOf = (member: MemberDraft) => JSON.parse(member.json) as JsonValue;

/** The number a bound can be set on: only from zero up, because nothing below zero is let through. */
export function ownNumber(member: MemberDraft): number | undefined {
  const value = valueOf(member);
  return typeof value === "number" && value >= 0 ? value : undefined;
}

export function mostFault(member: MemberDraft): string | undefined {
  const own = ownNumber(member);
  if (!member.kept || !member.upTo || own === undefined) return undefined;
  const typed = member.most.trim();
  const most = Number(typed);
  if (typed === "" || !Number.isFinite(most)) return "A number, such as 3.";
  return most < own ? `At least ${own}, which is what this card has.` : undefined;
}

export function countFault(typed: string, most: number): string | undefined {
  if (typed.trim() === "") return undefined;
  const count = Number(typed.trim());
  return /^\d+$/.test(typed.trim()) && count >= 1 && count <= most
    ? undefined
    : `A whole number from 1 to ${most.toLocaleString("en-GB")}.`;
}

export const limitFault = (draft: AllowDraft) => countFault(draft.limit, mostUses);
export const minutesFault = (draft: AllowDraft) => countFault(draft.minutes, mostMinutes);

function pattern(member: MemberDraft): MemberPattern {
  if (!member.kept) return { name: member.name, test: { is: "any" } };
  if (member.upTo && ownNumber(member) !== undefined)
    return { name: member.name, test: { is: "at-most", value: Number(member.most.trim()) } };
  return { name: member.name, test: { is: "same", value: valueOf(member) } };
}

function covered(draft: AllowDraft, canonical: string): ArgumentPattern {
  switch (draft.covers) {
    case "exactly":
      return { covers: "exactly", canonical };
    case "members":
      return { covers: "members", members: draft.members.map(pattern) };
    case "any":
      return { covers: "any" };
  }
}

const count = (typed: string) => (typed.trim() === "" ? undefined : Number(typed.trim()));

/** The rule that was chosen; nothing while something in it cannot be read. */
export function ruleOf(draft: AllowDraft, canonical: string): NewRule | undefined {
  const wrong = draft.covers === "members" && draft.members.some((member) => mostFault(member) !== undefined);
  if (wrong || limitFault(draft) !== undefined || minutesFault(draft) !== undefined) return undefined;
  const rule: NewRule = { lasts: draft.lasts, arguments: covered(draft, canonical) };
  const [limit, minutes] = [count(draft.limit), count(draft.minutes)];
  if (limit !== undefined) rule.limit = limit;
  if (minutes !== undefined) rule.minutes = minutes;
  return rule;
}

/** A rule made on this card, as a sentence tells it. */
export function told(proposal: Proposal, effect: Told["effect"], rule: NewRule): Told {
  return {
    effect,
    origin: proposal.page.origin,
    tool: proposal.act.kind === "tool" ? proposal.act.tool.name : "",
    arguments: rule.arguments,
    lasts: rule.lasts,
    ingress: proposal.caller.ingress,
  };
}

/** Whether the page says on this card what would change; a rule made on it covers only asks that come with as much. */
export const previewed = ({ preview }: Proposal) => preview.state !== "pending" && preview.state !== "unavailable";
