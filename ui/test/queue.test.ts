import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import Approval from "../src/approval/Approval.svelte";
import { grouped } from "../src/approval/queue";
import type { DeskState } from "../src/gen/contract";
import { desk } from "../src/host/sample/desks";
import { note, proposal } from "../src/host/sample/proposals";
import { adding, flood, paused, pausedPage } from "../src/host/sample/standing";
import { origin } from "../src/host/sample/shop";
import { approvalHost, painted } from "./fake";

async function show(at: DeskState) {
  const host = approvalHost(at);
  render(Approval);
  await screen.findByRole("main");
  await painted();
  return host;
}

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
const group = () => screen.getByRole("button", { name: /^add_to_basket.*× 12/ });

describe("many asks for the same thing", () => {
  it("are one place from three on, where the first of them stands, and nothing changes its order before", () => {
    const ids = (cards: Parameters<typeof grouped>[0]) =>
      grouped(cards).map((place) => place.cards.map(({ id }) => id));
    const two = [adding("p1"), note("p2", "x"), adding("p3")];
    expect(ids(two)).toEqual([["p1"], ["p2"], ["p3"]]);
    expect(ids([...two, adding("p4")])).toEqual([["p1", "p3", "p4"], ["p2"]]);
    const elsewhere = adding("p5", { page: { ...adding("p5").page, origin: "https://other.example" } });
    expect(ids([...two, elsewhere])).toEqual([["p1"], ["p2"], ["p3"], ["p5"]]);
  });

  it("unfold to each by its arguments, and any can be picked", async () => {
    await show(desk([proposal("p2"), ...flood(12)]));
    expect(group().getAttribute("aria-expanded")).toBe("false");
    expect(screen.queryByRole("button", { name: /p23/ })).toBeNull();
    await fireEvent.click(group());
    expect(group().getAttribute("aria-expanded")).toBe("true");
    const list = document.getElementById(group().getAttribute("aria-controls") ?? "");
    if (list === null) throw new Error("the group says what it unfolds");
    expect(within(list).getAllByRole("listitem")).toHaveLength(12);
    await fireEvent.click(within(list).getByRole("button", { name: /p23.*"quantity":4/ }));
    expect(document.querySelector("[data-proposal='p23']")).not.toBeNull();
    expect(group().textContent).toContain("with the card that is shown");
  });

  it("are refused together with one reason, and nothing that came later is among them", async () => {
    const host = await show(desk([proposal("p2"), ...flood(12)]));
    await fireEvent.click(group());
    await press("Refuse all 12…");
    const field = screen.getByRole("textbox", { name: /One reason for all 12/ });
    expect(document.activeElement).toBe(field);
    await host.say("desk", { ...desk([proposal("p2"), ...flood(13)]), revision: 2 });
    await fireEvent.input(field, { target: { value: "Stop." } });
    await press("Refuse all 12");
    const ids = flood(12).map(({ id }) => id);
    expect(host.sent("approval_refuse_all")).toMatchObject([
      { proposals: ids, reason: "Stop.", fingerprint: { event: "click" } },
    ]);
    expect(host.sent("approval_refuse")).toEqual([]);
  });

  it("are left alone by Escape, and no key decides the card meanwhile", async () => {
    const host = await show(desk([proposal("p2"), ...flood(12)]));
    await fireEvent.click(group());
    const open = screen.getByRole("button", { name: "Refuse all 12…" });
    open.focus();
    await fireEvent.click(open);
    const field = screen.getByRole("textbox", { name: /One reason/ });
    for (const target of [field, document.body]) {
      await fireEvent.keyDown(target, { key: "Enter", ctrlKey: true });
      await fireEvent.keyDown(target, { key: "Backspace", ctrlKey: true });
    }
    await fireEvent.keyDown(field, { key: "Escape" });
    await painted();
    const decided = host.calls.filter(({ command }) => !["approval_state", "approval_shown"].includes(command));
    expect(decided).toEqual([]);
    expect(document.activeElement).toBe(open);
  });
});

describe("a source that was stopped", () => {
  it("is heard again, or refused with all that waits of it", async () => {
    const host = await show(desk(flood(3), { paused: [{ ...paused, waiting: 3 }] }));
    const card = screen.getByRole("region", { name: "Paused" });
    expect(card.textContent).toMatch(
      /qwen3 through Ollama, from the panel, for tools of http.*3 wait.*37 turned away/s,
    );
    await press("Hear it again");
    expect(host.sent("approval_resume")).toEqual([{ origin, ingress: "panel-agent" }]);
    await press("Refuse all that wait…");
    expect(screen.getByRole("contentinfo").textContent).toContain("3 from qwen3 through Ollama");
    await press("Refuse all 3");
    expect(host.sent("approval_refuse_all")).toMatchObject([{ proposals: ["p20", "p21", "p22"], reason: "" }]);
  });

  it("is there when nothing waits, and several are one card", async () => {
    await show(desk([], { paused: [paused, pausedPage] }));
    const card = screen.getByRole("region", { name: "Paused" });
    expect(within(card).getAllByRole("listitem")).toHaveLength(2);
    expect(screen.getByRole("heading", { name: "Nothing is waiting." })).toBeTruthy();
  });

  it("does not push the queue away, however many there are", async () => {
    const many = Array.from({ length: 40 }, (_, at) => ({ ...paused, origin: `https://s${at}.example` }));
    await show(desk([proposal("p2")], { paused: many }));
    const card = screen.getByRole("region", { name: "Paused" });
    expect(within(card).getAllByRole("listitem")).toHaveLength(3);
    await press("Show 37 more");
    expect(within(card).getAllByRole("listitem")).toHaveLength(40);
  });
});
