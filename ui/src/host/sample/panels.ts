import type {
  ChatItem,
  ClientDoors,
  ClientSettings,
  DeskState,
  DoorState,
  MarkedRead,
  PanelState,
  ProviderStatus,
  McpBState,
  RelayState,
  Settings,
  ToolCall,
} from "../../gen/contract";
import { broken, desk } from "./desks";
import { clientDoors, clients, clientSettings, httpClient, tokens } from "./clients";
import { closing, note, proposal, since } from "./proposals";
import { mcpBTab, refusedOrigin } from "./mcp-b";
import { invited, relayTab, second } from "./relay";
import { digest, origin, plainTab } from "./shop";
import { changed, flood, paused, pausedPage, rules } from "./standing";

const settings: Settings = {
  provider: "ollama",
  providerChosen: true,
  openaiCompatibleUrl: "",
  openaiModel: "",
  openaiCompatibleModel: "",
  ollamaUrl: "http://127.0.0.1:11434",
  ollamaModel: "qwen3:8b",
  browserPath: "",
  roundLimit: 12,
  holdMinutes: 60,
  sites: [],
  relay: { on: false, origin: "", port: 7340 },
  mcpB: { on: false, origins: [], widgets: [], port: 9333 },
  markedReads: [],
  descriptors: [],
  beside: [],
  clients: clientSettings,
};

const ready: ProviderStatus = {
  label: "qwen3:8b through Ollama",
  ready: true,
  keys: { state: "keyring" },
  keysFor: [],
};
const noModel: ProviderStatus = {
  label: "No model",
  ready: false,
  problem: "No model is picked. Run a tool by hand, or pick a model in the settings.",
  keys: { state: "memory", why: "no secret service answers on this desktop." },
  keysFor: [],
};

function panel(
  at: DeskState,
  items: ChatItem[],
  given: {
    provider?: ProviderStatus;
    running?: boolean;
    relay?: RelayState;
    mcpB?: McpBState;
    markedReads?: MarkedRead[];
    clients?: Partial<ClientSettings>;
    clientDoors?: ClientDoors;
  } = {},
): PanelState {
  return {
    desk: at,
    conversation: {
      entries: items.map((item, index) => ({ id: index + 1, item })),
      running: given.running ?? false,
    },
    settings: {
      ...settings,
      ...(given.provider && { provider: "none", providerChosen: false }),
      markedReads: given.markedReads ?? [],
      ...(given.mcpB && { mcpB: { ...settings.mcpB, on: true, origins: [mcpBTab.origin] } }),
      clients: { ...clientSettings, ...given.clients },
    },
    provider: given.provider ?? ready,
    relay: given.relay ?? { attached: false, silent: false },
    mcpB: given.mcpB ?? { pages: 0 },
    clientDoors: given.clientDoors ?? clientDoors,
  };
}

const door = (state: DoorState) => panel(desk([], { door: state, tabs: [] }), []);

const prompt: ChatItem = { kind: "prompt", text: "Order two dotted notebooks if they cost less than 10 EUR each." };
const listed: { kind: "call" } & ToolCall = {
  kind: "call",
  tool: "list_products",
  origin,
  arguments: {},
  state: {
    state: "read",
    result: '{"products":[{"id":"notebook","name":"Notebook, dotted","price":"8.50","stock":14}],"currency":"EUR"}',
  },
  durationMs: 38,
};
const order = (state: ToolCall["state"], durationMs?: number): ChatItem => ({
  kind: "call",
  tool: "place_order",
  origin,
  arguments: { product: "notebook", quantity: 2 },
  state,
  durationMs,
});
const said = (text: string, done = true): ChatItem => ({ kind: "text", text, done });
const looked = [prompt, listed, said("The dotted notebook costs 8.50 EUR and 14 are in stock. I will order two.")];

/** The panel’s samples, by name. */
export const panels: Record<string, () => PanelState> = {
  first: () => panel(desk([], { door: { state: "closed" }, tabs: [] }), [], { provider: noModel }),
  empty: () => panel(desk([]), []),
  "by-hand": () => panel(desk([]), [], { provider: noModel }),
  bare: () => panel(desk([], { tabs: [plainTab] }), []),
  "no-browser": () =>
    door({
      state: "no-browser",
      message: "Looked for Chromium, Chrome, Edge and Brave. Install one of them, then look again.",
    }),
  starting: () => door({ state: "starting" }),
  exited: () =>
    door({ state: "exited", message: "Its last window was closed. Writes that were held are marked page-gone." }),
  crashed: () => door({ state: "crashed", message: "It ended with signal 11. Nothing was released meanwhile." }),
  streaming: () =>
    panel(desk([]), [prompt, listed, said("The dotted notebook costs 8.50 EUR and 14 are in", false)], {
      running: true,
    }),
  held: () =>
    panel(desk([proposal("p3"), note("p4", "Ring twice")]), [...looked, order({ state: "held", proposal: "p3" }, 41)], {
      running: true,
    }),
  many: () =>
    panel(
      desk([proposal("p3"), closing("p5"), note("p4", "Ring twice")]),
      [...looked, order({ state: "held", proposal: "p3" })],
      {
        running: true,
      },
    ),
  decided: () =>
    panel(desk([]), [
      ...looked,
      order(
        {
          state: "decided",
          proposal: "p3",
          answer: { verdict: "committed", text: "Released and done. The page answered: order o-1042 is placed." },
        },
        212,
      ),
      said("Two dotted notebooks are ordered for 20.90 EUR, delivery included. The order is o-1042."),
    ]),
  "page-waits": () =>
    panel(desk([]), [
      ...looked,
      order({
        state: "decided",
        proposal: "p3",
        answer: {
          verdict: "page-waits",
          text: "Released and sent once. The page has a gate of its own, and it waits there.",
        },
      }),
    ]),
  "by-rule": () =>
    panel(desk([]), [
      ...looked,
      order({
        state: "decided",
        proposal: "p3",
        answer: {
          verdict: "committed",
          text: "Released and done. The page answered: order o-1042 is placed.",
          byRule: "r1",
        },
      }),
    ]),
  refused: () =>
    panel(desk([]), [
      ...looked,
      order({
        state: "decided",
        proposal: "p3",
        answer: { verdict: "refused", text: "Refused: we have enough notebooks. Nothing changed. Do not ask again." },
      }),
      said("The order was refused because there are enough notebooks. Nothing was changed."),
    ]),
  failed: () =>
    panel(desk([]), [
      prompt,
      {
        kind: "call",
        tool: "list_prices",
        origin: "",
        arguments: {},
        state: { state: "failed", message: "No page offers a tool of this name." },
      },
      { kind: "stopped", message: "The round limit of 12 was reached. Send another prompt to go on." },
      {
        kind: "failed",
        code: "model-unreachable",
        message: "Ollama does not answer at http://127.0.0.1:11434. Start it, or pick another model in Settings.",
      },
    ]),
  hostile: () =>
    panel(desk([]), [
      { kind: "prompt", text: "unbroken".repeat(80) },
      said("<img src=x onerror=alert(1)> \u202eesrever\u202c اترك الطرد عند الجار"),
      {
        ...listed,
        tool: "x".repeat(128),
        state: { state: "read", result: "<script>alert(1)</script>\u0007".repeat(200) },
      },
    ]),
  rules: () => panel(desk([], { rules }), []),
  revoked: () => panel(desk([], { writesRevokedAt: since(780) }), looked),
  paused: () => panel(desk(flood(12), { paused: [paused] }), looked),
  changed: () =>
    panel(desk([], { notices: [changed, { ...changed, tool: "list_products", certain: false, times: 3 }] }), looked),
  "paused-many": () => panel(desk(flood(12), { paused: [paused, pausedPage] }), looked),
  broken: () => panel(desk([], { ledger: broken }), []),
  relay: () => panel(desk([], { tabs: [] }), [], { relay: { on: invited, attached: false, silent: false } }),
  clients: () =>
    panel(desk([], { clients, rules }), [], {
      clients: { http: true, tokens },
      clientDoors: { ...clientDoors, http: "http://127.0.0.1:7350/mcp" },
    }),
  "clients-problem": () =>
    panel(desk([], { clients: [httpClient("c2", { state: "paired", at: since(5_000) })] }), [], {
      clients: { http: true, keep: false, tokens },
      clientDoors: {
        problem: "Other programs cannot join: the local socket could not be opened (Address already in use).",
        httpProblem: "Port 7350 on this computer cannot be had (Address already in use). Choose another one.",
      },
    }),
  "mcp-b": () =>
    panel(desk([], { tabs: [mcpBTab] }), [], {
      mcpB: { on: "127.0.0.1:9333", pages: 1, refused: refusedOrigin },
    }),
  "relay-silent": () => panel(desk([], { tabs: [] }), [], { relay: { on: invited, attached: false, silent: true } }),
  "relay-attached": () =>
    panel(desk([], { tabs: [relayTab] }), [], {
      relay: { on: invited, attached: true, silent: false, refused: second },
    }),
  "relay-marked": () =>
    panel(desk([], { tabs: [relayTab] }), [], {
      relay: { on: invited, attached: true, silent: false },
      markedReads: [
        { origin: relayTab.origin, tool: "list_seats", digest: digest("list_seats") },
        { origin: "https://other.example", tool: "list_rooms", digest: digest("list_rooms") },
      ],
    }),
};
