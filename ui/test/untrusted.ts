import type { ChatEntry, Client, Notice, Pause, Proposal, RowKind, Rule, Tab } from "../src/gen/contract";
import {
  badlyDescribed,
  measured,
  closing,
  described,
  hostile,
  moved,
  proposal,
  quoted,
  request,
} from "../src/host/sample/proposals";
import { clients as programs, hostileClient, httpClient } from "../src/host/sample/clients";
import { adding, changed, grant, paused as pause, redefined, rules as made } from "../src/host/sample/standing";
import { shopTab } from "../src/host/sample/shop";

/** What is ours or the browser's in the states of the desk, by the name of the member; everything else can be anybody's. */
const ours = new Set(
  [
    "by kind state releases door grade ingress level basis covers is effect lasts verdict source status format type found",
    "id ids key digest argumentsDigest toolDigest hash prev canonical byRule rule madeOn proposal ref task",
    "askedAt expiresAt at asOf since madeAt lastUsedAt tolerance event prelude way client",
  ].flatMap((line) => line.split(" ")),
);

/** The same value with `text` in place of every string that a page, a model or a caller chose, and in names of members too. */
export function poisoned<T>(value: T, text: string, name = ""): T {
  if (name === "pointer") return `/${text.replaceAll("~", "~0").replaceAll("/", "~1")}` as T;
  if (typeof value === "string") return (ours.has(name) ? value : text) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => poisoned(item, text, name)) as T;
  if (typeof value !== "object" || value === null) return value;
  if (name === "arguments" && !("covers" in value)) return { [text]: text, n: 2 } as T;
  if (name === "inputSchema") return schema(text) as T;
  const members = Object.entries(value).map(([key, member]) => [key, poisoned(member as unknown, text, key)] as const);
  const all = Object.fromEntries(members) as Record<string, unknown>;
  if ("canonical" in all) all["canonical"] = JSON.stringify({ [text]: text, n: 2 });
  return all as T;
}

const schema = (text: string) => ({
  type: "object",
  properties: { [text]: { type: "string", title: text, description: text, enum: [text] }, n: { type: "number" } },
});

const previewed = proposal("p3");

/** Cards that between them have every member a card can have. */
export const proposals: Record<string, Proposal> = {
  plain: { ...adding("p3"), preview: previewed.preview, cost: previewed.cost },
  critical: closing("p4"),
  hostile: hostile("p5"),
  moved: moved("p6"),
  edited: {
    ...adding("p7"),
    version: 2,
    edits: [
      { path: "a", before: "b", after: "c" },
      { path: "a", after: "c" },
    ],
  },
  redefined: redefined("p8"),
  described: { ...described("p14"), cost: undefined },
  quoted: quoted("p16"),
  "badly-described": badlyDescribed("p15"),
  measured: adding("p16", { measured: measured() }),
  "one-use": grant("p9"),
  "by-rule": adding("p10", { byRule: "r3" }),
  request: request("p11"),
  failing: adding("p12", { preview: { state: "would-fail", message: "x", at: previewed.askedAt } }),
  "of-a-client": adding("p17", { caller: { ingress: "mcp-client", name: "x", client: "c1" } }),
  refusing: adding("p13", { standing: { state: "not-offered", why: "x" } }),
};

export const rules: Rule[] = [
  ...made,
  {
    ...(made[3] as Rule),
    id: "r9",
    effect: "refuse",
    reason: "x",
    arguments: {
      covers: "members",
      members: [
        { name: "x", test: { is: "same", value: "x" } },
        { name: "x", test: { is: "same", value: { x: ["x"] } } },
      ],
    },
  },
];

/** Clients that between them have every member one can have; the first two ask. */
export const clients: Client[] = [hostileClient("c5"), httpClient("c6"), ...programs];

export const paused: Pause[] = [pause];
export const notices: Notice[] = [changed];
export const tab: Tab = shopTab;

const call = { kind: "call", tool: "x", origin: "x", arguments: { x: "x" }, durationMs: 3 } as const;

export const entries: ChatEntry[] = (
  [
    { kind: "prompt", text: "x" },
    { kind: "text", text: "x", done: true },
    { kind: "stopped", message: "x" },
    { kind: "failed", code: "internal", message: "x" },
    { ...call, state: { state: "running" } },
    { ...call, state: { state: "read", result: "x" } },
    { ...call, state: { state: "held", proposal: "p3" } },
    { ...call, state: { state: "decided", proposal: "p3", answer: { verdict: "granted", text: "x" } } },
    { ...call, state: { state: "failed", message: "x" } },
  ] satisfies ChatEntry["item"][]
).map((item, at) => ({ id: at + 1, item }));

export const rowKinds: RowKind[] = [
  "opened",
  "read",
  "proposed",
  "released",
  "refused",
  "outcome",
  "lying-read",
  "rule-made",
  "rule-ended",
  "turned-away",
  "client-paired",
  "client-refused",
  "client-unpaired",
  "paused",
  "resumed",
  "writes-revoked",
];
