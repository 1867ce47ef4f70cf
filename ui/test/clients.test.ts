import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import Approval from "../src/approval/Approval.svelte";
import type { Arming, Client, ClientStanding, DeskState, PairParams } from "../src/gen/contract";
import { client, httpClient } from "../src/host/sample/clients";
import { desk, desks } from "../src/host/sample/desks";
import { note, proposal } from "../src/host/sample/proposals";
import { adding, paused, rules } from "../src/host/sample/standing";
import { approvalHost, painted } from "./fake";

async function show(at: DeskState) {
  const host = approvalHost(at);
  const { container } = render(Approval);
  await screen.findByRole("main");
  await painted();
  return { host, container };
}

const standing = (arming: Arming): ClientStanding => ({ state: "asking", arming });
const at = (clients: Client[], revision = 1, proposals = [] as DeskState["proposals"]) => ({
  ...desk(proposals, { clients }),
  revision,
});
const sample = (name: string) => show((desks[name] ?? (() => desk([])))());
const pairButton = () => screen.getByRole<HTMLButtonElement>("button", { name: "Pair" });
const notPairButton = () => screen.getByRole<HTMLButtonElement>("button", { name: "Do not pair" });
const ctrlEnter = () => fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
const inView = () => document.querySelector("article")?.dataset;
const decisions = ["approval_pair", "approval_turn_away", "approval_release", "approval_refuse", "approval_set_aside"];
type Shown = Awaited<ReturnType<typeof show>>["host"];
const decided = (host: Shown) => host.calls.filter(({ command }) => decisions.includes(command));

describe("pairing", () => {
  it("is dead until the gate says armed", async () => {
    const { host } = await show(at([client("c1", {}, standing({ state: "arming", remainingMs: 60_000 }))]));
    expect(pairButton().disabled).toBe(true);
    await fireEvent.click(pairButton());
    await ctrlEnter();
    expect(decided(host)).toEqual([]);
    await host.say("desk", at([client("c1")], 2));
    expect(pairButton().disabled).toBe(false);
    await fireEvent.click(pairButton());
    expect(host.sent("approval_pair")).toHaveLength(1);
  });

  it.each<Arming>([{ state: "unseen" }, { state: "dead", why: "The ledger is read-only." }])(
    "is dead while %j, and says why",
    async (arming) => {
      const { host } = await show(at([client("c1", {}, standing(arming))]));
      expect(pairButton().disabled).toBe(true);
      await ctrlEnter();
      expect(decided(host)).toEqual([]);
      const words = arming.state === "dead" ? arming.why : "Ready when this window is in front.";
      expect(screen.getByRole("contentinfo").textContent).toContain(words);
    },
  );

  it("carries the digest that was shown and what was seen of the press", async () => {
    const { host } = await sample("client-asks");
    await fireEvent.mouseDown(pairButton());
    await fireEvent.click(pairButton(), { detail: 1, clientX: 10.4, clientY: 20.6 });
    const [params] = host.sent("approval_pair") as PairParams[];
    expect(params).toMatchObject({
      client: "c1",
      digest: client("c1").digest,
      fingerprint: { isTrusted: false, event: "click", prelude: "mousedown:untrusted", detail: 1 },
    });
    expect(params?.fingerprint.dwellMs).toBeTypeOf("number");
  });

  it("does not count a press that began on what the card was before", async () => {
    const { host } = await sample("client-asks");
    await fireEvent.mouseDown(pairButton());
    await host.say("desk", at([{ ...client("c1", { process: 7 }), digest: "e".repeat(64) }], 2));
    await fireEvent.click(pairButton());
    expect(host.sent("approval_pair")).toEqual([]);
    await fireEvent.click(pairButton());
    expect(host.sent("approval_pair")).toMatchObject([{ digest: "e".repeat(64) }]);
  });

  it("does not count a press that began while it was dead", async () => {
    const { host } = await show(at([client("c1", {}, standing({ state: "arming", remainingMs: 60_000 }))]));
    await fireEvent.mouseDown(pairButton());
    await host.say("desk", at([client("c1")], 2));
    await fireEvent.click(pairButton());
    expect(host.sent("approval_pair")).toEqual([]);
  });

  it("does not count a press that began on another card", async () => {
    const { host } = await show(at([client("c1"), httpClient("c2")]));
    await fireEvent.mouseDown(pairButton());
    await host.say("select", "c2");
    expect(inView()).toMatchObject({ client: "c2" });
    await fireEvent.click(pairButton());
    expect(decided(host)).toEqual([]);
  });

  it("does not work by a key that is held down", async () => {
    const { host } = await sample("client-asks");
    const held = new KeyboardEvent("keydown", { key: "Enter", repeat: true, bubbles: true, cancelable: true });
    await fireEvent(pairButton(), held);
    expect(held.defaultPrevented).toBe(true);
    await fireEvent.click(pairButton());
    await fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true, repeat: true });
    expect(decided(host)).toEqual([]);
  });

  it.each(["Enter", " ", "y", "p", "Delete"])(
    "does nothing for the bare key %j, and never has the focus",
    async (key) => {
      const { host } = await sample("client-asks");
      expect(document.activeElement).toBe(document.body);
      for (const target of [document.body, notPairButton()]) await fireEvent.keyDown(target, { key });
      expect(decided(host)).toEqual([]);
    },
  );

  it("works by Ctrl+Enter for the card in view and for nothing else", async () => {
    const { host } = await show(at([client("c1")], 1, [proposal("p3")]));
    await fireEvent.click(screen.getByRole("button", { name: /place_order/ }));
    await ctrlEnter();
    expect(decided(host)).toMatchObject([{ command: "approval_release", params: { proposal: "p3" } }]);
    await fireEvent.click(screen.getByRole("button", { name: /claude-code/ }));
    await ctrlEnter();
    expect(decided(host).slice(1)).toMatchObject([
      { command: "approval_pair", params: { client: "c1", fingerprint: { event: "keydown" } } },
    ]);
  });

  it("is done by no key while several writes are being refused", async () => {
    const waiting = { ...paused, waiting: 1 };
    const { host } = await show({ ...desk([adding("p3")], { clients: [client("c1")], paused: [waiting] }) });
    await fireEvent.click(screen.getByRole("button", { name: "Refuse all that wait…" }));
    await ctrlEnter();
    await fireEvent.keyDown(document.body, { key: "Backspace", ctrlKey: true });
    expect(decided(host)).toEqual([]);
  });

  it.each([
    ["stale", "What was shown has changed. Look again."],
    ["not-armed", "Nothing was decided: the card was not in view for long enough."],
    ["automated", "The approval window is driven by UI automation."],
  ])("shows why the gate did not take it: %s", async (code, message) => {
    const { host } = await sample("client-asks");
    host.answers["approval_pair"] = () => {
      throw { code, message };
    };
    await fireEvent.click(pairButton());
    expect((await screen.findByRole("alert")).textContent).toContain(message);
    expect(pairButton().disabled).toBe(false);
  });
});

describe("a client that is not let in", () => {
  it.each(["unseen", "armed"] as const)("is turned away by one press, %s or not", async (state) => {
    const { host } = await show(at([client("c1", {}, standing({ state }))]));
    await fireEvent.click(notPairButton(), { detail: 1 });
    expect(decided(host)).toEqual([{ command: "approval_turn_away", params: { client: "c1" } }]);
  });

  it("is turned away by Ctrl+Backspace", async () => {
    const { host } = await sample("client-asks");
    await fireEvent.keyDown(document.body, { key: "Backspace", ctrlKey: true });
    expect(decided(host)).toEqual([{ command: "approval_turn_away", params: { client: "c1" } }]);
  });

  it("does not take the next one with it when the press was a double click", async () => {
    const { host } = await show(at([client("c1"), httpClient("c2")]));
    await fireEvent.click(notPairButton(), { detail: 1 });
    await host.say("desk", at([httpClient("c2"), client("c1", {}, { state: "refused" })], 2));
    await fireEvent.click(notPairButton(), { detail: 2 });
    expect(decided(host)).toEqual([{ command: "approval_turn_away", params: { client: "c1" } }]);
  });

  it("still asks after Escape, which hides the window", async () => {
    const { host } = await show(at([client("c1")], 1, [proposal("p3")]));
    await fireEvent.keyDown(document.body, { key: "Escape" });
    expect(decided(host)).toEqual([]);
    expect(host.sent("approval_hide")).toHaveLength(1);
  });
});

describe("the card of a client", () => {
  it("tells the gate that it was painted, again for another digest, and by no other name", async () => {
    const { host } = await show(at([client("c1", {}, standing({ state: "unseen" }))]));
    expect(host.sent("approval_client_shown")).toEqual([{ client: "c1", digest: client("c1").digest }]);
    await host.say("desk", at([client("c1", {}, standing({ state: "arming", remainingMs: 60_000 }))], 2));
    await painted();
    expect(host.sent("approval_client_shown")).toHaveLength(1);
    await host.say("desk", at([{ ...client("c1"), digest: "d".repeat(64) }], 3));
    await painted();
    expect(host.sent("approval_client_shown").slice(1)).toEqual([{ client: "c1", digest: "d".repeat(64) }]);
    expect(host.sent("approval_shown")).toEqual([]);
  });

  it("is told of again when the window comes to the front and the gate has not seen it", async () => {
    const { host } = await show(at([client("c1", {}, standing({ state: "unseen" }))]));
    await fireEvent.focus(window);
    await painted();
    expect(host.sent("approval_client_shown")).toHaveLength(2);
    await host.say("desk", at([client("c1")], 2));
    await fireEvent.focus(window);
    await painted();
    expect(host.sent("approval_client_shown")).toHaveLength(2);
  });

  it("says whose word is whose, and how it came", async () => {
    await sample("client-asks");
    const who = screen.getByRole("region", { name: "Who it is" }).textContent;
    expect(who).toMatch(/Calls itself\s*claude-code, version\s*2\.1\.4\s*its own word/);
    expect(who).toMatch(/Program\s*\/home\/you\/\.local\/share\/claude\/versions\/2\.1\.4\s*measured/);
    expect(who).toMatch(/Process\s*48213\s*measured/);
    expect(who).toContain("countersign-bridge");
  });

  it("says that the system tells nothing, and measures nothing then", async () => {
    await sample("client-untold");
    const who = screen.getByRole("region", { name: "Who it is" }).textContent;
    expect(who.match(/The system does not tell\./g)).toHaveLength(2);
    expect(who).not.toContain("measured");
    expect(who).toContain("every program of yours that calls itself the same");
  });

  it("names the token of one that came over HTTP", async () => {
    await sample("client-http");
    const who = screen.getByRole("region", { name: "Who it is" }).textContent;
    expect(who).toMatch(/over HTTP, with the token\s*nightly report/);
    expect(who).not.toContain("countersign-bridge");
  });

  it("says when another one is paired under its name, and only then", async () => {
    await sample("client-namesake");
    const card = screen.getByRole("article").textContent;
    expect(card).toMatch(/Another program is paired under this name.*versions\/2\.1\.4.*one that only says so/s);
    document.body.innerHTML = "";
    const other = httpClient("c2", { state: "paired", at: proposal("p3").askedAt });
    await show(at([client("c1"), other, client("c3", {}, { state: "refused" })]));
    expect(screen.getByRole("article").textContent).not.toContain("Another program");
  });

  it("says what it can do once paired, and what it never can", async () => {
    await sample("client-asks");
    const can = screen.getByRole("region", { name: "Once paired, it can" }).textContent.replace(/\s+/g, " ");
    expect(can).toContain("See and read every page that is open in Countersign, at once and unasked");
    expect(can).toContain("Each is held here until you decide, as always.");
    expect(screen.getByRole("region", { name: "It can never" }).textContent).toContain("Decide.");
  });
});

describe("clients in the queue", () => {
  const queue = () => screen.getByRole("navigation", { name: "Waiting programs and writes" });

  it("stand before the writes, come up first, and any can be picked", async () => {
    const { host } = await sample("client-and-writes");
    const places = within(queue()).getAllByRole("button");
    expect(places.map((place) => place.textContent.trim().split(/\s/)[0])).toEqual([
      "claude-code",
      "my-script",
      "place_order",
      "set_delivery_note",
    ]);
    expect(within(queue()).getByRole("status").textContent).toBe("1 of 4");
    expect(inView()).toMatchObject({ client: "c1" });
    await fireEvent.click(within(queue()).getByRole("button", { name: /my-script/ }));
    await painted();
    expect(inView()).toMatchObject({ client: "c2" });
    await fireEvent.click(within(queue()).getByRole("button", { name: /place_order/ }));
    await painted();
    expect(inView()).toMatchObject({ proposal: "p3" });
    expect(within(queue()).getByRole("status").textContent).toBe("3 of 4");
    expect(host.sent("approval_shown")).toMatchObject([{ proposal: "p3" }]);
  });

  it("do not take the place of what is being looked at", async () => {
    const { host } = await show(desk([proposal("p3")]));
    await host.say("desk", at([client("c1")], 2, [proposal("p3")]));
    await painted();
    expect(inView()).toMatchObject({ proposal: "p3" });
    expect(host.sent("approval_client_shown")).toEqual([]);
    const state = { state: "refused", reason: "" } as const;
    await host.say("desk", at([client("c1")], 3, [proposal("p3", { state })]));
    expect(inView()).toMatchObject({ proposal: "p3" });
    await fireEvent.click(screen.getByRole("button", { name: "Next (1 waiting)" }));
    expect(inView()).toMatchObject({ client: "c1" });
  });

  it("come up by themselves where nothing else waits", async () => {
    const { host } = await show(desk([]));
    await host.say("desk", at([client("c1")], 2));
    await painted();
    expect(inView()).toMatchObject({ client: "c1" });
    expect(host.sent("approval_client_shown")).toHaveLength(1);
  });

  it("come up after a write was set aside", async () => {
    const { host } = await show(at([client("c1")], 1, [proposal("p3"), note("p4", "x")]));
    await fireEvent.click(within(queue()).getByRole("button", { name: /place_order/ }));
    await fireEvent.keyDown(document.body, { key: "Escape" });
    await painted();
    expect(host.sent("approval_set_aside")).toEqual([{ proposal: "p3", aside: true }]);
    expect(inView()).toMatchObject({ client: "c1" });
  });

  it.each([
    ["Pair", { state: "paired", at: proposal("p3").askedAt } as ClientStanding, /claude-code\s+is paired/],
    ["Do not pair", { state: "refused" } as ClientStanding, /claude-code\s+is not paired/],
  ])("make room for what waits next after %s, and say what became of them", async (name, to, words) => {
    const writes = [proposal("p3"), note("p4", "x")];
    const { host } = await show(at([client("c1")], 1, writes));
    await fireEvent.click(screen.getByRole("button", { name }));
    await host.say("desk", at([client("c1", {}, to)], 2, writes));
    await painted();
    expect(inView()).toMatchObject({ proposal: "p3" });
    expect(document.activeElement).toBe(document.body);
    expect(screen.getByRole("main").textContent).toMatch(words);
    await fireEvent.keyDown(document.body, { key: "Escape" });
    await painted();
    expect(inView()).toMatchObject({ proposal: "p4" });
    expect(screen.getByRole("main").textContent).not.toMatch(words);
    await host.say("desk", at([client("c1", {}, to)], 3));
    expect(screen.getByRole("heading", { name: "Nothing is waiting." })).toBeTruthy();
  });

  it("go with their last connection, undecided", async () => {
    const { host } = await sample("client-asks");
    await host.say("desk", at([], 2));
    expect(screen.getByRole("heading", { name: "Nothing is waiting." })).toBeTruthy();
    expect(decided(host)).toEqual([]);
  });
});

describe("a write of a client", () => {
  const asked = (given = {}) =>
    adding("p3", {
      caller: { ingress: "mcp-client", name: "claude-code 2.1.4 (process 48213)", client: "c1" },
      ...given,
    });
  const known = [client("c1", {}, { state: "paired", at: proposal("p3").askedAt })];

  it("says which client it is, as it was paired", async () => {
    await show(at(known, 1, [asked()]));
    const who = screen.getByRole("region", { name: "Who asks" }).textContent;
    expect(who).toMatch(/Client\s*claude-code\s+c1,\s+program\s+\/home\/you/);
  });

  it("is allowed along with others for that client alone, and the card says so", async () => {
    await show({ ...desk([asked()], { clients: known, rules }) });
    await fireEvent.click(screen.getByRole("button", { name: "Allow more like it…" }));
    const told = screen.getByRole("group", { name: "Allow more like it" }).textContent.replace(/\s+/g, " ");
    expect(told).toContain("Only for asks from claude-code (c1), through MCP, only while");
  });
});
