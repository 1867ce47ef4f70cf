import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import type { PanelState } from "../src/gen/contract";
import { panels } from "../src/host/sample/panels";
import { invited, relayTab, second } from "../src/host/sample/relay";
import { digest, tool } from "../src/host/sample/shop";
import Panel from "../src/panel/Panel.svelte";
import { canBeMarked } from "../src/panel/tool";
import { panelHost, painted } from "./fake";

const state = (name: string): PanelState => {
  const made = panels[name];
  if (made === undefined) throw new Error(`there is no sample ${name}`);
  return made();
};

async function show(at: PanelState, hash: string) {
  location.hash = hash;
  const host = panelHost(at);
  const { container } = render(Panel);
  await screen.findByRole("main");
  return { host, container };
}

const part = () => screen.getByRole("group", { name: "Pages that connect by themselves" });
const origin = () => within(part()).getByRole<HTMLInputElement>("textbox", { name: "Origin of the page" });

beforeEach(() => history.replaceState(null, "", "#"));

describe("the relay in the settings", () => {
  it("is off, and is turned on for one origin", async () => {
    const { host } = await show(state("first"), "#settings");
    expect(part().textContent).not.toContain("token=");
    await fireEvent.input(origin(), { target: { value: " https://room.example " } });
    await fireEvent.click(within(part()).getByRole("button", { name: "Turn the relay on" }));
    expect(host.sent("turn_relay_on")).toEqual([{ origin: "https://room.example", port: 7340 }]);
    expect(host.sent("save_settings")).toEqual([]);
  });

  it("says beside the field why it could not be", async () => {
    const { host } = await show(state("first"), "#settings");
    host.answers["turn_relay_on"] = () => {
      throw { code: "settings", message: "`room` is not an origin as a browser writes it." };
    };
    await fireEvent.input(origin(), { target: { value: "room" } });
    await fireEvent.keyDown(origin(), { key: "Enter" });
    await painted();
    expect(within(part()).getByRole("alert").textContent).toContain("`room` is not an origin");
    expect(origin().getAttribute("aria-invalid")).toBe("true");
  });

  it("takes no port that there is not", async () => {
    const { host } = await show(state("first"), "#settings");
    const port = within(part()).getByRole("spinbutton", { name: "Port" });
    for (const value of ["", "0", "65536", "1.5"]) {
      await fireEvent.input(port, { target: { value } });
      await fireEvent.click(within(part()).getByRole("button", { name: "Turn the relay on" }));
      expect(within(part()).getByRole("alert").textContent).toContain("from 1 to 65535");
    }
    expect(host.sent("turn_relay_on")).toEqual([]);
  });

  it("gives the address with the token to copy, and the token nowhere else", async () => {
    const { host } = await show(state("relay"), "#settings");
    expect(part().textContent).toContain("No page is attached");
    expect(part().textContent).toContain(invited.url);
    expect(within(part()).getByRole("button", { name: "Copy the address with the token" })).toBeTruthy();
    const token = invited.url.split("token=")[1] ?? "";
    expect(part().textContent.split(token)).toHaveLength(2);
    expect(origin().disabled).toBe(true);
    await fireEvent.click(within(part()).getByRole("button", { name: "Turn the relay off" }));
    expect(host.sent("turn_relay_off")).toHaveLength(1);
  });

  it("says that a page is attached, and that a second one was refused and why", async () => {
    await show(state("relay-attached"), "#settings");
    expect(part().textContent).toContain("A page is attached");
    expect(
      within(part())
        .getByText(/A second page was refused/)
        .textContent.replace(/\s+/g, " ")
        .trim(),
    ).toBe(`A second page was refused, 3 times: ${second.reason}.`);
  });

  it("says where to look when a browser has connected and says nothing, and only while no page is attached", async () => {
    const { host } = await show(state("relay-silent"), "#settings");
    expect(within(part()).getByText(/connected and says nothing/)).toBeTruthy();
    await host.say("panel", { ...state("relay"), relay: { on: invited, attached: true, silent: true } });
    expect(part().textContent).not.toContain("says nothing");
  });

  it("says why it could not be turned on at the start", async () => {
    const at = { ...state("first"), relay: { attached: false, silent: false, problem: "The port is taken." } };
    await show(at, "#settings");
    expect(part().textContent).toContain("The port is taken.");
  });

  it("says what the browser will ask and what the door cannot hold", async () => {
    await show(state("first"), "#settings");
    for (const words of [/wants to access other apps and services on this device/, /No request is seen or held/])
      expect(within(part()).getByText(words)).toBeTruthy();
  });
});

describe("a tool of the relay’s page", () => {
  const row = (name: string) => screen.getByRole("article", { name });

  it("is marked as a read only after it was said what that means", async () => {
    const { host } = await show(state("relay-attached"), "#tools");
    expect(screen.getByText("over the relay")).toBeTruthy();
    expect(row("list_seats").textContent).toContain("write");
    await fireEvent.click(within(row("list_seats")).getByRole("button", { name: "list_seats only reads" }));
    expect(host.sent("mark_read")).toEqual([]);
    expect(row("list_seats").textContent).toContain("nothing of it is held");
    await fireEvent.click(within(row("list_seats")).getByRole("button", { name: "Mark list_seats as a read" }));
    const mark = { origin: relayTab.origin, tool: "list_seats", digest: digest("list_seats") };
    expect(host.sent("mark_read")).toEqual([{ mark, read: true }]);
  });

  it("shows its mark, and the mark can be taken back, also when its page is not there", async () => {
    const { host } = await show(state("relay-marked"), "#tools");
    expect(row("list_seats").textContent).toContain("read, marked by you");
    await fireEvent.click(within(row("list_seats")).getByRole("button", { name: "Hold list_seats again" }));
    await fireEvent.click(screen.getByRole("button", { name: "Hold list_rooms of https://other.example again" }));
    expect(host.sent("mark_read")).toEqual([
      { mark: { origin: relayTab.origin, tool: "list_seats", digest: digest("list_seats") }, read: false },
      { mark: { origin: "https://other.example", tool: "list_rooms", digest: digest("list_rooms") }, read: false },
    ]);
  });

  it("cannot be marked where the page says something of it, or the interceptor stands in the page", () => {
    const over = (hints: object) => ({ ...tool("a", { hints }), page: { ...tool("a").page, door: "relay" as const } });
    expect(canBeMarked(over({}))).toBe(true);
    expect(canBeMarked(over({ readOnly: true }))).toBe(false);
    expect(canBeMarked(over({ consequential: true }))).toBe(false);
    expect(canBeMarked(tool("a"))).toBe(false);
  });
});
