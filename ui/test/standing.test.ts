import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import type { PanelState } from "../src/gen/contract";
import { panels } from "../src/host/sample/panels";
import { setNote } from "../src/host/sample/shop";
import { hideRule } from "../src/host/sample/standing";
import Panel from "../src/panel/Panel.svelte";
import { panelHost } from "./fake";

const state = (name: string): PanelState => {
  const made = panels[name];
  if (made === undefined) throw new Error(`there is no sample ${name}`);
  return made();
};

async function show(at: PanelState, hash = "") {
  location.hash = hash;
  const host = panelHost(at);
  render(Panel);
  await screen.findByRole("main");
  return host;
}

const button = (name: string | RegExp) => screen.getByRole("button", { name });

beforeEach(() => history.replaceState(null, "", "#"));

describe("revoking write tools", () => {
  it("is one switch, that says how it stands and gives them back", async () => {
    const host = await show(state("empty"));
    const control = screen.getByRole("switch", { name: "Revoke write tools" });
    expect(control.getAttribute("aria-checked")).toBe("false");
    expect(screen.queryByText(/Agents have no write tools since/)).toBeNull();
    await fireEvent.click(control);
    expect(host.sent("revoke_writes")).toEqual([{ revoked: true }]);
    await host.say("panel", state("revoked"));
    expect(control.getAttribute("aria-checked")).toBe("true");
    expect(screen.getByText(/Agents have no write tools since \d\d:\d\d\./)).toBeTruthy();
    expect(screen.getByText(/Reads still work/)).toBeTruthy();
    await fireEvent.click(control);
    expect(host.sent("revoke_writes").at(-1)).toEqual({ revoked: false });
  });

  it("says so in every view", async () => {
    await show(state("revoked"), "#settings");
    expect(screen.getByText(/Agents have no write tools since/)).toBeTruthy();
  });
});

describe("what is paused", () => {
  it("has one line, and a way to where it is decided", async () => {
    const host = await show(state("paused"));
    expect(screen.getByText(/is paused:/).textContent).toMatch(/qwen3 through Ollama.*12\s+wait, 37 turned away/s);
    await fireEvent.click(button("Show what is paused"));
    expect(host.sent("show_approval")).toEqual([{}]);
    expect(screen.queryByRole("button", { name: /hear|refuse/i })).toBeNull();
    await host.say("panel", state("paused-many"));
    expect(screen.getByText(/2 sources are paused/).parentElement?.textContent).toMatch(/949 turned away/);
  });
});

describe("rules", () => {
  it("say how they come to be while there are none", async () => {
    await show(state("empty"));
    await fireEvent.click(button("Rules"));
    expect(screen.getByText(/There are no rules\. Every write is held/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Revoke all/ })).toBeNull();
  });

  it("stand in the order in which they win, each with a sentence, its uses and its end", async () => {
    await show(state("rules"), "#rules");
    const names = screen.getAllByRole("article").map((one) => one.getAttribute("aria-label"));
    expect(names).toEqual(["Rule r4", "Rule r2", "Rule r5", "Rule r6", "Rule r3"]);
    const allows = screen.getByRole("article", { name: "Rule r3" });
    expect(allows.textContent).toMatch(/Until you revoke it, add_to_basket of \S+ runs without asking when product is/);
    expect(allows.textContent).toMatch(/used 2 times, last \d+ s ago.*3 uses left.*ends in 2\d min/);
  });

  it("open to everything that is known of them", async () => {
    await show(state("rules"), "#rules");
    const card = screen.getByRole("article", { name: "Rule r3" });
    const details = card.querySelector("details");
    if (details === null) throw new Error("a rule has particulars");
    details.open = true;
    await fireEvent(details, new Event("toggle"));
    expect(card.querySelector("dl")?.textContent).toMatch(
      /Arguments\s*product is\s+notebook\s*quantity is a number from 0 to\s+3\s*wrapping may be anything\s*Whose asks\s*those from the panel\s*Preview\s*only when the page says.*Uses\s*2\s*of 5.*on card\s*p11/s,
    );
  });

  it("are revoked one by one", async () => {
    const host = await show(state("rules"), "#rules");
    await fireEvent.click(button("Revoke rule r3"));
    await fireEvent.click(button("Show again: end rule r5"));
    expect(host.sent("revoke_rule")).toEqual([{ rule: "r3" }, { rule: "r5" }]);
  });

  it("are revoked together after asking once more, in place", async () => {
    const host = await show(state("rules"), "#rules");
    await fireEvent.click(button("Revoke all…"));
    const sure = screen.getByRole("group", { name: "Revoke all rules" });
    expect(sure.textContent).toMatch(/4 rules end now.*Hidden\s+tools stay hidden/s);
    expect(document.activeElement).toBe(within(sure).getByRole("button", { name: "Keep them" }));
    await fireEvent.click(within(sure).getByRole("button", { name: "Keep them" }));
    expect(host.sent("revoke_rule")).toEqual([]);
    await fireEvent.click(button("Revoke all…"));
    await fireEvent.click(button("Revoke all 4"));
    expect(host.sent("revoke_rule")).toEqual([{}]);
  });
});

describe("hidden tools", () => {
  const hidden = (): PanelState => {
    const at = state("empty");
    return { ...at, desk: { ...at.desk, rules: [hideRule(setNote.key)] } };
  };

  it("are hidden from their row, and marked there", async () => {
    const host = await show(state("empty"), "#tools");
    await fireEvent.click(button("Hide set_delivery_note from agents"));
    expect(host.sent("hide_tool")).toEqual([{ tool: setNote.key }]);
    expect(screen.queryByText("hidden from agents")).toBeNull();
    await host.say("panel", hidden());
    const row = screen.getByRole("article", { name: "set_delivery_note" });
    expect(within(row).getByText("hidden from agents")).toBeTruthy();
    expect(screen.getAllByText("hidden from agents")).toHaveLength(1);
    await fireEvent.click(button("Show set_delivery_note to agents again"));
    expect(host.sent("revoke_rule")).toEqual([{ rule: hideRule(setNote.key).id }]);
  });

  it("are put on the desk for one use, with exact arguments, and not run", async () => {
    const host = await show(hidden(), "#tools");
    await fireEvent.click(button("Grant one use of set_delivery_note"));
    const form = screen.getByRole("form", { name: "Grant one use of set_delivery_note" });
    await fireEvent.submit(form);
    expect(host.sent("grant_once")).toEqual([]);
    await fireEvent.input(within(form).getByRole("textbox", { name: /note/ }), { target: { value: "Ring twice" } });
    await fireEvent.submit(form);
    expect(host.sent("grant_once")).toEqual([{ tool: setNote.key, arguments: { note: "Ring twice" } }]);
    expect(host.sent("run_tool")).toEqual([]);
    expect(await screen.findByText("It waits in the approval window.")).toBeTruthy();
  });
});

describe("what a read changed without the network", () => {
  it("is said with what is known, and goes when it was seen", async () => {
    await show(state("changed"));
    expect(screen.getByText(/says that it only reads, and changed what its/)).toBeTruthy();
    expect(screen.getByText(/Another page of the site may have done it/)).toBeTruthy();
    expect(screen.getAllByText(/last-looked-at/)).toHaveLength(2);
    const [newest] = screen.getAllByRole("button", { name: "I have seen it" });
    if (newest) await fireEvent.click(newest);
    expect(screen.queryByText(/Another page of the site may have done it/)).toBeNull();
  });
});

describe("sites whose GET requests are held", () => {
  it("are given one a line, each once", async () => {
    const host = await show(state("empty"), "settings");
    const field = screen.getByLabelText("Hold GET requests of reads on these sites");
    await fireEvent.change(field, {
      target: { value: "https://a.example\n\n https://*.b.example \nhttps://a.example" },
    });
    await fireEvent.click(button("Save settings"));
    expect(host.sent("save_settings")).toMatchObject([
      {
        sites: [
          { origin: "https://a.example", gets: "hold" },
          { origin: "https://*.b.example", gets: "hold" },
        ],
      },
    ]);
  });
});
