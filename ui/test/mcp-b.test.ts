import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import type { PanelState } from "../src/gen/contract";
import { mcpBTab, refusedOrigin } from "../src/host/sample/mcp-b";
import { panels } from "../src/host/sample/panels";
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
  render(Panel);
  await screen.findByRole("main");
  return host;
}

const part = () => screen.getByRole("group", { name: "Pages with the mcp-b widget" });
const field = (name: string) => within(part()).getByRole<HTMLTextAreaElement>("textbox", { name });
const button = (name: string) => within(part()).getByRole("button", { name });

beforeEach(() => history.replaceState(null, "", "#"));

describe("the door for mcp-b pages in the settings", () => {
  it("is off, and is turned on for a list of origins and places of the widget", async () => {
    const host = await show(state("first"), "#settings");
    await fireEvent.input(field("Origins of pages that may come"), {
      target: { value: " https://a.example \n\nhttps://b.example\nhttps://a.example" },
    });
    await fireEvent.input(field("Other places they take the widget from"), {
      target: { value: "https://cdn.example" },
    });
    await fireEvent.click(button("Turn this door on"));
    const asked = { origins: ["https://a.example", "https://b.example"], widgets: ["https://cdn.example"], port: 9333 };
    expect(host.sent("turn_mcp_b_on")).toEqual([asked]);
    expect(host.sent("save_settings")).toEqual([]);
  });

  it("says beside the fields why it could not be", async () => {
    const host = await show(state("first"), "#settings");
    host.answers["turn_mcp_b_on"] = () => {
      throw { code: "settings", message: "No page may come yet." };
    };
    await fireEvent.click(button("Turn this door on"));
    await painted();
    expect(within(part()).getByRole("alert").textContent).toContain("No page may come yet.");
    expect(field("Origins of pages that may come").getAttribute("aria-invalid")).toBe("true");
  });

  it("takes no port that there is not", async () => {
    const host = await show(state("first"), "#settings");
    for (const value of ["", "0", "65536"]) {
      await fireEvent.input(within(part()).getByRole("spinbutton", { name: "Port" }), { target: { value } });
      await fireEvent.click(button("Turn this door on"));
      expect(within(part()).getByRole("alert").textContent).toContain("from 1 to 65535");
    }
    expect(host.sent("turn_mcp_b_on")).toEqual([]);
  });

  it("says how many pages are connected and who was refused, and is turned off", async () => {
    const host = await show(state("mcp-b"), "#settings");
    expect(part().textContent).toContain("A page is connected");
    const said = within(part()).getByRole("status").textContent.replace(/\s+/g, " ").trim();
    expect(said).toBe(`Refused, 2 times in all: ${refusedOrigin.reason}`);
    expect(field("Origins of pages that may come").disabled).toBe(true);
    await fireEvent.click(button("Turn this door off"));
    expect(host.sent("turn_mcp_b_off")).toHaveLength(1);
  });

  it("says why it could not be turned on at the start", async () => {
    await show({ ...state("first"), mcpB: { pages: 0, problem: "The port is taken." } }, "#settings");
    expect(part().textContent).toContain("The port is taken.");
  });

  it("says what the door cannot hold", async () => {
    await show(state("first"), "#settings");
    for (const words of [/every tool is held as a write until you mark it/, /No request is seen or held/])
      expect(within(part()).getByText(words)).toBeTruthy();
  });
});

describe("a page with the mcp-b widget", () => {
  it("is named so beside its tools, and a tool it says nothing of can be marked as a read", async () => {
    await show(state("mcp-b"), "#tools");
    expect(screen.getByText("mcp-b")).toBeTruthy();
    expect(mcpBTab.tools.every(canBeMarked)).toBe(true);
  });
});
