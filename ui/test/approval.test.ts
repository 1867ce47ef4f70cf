import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import Approval from "../src/approval/Approval.svelte";
import type { DeskState, Proposal, ReleaseParams } from "../src/gen/contract";
import { desk, desks } from "../src/host/sample/desks";
import { closing, hostile, long, note, proposal } from "../src/host/sample/proposals";
import { approvalHost, painted } from "./fake";

const releaseButton = () => screen.findByRole<HTMLButtonElement>("button", { name: "Release this write" });

async function show(at: DeskState) {
  const host = approvalHost(at);
  const { container } = render(Approval);
  await screen.findByRole("main");
  await painted();
  return { host, container };
}

const sample = (name: string) => show((desks[name] ?? (() => desk([])))());
const with1 = (given: Partial<Proposal>) => show(desk([proposal("p3", given)]));

describe("release", () => {
  it("is dead until the gate says armed", async () => {
    const { host } = await with1({ arming: { state: "arming", remainingMs: 60_000 } });
    const button = await releaseButton();
    expect(button.disabled).toBe(true);
    await fireEvent.click(button);
    await fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    expect(host.sent("approval_release")).toEqual([]);
    await host.say("desk", { ...desk([proposal("p3")]), revision: 2 });
    expect(button.disabled).toBe(false);
  });

  it.each(["unseen", "dead"])("is dead while %s", async (name) => {
    const { host } = await sample(name);
    expect((await releaseButton()).disabled).toBe(true);
    await fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    expect(host.sent("approval_release")).toEqual([]);
  });

  it("is dead until every critical risk is ticked, and names them", async () => {
    const { host } = await show(desk([closing("p5")]));
    const button = await releaseButton();
    const [first, second] = screen.getAllByRole("checkbox");
    if (first === undefined || second === undefined) throw new Error("two critical risks are on this card");
    expect(button.disabled).toBe(true);
    await fireEvent.click(first);
    expect(button.disabled).toBe(true);
    await fireEvent.click(second);
    expect(button.disabled).toBe(false);
    await fireEvent.click(button);
    expect(host.sent("approval_release")).toMatchObject([{ acknowledged: ["page.0", "page.1"] }]);
  });

  it("forgets the ticks when the card changes", async () => {
    const { host } = await show(desk([closing("p5")]));
    for (const box of screen.getAllByRole("checkbox")) await fireEvent.click(box);
    await host.say("desk", { ...desk([{ ...closing("p5"), digest: "f".repeat(64) }]), revision: 2 });
    expect((await releaseButton()).disabled).toBe(true);
  });

  it("carries the digest that was shown and what was seen of the press", async () => {
    const { host } = await with1({});
    const button = await releaseButton();
    await fireEvent.mouseDown(button);
    await fireEvent.click(button, { detail: 1, clientX: 10.4, clientY: 20.6 });
    const [params] = host.sent("approval_release") as ReleaseParams[];
    expect(params).toMatchObject({
      proposal: "p3",
      digest: proposal("p3").digest,
      acknowledged: [],
      fingerprint: { isTrusted: false, event: "click", prelude: "mousedown:untrusted", detail: 1 },
    });
    expect(params?.fingerprint.dwellMs).toBeTypeOf("number");
  });

  it("does not count a press that began on another card", async () => {
    const { host } = await with1({});
    const button = await releaseButton();
    await fireEvent.mouseDown(button);
    await host.say("desk", { ...desk([proposal("p3", { digest: "e".repeat(64) })]), revision: 2 });
    await fireEvent.click(button);
    expect(host.sent("approval_release")).toEqual([]);
    await fireEvent.click(button);
    expect(host.sent("approval_release")).toMatchObject([{ digest: "e".repeat(64) }]);
  });

  it("does not work by a key that is held down", async () => {
    const { host } = await with1({});
    const button = await releaseButton();
    const held = new KeyboardEvent("keydown", { key: "Enter", repeat: true, bubbles: true, cancelable: true });
    await fireEvent(button, held);
    expect(held.defaultPrevented).toBe(true);
    await fireEvent.click(button);
    await fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true, repeat: true });
    expect(host.sent("approval_release")).toEqual([]);
  });

  it("works by Ctrl+Enter when armed", async () => {
    const { host } = await with1({});
    await fireEvent.keyDown(document.body, { key: "Control" });
    await fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    expect(host.sent("approval_release")).toMatchObject([
      { proposal: "p3", fingerprint: { event: "keydown", prelude: "keydown:untrusted" } },
    ]);
  });

  it.each(["Enter", " ", "y", "a", "Delete"])("does nothing for the bare key %j", async (key) => {
    const { host } = await with1({});
    for (const target of [document.body, screen.getByRole("button", { name: "Refuse" })]) {
      await fireEvent.keyDown(target, { key });
      await fireEvent.keyUp(target, { key });
    }
    const decided = host.calls.filter(({ command }) => !["approval_state", "approval_shown"].includes(command));
    expect(decided).toEqual([]);
  });

  it("never has the focus when a card opens", async () => {
    await with1({});
    expect(document.activeElement).toBe(document.body);
  });

  it("shows why the gate did not take it", async () => {
    const { host } = await with1({});
    host.answers["approval_release"] = () => {
      throw { code: "moved", message: "The cost moved from 20.90 EUR to 24.40 EUR. Held again." };
    };
    await fireEvent.click(await releaseButton());
    expect((await screen.findByRole("alert")).textContent).toContain("24.40 EUR");
  });
});

describe("the other decisions", () => {
  it("refuses with the reason that was typed", async () => {
    const { host } = await with1({});
    await fireEvent.click(screen.getByRole("button", { name: "Refuse" }));
    const field = screen.getByRole("textbox", { name: /Why not/ });
    expect(document.activeElement).toBe(field);
    await fireEvent.input(field, { target: { value: " We have enough. " } });
    await fireEvent.click(screen.getByRole("button", { name: "Refuse now" }));
    expect(host.sent("approval_refuse")).toMatchObject([
      { proposal: "p3", digest: proposal("p3").digest, reason: "We have enough.", fingerprint: { event: "click" } },
    ]);
  });

  it("refuses by Ctrl+Backspace, even while release is dead", async () => {
    const { host } = await with1({ arming: { state: "unseen" } });
    await fireEvent.keyDown(document.body, { key: "Backspace", ctrlKey: true });
    expect(host.sent("approval_refuse")).toMatchObject([{ proposal: "p3", reason: "" }]);
  });

  it("leaves Ctrl+Backspace to the reason that is being typed", async () => {
    const { host } = await with1({});
    await fireEvent.click(screen.getByRole("button", { name: "Refuse" }));
    await fireEvent.keyDown(screen.getByRole("textbox"), { key: "Backspace", ctrlKey: true });
    expect(host.sent("approval_refuse")).toEqual([]);
  });

  it("sets aside by Escape and goes on to the next", async () => {
    const { host } = await show(desk([proposal("p3"), note("p4", "Ring twice")]));
    await fireEvent.keyDown(document.body, { key: "Escape" });
    expect(host.sent("approval_set_aside")).toEqual([{ proposal: "p3", aside: true }]);
    expect(await screen.findByText(/asks to run/)).toBeTruthy();
    expect(document.querySelector("[data-proposal='p4']")).not.toBeNull();
    expect(host.sent("approval_refuse")).toEqual([]);
  });

  it("hides after the last one is set aside", async () => {
    const { host } = await with1({});
    await fireEvent.keyDown(document.body, { key: "Escape" });
    await painted();
    expect(host.sent("approval_hide")).toHaveLength(1);
  });

  it("leaves the reason field by Escape and keeps holding", async () => {
    const { host } = await with1({});
    await fireEvent.click(screen.getByRole("button", { name: "Refuse" }));
    await fireEvent.keyDown(screen.getByRole("textbox"), { key: "Escape" });
    await painted();
    expect(host.sent("approval_set_aside")).toEqual([]);
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Refuse" }));
    expect(await releaseButton()).toBeTruthy();
  });

  it("edits through the form of the schema", async () => {
    const { host } = await with1({});
    await fireEvent.click(screen.getByRole("button", { name: "Edit arguments" }));
    await fireEvent.input(screen.getByRole("textbox", { name: /quantity/ }), { target: { value: "1" } });
    await fireEvent.click(screen.getByRole("button", { name: "Save as version 2" }));
    expect(host.sent("approval_edit")).toEqual([
      { proposal: "p3", digest: proposal("p3").digest, arguments: { product: "notebook", quantity: 1 } },
    ]);
  });

  it("edits as JSON, and sends nothing that is not an object", async () => {
    const { host } = await with1({});
    await fireEvent.click(screen.getByRole("button", { name: "Edit arguments" }));
    await fireEvent.click(screen.getByRole("button", { name: "Edit as JSON" }));
    const box = screen.getByRole("textbox", { name: "Arguments as JSON" });
    const save = screen.getByRole("button", { name: "Save as version 2" });
    for (const wrong of ["[1]", "{", '{"id": 12345678901234567890}']) {
      await fireEvent.input(box, { target: { value: wrong } });
      await fireEvent.click(save);
      expect(box.getAttribute("aria-invalid")).toBe("true");
    }
    expect(host.sent("approval_edit")).toEqual([]);
    await fireEvent.input(box, { target: { value: '{"product":"pen","quantity":3}' } });
    await fireEvent.click(save);
    expect(host.sent("approval_edit")).toMatchObject([{ arguments: { product: "pen", quantity: 3 } }]);
  });

  it("cannot release while arguments are being edited", async () => {
    const { host } = await with1({});
    await fireEvent.click(screen.getByRole("button", { name: "Edit arguments" }));
    await fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    expect(screen.queryByRole("button", { name: "Release this write" })).toBeNull();
    expect(host.sent("approval_release")).toEqual([]);
  });
});

describe("the card", () => {
  it("tells the gate which card was painted, again for another digest", async () => {
    const { host } = await with1({ arming: { state: "unseen" } });
    expect(host.sent("approval_shown")).toEqual([{ proposal: "p3", digest: proposal("p3").digest }]);
    await host.say("desk", { ...desk([proposal("p3", { askedAt: proposal("p3").askedAt })]), revision: 2 });
    await painted();
    expect(host.sent("approval_shown")).toHaveLength(1);
    await host.say("desk", { ...desk([proposal("p3", { digest: "d".repeat(64) })]), revision: 3 });
    await painted();
    expect(host.sent("approval_shown").at(-1)).toEqual({ proposal: "p3", digest: "d".repeat(64) });
  });

  it("drops a state that is older than the one on screen", async () => {
    const { host } = await show({ ...desk([proposal("p3")]), revision: 7 });
    await host.say("desk", { ...desk([]), revision: 6 });
    expect(await releaseButton()).toBeTruthy();
  });

  it("holds a 400-line argument whole, with real line breaks", async () => {
    await show(desk([long("p7")]));
    const text = screen.getByRole("region", { name: "Arguments" }).textContent;
    const act = long("p7").act;
    const whole = act.kind === "tool" ? (JSON.parse(act.canonical) as { note: string }).note : "";
    expect(whole.split("\n")).toHaveLength(400);
    expect(text).toContain(whole);
  });

  it("shows the exact JSON on demand", async () => {
    await with1({});
    await fireEvent.click(screen.getByRole("button", { name: "Exact JSON" }));
    expect(screen.getByRole("region", { name: "Arguments" }).textContent).toBe('{"product":"notebook","quantity":2}');
  });

  it("draws hostile text as text, with controls and bidi marks in sight", async () => {
    const { container } = await show(desk([hostile("p8")]));
    expect(container.querySelector("script, img, b, a")).toBeNull();
    const text = screen.getByRole("region", { name: "Arguments" }).textContent;
    expect(text).toContain("[U+202E]00.0001 RUE[U+202C]");
    expect(text).toContain("[NUL][U+200B]</p><script>alert(1)</script>");
    expect(container.textContent).not.toMatch(/[\u202a-\u202e\u200b]/u);
  });

  it.each([
    ["pending", "Asking the page…"],
    ["no-preview", "Not measured"],
    ["would-fail", "The page says this would fail"],
    ["no-change", "The page says nothing would change"],
    ["held", "39.10 EUR"],
  ])("says what would change when the preview is %s", async (name, words) => {
    await sample(name);
    expect(within(screen.getByRole("region", { name: "What would change" })).getByText(words)).toBeTruthy();
  });

  it("gives names beside the exact names and values, and says whose they are", async () => {
    await sample("described");
    const sent = screen.getByRole("region", { name: "What would be sent, whole" });
    expect(sent.textContent).toContain("named by Countersign");
    const rows = [...sent.querySelectorAll("dt, dd")].map((row) => row.textContent.replace(/\s+/g, " ").trim());
    expect(rows).toEqual(["Product product", "Dotted notebook notebook", "How many quantity", "2 pieces 2"]);
    await fireEvent.click(screen.getByRole("button", { name: "Exact JSON" }));
    expect(screen.getByRole("region", { name: "Arguments" }).textContent).toBe('{"product":"notebook","quantity":2}');
  });

  it("names changes and leaves an absent side absent", async () => {
    await sample("described");
    const changes = within(screen.getByRole("region", { name: "What would change" })).getAllByRole("row");
    const words = changes.map((row) => row.textContent.replace(/\s+/g, " "));
    expect(words.find((row) => row.includes("stock"))).toMatch(/On the shelf.*stock.*14 pieces.*14.*12 pieces.*12/);
    expect(words.find((row) => row.includes("courier"))).toMatch(
      /Courier.*added.*not there.*by bicycle.*Harbour Bikes/,
    );
    expect(words.find((row) => row.includes("courier"))).not.toMatch(/\d/);
    expect(words.find((row) => row.includes("orders"))).not.toContain("Prepaid");
  });

  it("says that arguments without a descriptor are blind, and nothing of it where there are none", async () => {
    await sample("held");
    const sent = screen.getByRole("region", { name: "What would be sent, whole" });
    expect(within(sent).getByText("blind")).toBeTruthy();
    document.body.innerHTML = "";
    await sample("critical");
    expect(screen.queryByText("blind")).toBeNull();
  });

  it("names what does not fit, and shows such a value as it is", async () => {
    await sample("badly-described");
    const sent = screen.getByRole("region", { name: "What would be sent, whole" });
    expect(sent.textContent).toContain("named by the page itself");
    expect(
      within(sent)
        .getAllByRole("listitem")
        .map((item) => item.textContent),
    ).toEqual([
      "/quantity is not a whole number, so it is shown as it is",
      "it names /colour, which the tool does not have",
    ]);
    expect(sent.textContent).toContain("How many");
  });

  it("marks each change in words", async () => {
    await show(desk([closing("p5"), proposal("p3")]));
    expect(screen.getAllByText("changed")).toHaveLength(2);
    expect(screen.getByText("removed")).toBeTruthy();
    expect(screen.getByText("gone")).toBeTruthy();
  });

  it("says not measured, never zero, when nobody named a cost", async () => {
    await sample("no-preview");
    const cost = screen.getByRole("region", { name: "What it would cost" });
    expect(cost.textContent).toContain("Not measured");
    expect(cost.textContent).not.toMatch(/\d/);
    expect(screen.getByRole("contentinfo").textContent).toContain("cost not measured");
  });

  it("leaves what was not measured out of the sum and says so", async () => {
    await sample("held");
    const cost = screen.getByRole("region", { name: "What it would cost" });
    expect(cost.textContent).toContain("20.90 EUR");
    expect(cost.textContent).toContain("1 more item is not measured");
    expect(cost.textContent).toContain("2 of 14 pieces");
    expect(screen.getByRole("contentinfo").textContent).toContain("20.90 EUR + 2 pieces, and 1 not measured");
  });

  it("says which read quoted a price, and that what would change is not measured", async () => {
    await sample("quoted");
    const cost = screen.getByRole("region", { name: "What it would cost" });
    expect(cost.textContent).toContain("20.90 EUR");
    expect(cost.textContent).toMatch(/Quoted by the page: quote_order, a read that you named/);
    expect(screen.getByRole("region", { name: "What would change" }).textContent).toContain("Not measured");
  });

  it("says what moved and what an edit changed", async () => {
    await sample("moved");
    expect(screen.getByRole("alert").textContent).toMatch(/Held again.*20\.90 EUR.*24\.40 EUR/s);
    document.body.innerHTML = "";
    await sample("edited");
    expect(screen.getByRole("region", { name: /What your edit changed/ }).textContent).toContain("quantity");
  });

  it("names isTrusted as the measurement and the rest as decoration", async () => {
    await sample("page");
    const who = screen.getByRole("region", { name: "Who asks" });
    expect(who.textContent).toMatch(/Measured\s*isTrusted no/);
    expect(who.textContent).toContain("client-asserted: page code said so");
    expect(who.textContent).toContain("input made below the browser is trusted too");
  });

  it("does not offer to edit a request of the network layer", async () => {
    await sample("network");
    expect(screen.queryByRole("button", { name: "Edit arguments" })).toBeNull();
    expect(screen.getByRole("heading", { level: 1 }).textContent).toContain("check_stock calls itself a read");
  });
});

describe("what was stopped on its way", () => {
  it("says where a request was to go", async () => {
    await sample("network");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toMatch(/tried to\s+send a POST to\s+http/);
    expect(screen.getByRole("region", { name: "The request, stopped in the browser" })).not.toBeNull();
  });

  it("calls a message on a connection a message", async () => {
    await sample("message");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toMatch(
      /tried to\s+send a message on its open connection to\s+ws:/,
    );
    const held = screen.getByRole("region", { name: "The message, stopped before its connection" });
    expect(held.textContent).toContain("espresso");
    expect(document.body.textContent).not.toContain("SEND");
  });
});

describe("the queue", () => {
  it("says which of how many, and shows the one that is picked", async () => {
    await sample("many");
    const queue = screen.getByRole("navigation", { name: "Waiting writes" });
    expect(within(queue).getByRole("status").textContent).toBe("1 of 4");
    await fireEvent.click(within(queue).getByRole("button", { name: /close_account/ }));
    expect(within(queue).getByRole("status").textContent).toBe("2 of 4");
    expect(document.querySelector("[data-proposal='p5']")).not.toBeNull();
  });

  it("keeps a settled card until the person goes on", async () => {
    const { host } = await show(desk([proposal("p3"), note("p4", "Ring twice")]));
    const state = { state: "refused", reason: "We have enough." } as const;
    await host.say("desk", { ...desk([note("p4", "Ring twice"), proposal("p3", { state })]), revision: 2 });
    expect(screen.getByText(/We have enough/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Release this write" })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Next (1 waiting)" }));
    expect(document.querySelector("[data-proposal='p4']")).not.toBeNull();
  });

  it("opens the card that was asked for", async () => {
    const { host } = await show(desk([proposal("p3"), note("p4", "Ring twice")]));
    await host.say("select", "p4");
    expect(document.querySelector("[data-proposal='p4']")).not.toBeNull();
  });

  it("says when nothing is waiting", async () => {
    await sample("empty");
    expect(screen.getByRole("heading", { name: "Nothing is waiting." })).toBeTruthy();
  });

  it.each([
    ["committed", "Done"],
    ["failed", "Failed"],
    ["page-waits", "The page’s own gate is waiting"],
    ["page-declined", "The page’s own gate declined it"],
    ["unknown", "Outcome unknown"],
    ["expired", "Expired"],
    ["withdrawn", "Withdrawn"],
    ["page-gone", "Page gone"],
  ])("says in words that a write is %s", async (name, words) => {
    const { host } = await sample(name);
    await host.say("select", "p3");
    expect(screen.getByRole("heading", { level: 3, name: words })).toBeTruthy();
  });
});
