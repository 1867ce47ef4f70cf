import type { Grade, Ingress, LedgerState, Row, RowKind, RowPage } from "../../gen/contract";
import type { JsonValue } from "../../gen/serde_json/JsonValue";
import { broken } from "./desks";
import { since } from "./proposals";
import { digest, origin } from "./shop";

type Story = [RowKind, Ingress, string, JsonValue, string?];

const aRead: Story = [
  "read",
  "panel-agent",
  "qwen3:8b through Ollama",
  { tool: "list_products", origin, result: digest("result") },
];

const said = { name: "claude-code", version: "2.1.4", way: "stdio", program: "/usr/bin/claude", process: "48213" };

const story: Story[] = [
  ["opened", "desk", "desk", { state: "intact", rows: "0" }],
  ["door", "desk", "desk", { door: "browser", state: "open", product: "Chrome/156.0.8078.114" }],
  ["prompt", "panel-agent", "qwen3:8b through Ollama", { digest: digest("prompt") }],
  aRead,
  [
    "proposed",
    "panel-agent",
    "qwen3:8b through Ollama",
    { tool: "place_order", origin, arguments: { product: "notebook", quantity: 2 } },
    "p3",
  ],
  ["repriced", "approval", "approval window", { what: "cost", before: "20.90 EUR", after: "24.40 EUR" }, "p3"],
  ["released", "approval", "approval window", { tool: "place_order", isTrusted: true, dwellMs: 4210 }, "p3"],
  ["outcome", "browser-network", "browser", { outcome: "committed", digest: digest("result") }, "p3"],
  [
    "lying-read",
    "browser-network",
    "browser",
    { tool: "check_stock", method: "POST", url: `${origin}/api/track` },
    "p4",
  ],
  ["refused", "approval", "approval window", { tool: "check_stock", reason: "It is not a read." }, "p4"],
  [
    "rule-made",
    "approval",
    "approval",
    {
      rule: {
        id: "r3",
        effect: "allow",
        origin,
        tool: "add_to_basket",
        lasts: "always",
        arguments: '{"covers":"any"}',
      },
    },
  ],
  ["released", "desk", "desk", { tool: "add_to_basket", byRule: "r3" }, "p5"],
  ["rule-ended", "panel-hand", "panel", { rule: "r3", effect: "allow", uses: "4" }],
  ["turned-away", "desk", "desk", { how: "rule", byRule: "r4", origin, name: "newsletter", ingress: "page" }],
  ["paused", "desk", "desk", { origin, ingress: "panel-agent", caller: "qwen3:8b through Ollama", why: "Too fast." }],
  ["resumed", "approval", "approval", { origin, ingress: "panel-agent", turnedAway: "37" }],
  ["client-paired", "approval", "approval", { client: "c1", who: said }],
  ["client-unpaired", "panel-hand", "panel", { client: "c1", who: said }],
  ["writes-revoked", "panel-hand", "panel", {}],
  ["writes-restored", "panel-hand", "panel", {}],
];

const rows: Row[] = Array.from({ length: 130 }, (_, at) => {
  const [kind, ingress, seat, data, ref] = story[at] ?? aRead;
  const grade: Grade = ingress === "page" ? "client-asserted" : "server-observed";
  const prev = at === 0 ? "0".repeat(64) : digest(`row${at}`);
  return {
    seq: at + 1,
    hash: digest(`row${at + 1}`),
    prev,
    at: since(7800 - at * 60),
    kind,
    grade,
    ingress,
    seat,
    ref,
    data,
  };
});

const states: Record<string, LedgerState> = { broken, torn: { state: "torn-tail", bytes: 118 } };

/** A page of sample rows. */
export function rowPage(sample: string, limit: number, filter: string, before?: number): RowPage {
  const all = sample === "empty" ? [] : sample === "short" ? rows.slice(0, story.length) : rows;
  const found = all
    .filter(
      (row) =>
        (before === undefined || row.seq < before) && JSON.stringify(row).toLowerCase().includes(filter.toLowerCase()),
    )
    .reverse();
  return {
    rows: found.slice(0, limit),
    total: all.length,
    path: "/home/you/.local/share/countersign/ledger/000001.log",
    state: states[sample] ?? { state: "intact" },
  };
}
