import type {
  Arming,
  Client,
  DescriptorRef,
  DeskState,
  DoorState,
  LedgerState,
  Notice,
  Pause,
  Preview,
  Proposal,
  ProposalState,
  Rule,
  Tab,
} from "../../gen/contract";
import {
  badlyDescribed,
  byPage,
  closing,
  described,
  edited,
  hostile,
  long,
  measured,
  message,
  moved,
  note,
  orderCost,
  proposal,
  quoted,
  request,
  since,
} from "./proposals";
import { adding, flood, grant, paused, pausedPage, redefined, rules } from "./standing";
import { client, hostileClient, httpClient } from "./clients";
import { digest, plainTab, shopTab } from "./shop";

const open: DoorState = { state: "open", product: "Chrome/156.0.8078.114" };

export function desk(
  proposals: Proposal[],
  given: {
    door?: DoorState;
    tabs?: Tab[];
    ledger?: LedgerState;
    rules?: Rule[];
    clients?: Client[];
    descriptors?: DescriptorRef[];
    paused?: Pause[];
    notices?: Notice[];
    writesRevokedAt?: string;
  } = {},
): DeskState {
  return {
    revision: 1,
    doors: [{ kind: "browser", status: given.door ?? open }],
    tabs: given.tabs ?? [shopTab, plainTab],
    proposals,
    rules: given.rules ?? [],
    clients: given.clients ?? [],
    descriptors: given.descriptors ?? [],
    ...(given.writesRevokedAt !== undefined && { writesRevokedAt: given.writesRevokedAt }),
    paused: given.paused ?? [],
    notices: given.notices ?? [],
    ledger: {
      seq: 23,
      hash: digest("head"),
      state: given.ledger ?? { state: "intact" },
      ...(given.ledger?.state === "broken" && { readOnly: given.ledger.fault.message }),
    },
  };
}

const previewed = (preview: Preview) => desk([proposal("p3", { preview, cost: undefined, risks: [] })]);
const ended = (state: ProposalState, given: Partial<Proposal> = {}) =>
  desk([proposal("p3", { ...given, state }), note("p4", "Ring twice")]);
const arming = (state: Arming) => desk([proposal("p3", { arming: state })]);

const asked = (state: Arming) => desk([], { clients: [client("c1", {}, { state: "asking", arming: state })] });

export const broken: LedgerState = {
  state: "broken",
  fault: { line: 14, reason: "hash-mismatch", message: "Line 14 says 3f1c… but its bytes hash to 9b20…." },
};

/** The approval window’s samples, by name. */
export const desks: Record<string, () => DeskState> = {
  empty: () => desk([]),
  held: () => desk([proposal("p3")]),
  arming: () => arming({ state: "arming", remainingMs: 500 }),
  unseen: () => arming({ state: "unseen" }),
  dead: () => arming({ state: "dead", why: "The ledger is read-only: nothing can be released." }),
  many: () =>
    desk([
      proposal("p3"),
      closing("p5"),
      request("p6"),
      { ...note("p4", "Ring twice"), state: { state: "held", setAside: true } },
      proposal("p2", { state: { state: "refused", reason: "Too many." } }),
    ]),
  critical: () => desk([closing("p5")]),
  "no-preview": () => desk([note("p4", "Please ring twice.\nThe bell at the gate is broken.")]),
  pending: () => previewed({ state: "pending" }),
  "would-fail": () => previewed({ state: "would-fail", message: "Only 14 are left.", at: since(3) }),
  "no-change": () => desk([proposal("p3", { preview: { state: "no-change", cost: orderCost, at: since(3) } })]),
  long: () => desk([long("p7")]),
  hostile: () => desk([hostile("p8")]),
  network: () => desk([request("p6")]),
  message: () => desk([message("p6")]),
  page: () => desk([byPage("p9")]),
  moved: () => desk([moved("p3")]),
  edited: () => desk([edited("p3")]),
  described: () => desk([described("p3")]),
  quoted: () => desk([quoted("p3")]),
  "badly-described": () => desk([badlyDescribed("p3")]),
  aside: () => desk([proposal("p3", { state: { state: "held", setAside: true } })]),
  releasing: () => desk([proposal("p3", { state: { state: "releasing" } })]),
  committed: () =>
    ended({ state: "committed", result: '{"order":"o-1042","balance":"39.10"}', digest: digest("result") }),
  measured: () =>
    ended(
      { state: "committed", result: '{"order":"o-1042","balance":"39.10"}', digest: digest("result") },
      { measured: measured() },
    ),
  "page-waits": () =>
    ended({
      state: "page-gate",
      gate: { says: "waiting", reference: "p7" },
      result: '{"proposal":"p7","status":"held","changed":"nothing yet"}',
      digest: digest("result"),
    }),
  "page-declined": () =>
    ended({
      state: "page-gate",
      gate: { says: "declined", reason: "Not today." },
      result: '{"status":"DENIED","reason":"Not today.","tool":"place_order"}',
      digest: digest("result"),
    }),
  failed: () => ended({ state: "failed", message: "The shop’s server did not answer.", ran: true }),
  unknown: () => ended({ state: "unknown", message: "The browser closed before the page answered." }),
  refused: () => ended({ state: "refused", reason: "We have enough notebooks." }),
  expired: () => ended({ state: "expired", message: "Nobody decided within 60 minutes." }),
  withdrawn: () => ended({ state: "withdrawn" }),
  offered: () => desk([adding("p3")]),
  redefined: () => desk([redefined("p3")]),
  "one-use": () => desk([grant("p3")]),
  granted: () => ended({ state: "granted", rule: "r7" }, { releases: "one-use" }),
  "by-rule": () => desk([adding("p3", { byRule: "r3" }), proposal("p4")], { rules }),
  "by-rule-only": () =>
    desk([adding("p3", { byRule: "r3", arming: { state: "dead", why: "a rule is about to release it" } })], { rules }),
  "by-rule-done": () =>
    ended({ state: "committed", result: '{"pieces":3}', digest: digest("result") }, { byRule: "r3" }),
  flood: () => desk([proposal("p2"), ...flood(12)], { paused: [paused] }),
  group: () => desk([proposal("p2"), ...flood(12)]),
  paused: () => desk([], { paused: [{ ...paused, waiting: 0 }, pausedPage] }),
  "client-asks": () => desk([], { clients: [client("c1")] }),
  "client-arming": () => asked({ state: "arming", remainingMs: 500 }),
  "client-unseen": () => asked({ state: "unseen" }),
  "client-and-writes": () =>
    desk([proposal("p3"), note("p4", "Ring twice")], { clients: [client("c1"), httpClient("c2")] }),
  "client-http": () => desk([], { clients: [httpClient("c2")] }),
  "client-untold": () => desk([], { clients: [client("c1", { program: undefined, process: undefined, version: "" })] }),
  "client-namesake": () =>
    desk([], {
      clients: [
        client("c2", { program: "/tmp/claude", process: 4 }),
        client("c1", {}, { state: "paired", at: since(5_000) }),
      ],
    }),
  "client-hostile-name": () => desk([proposal("p3")], { clients: [hostileClient("c5")] }),
  "page-gone": () => ended({ state: "page-gone", message: "The tab was closed." }),
};
