import type {
  ArgumentPattern,
  Client,
  ClientId,
  Effect,
  Ingress,
  Lasts,
  MemberPattern,
  Rule,
  Tool,
} from "../gen/contract";
import { clientName } from "./client";
import { written } from "./json";

/** A piece of a sentence: our own words, or a text that a page or a caller chose and that is drawn as such. */
export type Part = string | { said: string; cap: number };

/** What a sentence about a rule is made of; a rule that is only being thought of has this as well. */
export interface Told {
  effect: Effect;
  origin: string;
  tool: string;
  arguments: ArgumentPattern;
  lasts: Lasts;
  /** Whose task it is, if that is known; a rule for everybody's asks may still be for one task. */
  ingress?: Ingress;
}

const most = 8;

const taskIs: Partial<Record<Ingress, string>> = {
  "panel-agent": "this conversation ends",
  "panel-hand": "this conversation ends",
  "mcp-client": "the outside program’s session ends",
  page: "the page is left or reloaded",
};

/** When the task ends that an ask came in with. */
export const taskEnds = (ingress: Ingress | undefined) =>
  (ingress === undefined ? undefined : taskIs[ingress]) ?? "the task it was made in ends";

/** `from the panel`: the seat whose asks a rule covers. */
export const whoseIs: Record<Ingress, string> = {
  "panel-agent": "from the panel",
  "panel-hand": "from the panel",
  "mcp-client": "from outside programs, through MCP",
  page: "from code in the page, or another agent in the browser",
  "browser-network": "from the browser’s network layer",
  approval: "from the approval window",
  desk: "from Countersign itself",
  partner: "from another origin",
  presence: "from a security key",
};

/** The same for the asks of one client: by the name it gave itself, while it is known. */
export function whose(ingress: Ingress, client: ClientId | undefined, clients: readonly Client[]): Part[] {
  if (client === undefined) return [whoseIs[ingress]];
  const known = clients.find((one) => one.id === client);
  if (known === undefined) return [`from client ${client}, through MCP`];
  return ["from ", named(clientName(known.who)), ` (${client}), through MCP`];
}

function until(rule: Told): string {
  switch (rule.lasts) {
    case "always":
      return "Until you revoke it";
    case "session":
      return "Until Countersign ends";
    case "task":
      return `Until ${taskEnds(rule.ingress)}`;
  }
}

const named = (name: string): Part => ({ said: name, cap: 40 });
const valued = (text: string): Part => ({ said: text, cap: 60 });

function test(member: MemberPattern): Part[] {
  switch (member.test.is) {
    case "any":
      return [named(member.name)];
    case "same":
      return typeof member.test.value === "string"
        ? [named(member.name), " is “", valued(member.test.value), "”"]
        : [named(member.name), " is ", valued(written(member.test.value))];
    case "at-most":
      return [named(member.name), " is at most ", valued(written(member.test.value))];
  }
}

/** `a, b and c`, with the rest counted when there are too many to read. */
function list(all: MemberPattern[]): Part[] {
  const shown = all.slice(0, most).map(test);
  const left = all.length - shown.length;
  if (left > 0) shown.push([`${left} more as chosen`]);
  return shown.flatMap((parts, at) => (at === 0 ? parts : [at === shown.length - 1 ? " and " : ", ", ...parts]));
}

function when(pattern: ArgumentPattern): Part[] {
  switch (pattern.covers) {
    case "any":
      return [", whatever its arguments are"];
    case "exactly":
      return pattern.canonical === "{}"
        ? [" when it is called without arguments"]
        : [" with exactly ", { said: pattern.canonical, cap: 80 }];
    case "members": {
      const bound = pattern.members.filter((member) => member.test.is !== "any");
      const free = pattern.members.filter((member) => member.test.is === "any");
      if (pattern.members.length === 0) return [" when it is called without arguments"];
      return [
        ...(bound.length > 0 ? [" when ", ...list(bound)] : []),
        ...(free.length > 0 ? [", whatever ", ...list(free), free.length === 1 ? " is" : " are"] : []),
      ];
    }
  }
}

/** What a rule does, as one sentence. */
export function sentence(rule: Told): Part[] {
  const tool: Part[] = [{ said: rule.tool, cap: 60 }, " of ", { said: rule.origin, cap: 80 }];
  switch (rule.effect) {
    case "hide":
      return [`${until(rule)}, agents do not see `, ...tool, "."];
    case "refuse":
      return [`${until(rule)}, `, ...tool, " is refused without asking", ...when(rule.arguments), "."];
    case "allow":
      return [`${until(rule)}, `, ...tool, " runs without asking", ...when(rule.arguments), "."];
  }
}

/** `It ends by itself after 5 uses or 30 minutes.`; nothing when neither is set. */
export function endsAfter(limit: number | undefined, minutes: number | undefined): string {
  const uses = limit === undefined ? [] : [limit === 1 ? "1 use" : `${limit} uses`];
  const time = minutes === undefined ? [] : [minutes === 1 ? "1 minute" : `${minutes} minutes`];
  const both = [...uses, ...time];
  return both.length === 0
    ? ""
    : `It ends by itself after ${both.join(" or ")}${both.length > 1 ? ", whichever comes first" : ""}.`;
}

const order: Record<Effect, number> = { refuse: 0, hide: 1, allow: 2 };

/** Refusing first, then hiding, then allowing: the order in which they win. */
export function sorted(rules: Rule[]): Rule[] {
  return [...rules].sort((one, other) => order[one.effect] - order[other.effect]);
}

/** The rule that hides this tool from agents. */
export function hiding(rules: Rule[], tool: Tool): Rule | undefined {
  return rules.find(
    (rule) =>
      rule.effect === "hide" &&
      rule.origin === tool.page.origin &&
      rule.tool === tool.name &&
      (rule.toolDigest === undefined || rule.toolDigest === tool.digest),
  );
}
