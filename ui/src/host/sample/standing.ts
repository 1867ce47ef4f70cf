import type { Moved, Notice, Pause, Proposal, Rule } from "../../gen/contract";
import { proposal, since } from "./proposals";
import { addToBasket, digest, origin, setNote } from "./shop";

const shop = { origin, uses: 0, previewed: false, reason: "" };

/** Rules of every kind, as the gate lists them: newest first. */
export const rules: Rule[] = [
  {
    ...shop,
    id: "r6",
    effect: "allow",
    tool: "get_quote",
    toolDigest: digest("get_quote"),
    arguments: { covers: "any" },
    ingress: "mcp-client",
    client: "c1",
    lasts: "session",
    madeAt: since(90),
    madeOn: "p21",
  },
  {
    ...shop,
    id: "r5",
    effect: "hide",
    tool: "legacy_export",
    arguments: { covers: "any" },
    lasts: "always",
    madeAt: since(4000),
  },
  {
    ...shop,
    id: "r4",
    effect: "refuse",
    tool: "newsletter",
    arguments: { covers: "any" },
    lasts: "always",
    uses: 3,
    lastUsedAt: since(640),
    madeAt: since(90_000),
    madeOn: "p2",
    reason: "No newsletters, please.",
  },
  {
    ...shop,
    id: "r3",
    effect: "allow",
    tool: "add_to_basket",
    toolDigest: digest("add_to_basket"),
    arguments: {
      covers: "members",
      members: [
        { name: "product", test: { is: "same", value: "notebook" } },
        { name: "quantity", test: { is: "at-most", value: 3 } },
        { name: "wrapping", test: { is: "any" } },
      ],
    },
    ingress: "panel-agent",
    lasts: "always",
    previewed: true,
    limit: 5,
    uses: 2,
    lastUsedAt: since(40),
    madeAt: since(1200),
    expiresAt: since(-1700),
    madeOn: "p11",
  },
  {
    ...shop,
    id: "r2",
    effect: "refuse",
    tool: "set_delivery_note",
    arguments: { covers: "exactly", canonical: '{"note":"Leave it in the street."}' },
    lasts: "task",
    task: "conversation 1",
    madeAt: since(1500),
    madeOn: "p9",
  },
];

/** A write that may be allowed along with its card. */
export const adding = (id: string, given: Partial<Proposal> = {}): Proposal => {
  const values = { product: "notebook", quantity: 2, gift: false, note: "For the harbour office" };
  return proposal(id, {
    act: { kind: "tool", tool: addToBasket, arguments: values, canonical: JSON.stringify(values) },
    preview: { state: "unavailable", why: "This page offers no preview of this tool." },
    cost: undefined,
    risks: [],
    standing: { state: "offered" },
    ...given,
  });
};

const wordy =
  "Puts pieces of one product into the basket. Nothing is bought yet. The basket is kept for two weeks, on this computer only, " +
  "and is emptied when an order is placed. Pieces that are not in stock are ordered from the mill and sent when they arrive. ";

const schema = (properties: object) =>
  JSON.stringify({ type: "object", properties, required: ["product", "quantity"] });

const moved: Moved[] = [
  ["title", "Add to the basket", "Add to the basket and pay"],
  [
    "description",
    `${wordy}Asks nothing more.`,
    `${wordy.replace("Nothing is bought yet.", "It is bought at once.")}Asks nothing more.`,
  ],
  [
    "schema",
    schema({ product: { type: "string" }, quantity: { type: "integer", maximum: 10 } }),
    schema({ product: { type: "string" }, quantity: { type: "integer", maximum: 9999 }, card: { type: "string" } }),
  ],
  [
    "hints",
    "Annotations { read_only: true, consequential: false, untrusted_content: false, autosubmit: false }",
    "Annotations { read_only: false, consequential: false, untrusted_content: false, autosubmit: false }",
  ],
].map(([part, before, after]) => ({ what: "definition", before: `${part}: ${before}`, after: `${part}: ${after}` }));

export const redefined = (id: string): Proposal => adding(id, { redefined: moved });

/** One use of a hidden tool, asked for from the panel. */
export const grant = (id: string): Proposal => {
  const values = { note: "Ring twice." };
  return adding(id, {
    act: { kind: "tool", tool: setNote, arguments: values, canonical: JSON.stringify(values) },
    releases: "one-use",
    caller: { ingress: "panel-hand", name: "run by hand" },
    standing: { state: "not-offered", why: "A grant of one use is for one use." },
  });
};

export const flood = (count: number): Proposal[] =>
  Array.from({ length: count }, (_, at) => {
    const values = { product: at % 2 ? "pen" : "notebook", quantity: at + 1 };
    return adding(`p${at + 20}`, {
      act: { kind: "tool", tool: addToBasket, arguments: values, canonical: JSON.stringify(values) },
    });
  });

export const paused: Pause = {
  origin,
  ingress: "panel-agent",
  caller: "qwen3 through Ollama",
  waiting: 12,
  turnedAway: 37,
  since: since(50),
  why: `qwen3 through Ollama asked for more than 12 writes of ${origin} faster than one in 10 seconds.`,
};

export const pausedPage: Pause = {
  origin: "http://weather.example",
  ingress: "page",
  caller: "code in the page",
  waiting: 0,
  turnedAway: 912,
  since: since(300),
  why: "code in the page asked for more than 12 writes of http://weather.example faster than one in 10 seconds.",
};

/** The rule that hides the tool with this key. */
export const hideRule = (key: string): Rule => ({
  ...shop,
  id: `r${key.length + 10}`,
  effect: "hide",
  tool: key.split("/")[1] ?? key,
  arguments: { covers: "any" },
  lasts: "always",
  madeAt: new Date().toISOString(),
});

/** A read that changed what its page keeps in the browser. */
export const changed: Notice = {
  kind: "changed-unreleased",
  tool: "check_stock",
  origin,
  changes: [
    { area: "local-storage", key: "last-looked-at", act: "updated", before: digest("a"), after: digest("b") },
    { area: "cookies", key: "visitor", act: "written" },
  ],
  times: 1,
  certain: true,
  at: since(20),
};
