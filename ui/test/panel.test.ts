import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import type { PanelState } from "../src/gen/contract";
import { panels } from "../src/host/sample/panels";
import { addToBasket, placeOrder, tool } from "../src/host/sample/shop";
import Panel from "../src/panel/Panel.svelte";
import { toolChip } from "../src/panel/tool";
import { moreExamples } from "../src/words/examples";
import { panelHost, painted } from "./fake";

const state = (name: string): PanelState => {
  const made = panels[name];
  if (made === undefined) throw new Error(`there is no sample ${name}`);
  return made();
};

async function show(at: PanelState, hash = "") {
  location.hash = hash;
  const host = panelHost(at);
  const { container } = render(Panel);
  await screen.findByRole("main");
  return { host, container };
}

beforeEach(() => history.replaceState(null, "", "#"));

describe("door states", () => {
  it.each([
    ["no-browser", "No browser found", "Look again"],
    ["exited", "Browser closed", "Start again"],
    ["crashed", "Browser stopped", "Start again"],
  ])("names %s and offers the way on", async (name, words, button) => {
    const { host } = await show(state(name));
    expect(screen.getByText(words)).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: button }));
    expect(host.sent("open_example")).toHaveLength(1);
  });

  it("gives the command that installs a browser", async () => {
    await show(state("no-browser"));
    expect(screen.getByText("sudo apt install chromium")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Copy the install command" })).toBeTruthy();
  });

  it("names a browser that is starting, and counts pages and tools of an open one", async () => {
    const { host } = await show(state("starting"));
    expect(screen.getByText("Starting the browser")).toBeTruthy();
    await host.say("panel", state("empty"));
    expect(screen.getByText("2 pages, 9 tools")).toBeTruthy();
  });

  it("starts again where the person was", async () => {
    const { host } = await show(state("empty"));
    await host.say("panel", state("crashed"));
    await fireEvent.click(screen.getByRole("button", { name: "Start again" }));
    expect(host.sent("open_url")).toEqual([{ url: "http://127.0.0.1:5620/shop/" }]);
  });
});

describe("conversation", () => {
  it("shows text as it streams, and stops the turn", async () => {
    const first = state("streaming");
    const { host } = await show(first);
    expect(screen.getByText(/14 are in$/)).toBeTruthy();
    const entries = first.conversation.entries.map((entry) =>
      entry.item.kind === "text" ? { ...entry, item: { ...entry.item, text: `${entry.item.text} stock.` } } : entry,
    );
    await host.say("panel", { ...first, conversation: { entries, running: true } });
    expect(screen.getByText(/14 are in stock\.$/)).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Stop" }));
    expect(host.sent("cancel_turn")).toHaveLength(1);
  });

  it("sends by Enter and not by Shift+Enter", async () => {
    const { host } = await show(state("empty"));
    const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
    await fireEvent.input(box, { target: { value: "Order a pen" } });
    await fireEvent.keyDown(box, { key: "Enter", shiftKey: true });
    expect(host.sent("send_prompt")).toEqual([]);
    await fireEvent.keyDown(box, { key: "Enter" });
    expect(host.sent("send_prompt")).toEqual([{ text: "Order a pen" }]);
    expect(box.value).toBe("");
  });

  it("gives the prompt back when it could not be sent", async () => {
    const { host } = await show(state("empty"));
    host.answers["send_prompt"] = () => {
      throw { code: "busy", message: "A turn is running already." };
    };
    const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
    await fireEvent.input(box, { target: { value: "Order a pen" } });
    await fireEvent.keyDown(box, { key: "Enter" });
    expect((await screen.findByRole("alert")).textContent).toContain("A turn is running already.");
    expect(box.value).toBe("Order a pen");
  });

  it("says that a held write waits elsewhere, and has no way to release it here", async () => {
    const { host } = await show(state("held"));
    const card = screen.getByRole("article", { name: "Call of place_order" });
    expect(within(card).getByText(/Waiting in the approval window/)).toBeTruthy();
    await fireEvent.click(within(card).getByRole("button", { name: "Show" }));
    await fireEvent.click(within(card).getByRole("button", { name: "Withdraw" }));
    await fireEvent.click(screen.getByRole("button", { name: "2 waiting" }));
    expect(host.sent("show_approval")).toEqual([{ proposal: "p3" }, {}]);
    expect(host.sent("withdraw")).toEqual([{ proposal: "p3" }]);
    expect(screen.queryByRole("button", { name: /release/i })).toBeNull();
    expect(host.calls.some(({ command }) => command.startsWith("approval_"))).toBe(false);
  });

  it("tells a write that a rule released from one that was pressed", async () => {
    const { host } = await show(state("by-rule"));
    const card = () => screen.getByRole("article", { name: "Call of place_order" }).textContent;
    expect(card()).toContain("Nobody was asked: rule r1 released it.");
    await host.say("panel", state("decided"));
    expect(card()).not.toContain("Nobody was asked");
  });

  it("shows a write that the page’s own gate holds as neither done nor failed", async () => {
    await show(state("page-waits"));
    const card = screen.getByRole("article", { name: "Call of place_order" });
    expect(within(card).getByText("Waits at the page")).toBeTruthy();
    expect(card.textContent).toContain("the page’s own gate is waiting: it has neither succeeded nor failed");
    expect(within(card).queryByText("Done")).toBeNull();
  });

  it("tells the end of a write and how a turn stopped or failed", async () => {
    const { host } = await show(state("decided"));
    expect(within(screen.getByRole("article", { name: "Call of place_order" })).getByText("Done")).toBeTruthy();
    await host.say("panel", state("failed"));
    expect(screen.getByText("Stopped")).toBeTruthy();
    expect(screen.getByText(/Start it, or pick another model/)).toBeTruthy();
  });

  it("draws hostile text as text", async () => {
    const { container } = await show(state("hostile"));
    expect(container.querySelector("script, img, a")).toBeNull();
    expect(container.textContent).toContain("<img src=x onerror=alert(1)> [U+202E]esrever[U+202C]");
  });
});

describe("the empty panel", () => {
  it("opens the example, or any address", async () => {
    const { host } = await show(state("first"));
    await fireEvent.click(screen.getByRole("button", { name: "Open the example" }));
    expect(host.sent("open_example")).toEqual([{ example: "shop" }]);
    const field = screen.getByRole("textbox", { name: /open any page/i });
    for (const [typed, url] of [
      ["shop.example/a b", "https://shop.example/a%20b"],
      ["localhost:3000", "http://localhost:3000/"],
    ]) {
      await fireEvent.input(field, { target: { value: typed } });
      await fireEvent.submit(field);
      expect(host.sent("open_url").at(-1)).toEqual({ url });
    }
    await fireEvent.input(field, { target: { value: "javascript:alert(1)" } });
    await fireEvent.submit(field);
    expect(host.sent("open_url")).toHaveLength(2);
    expect(field.getAttribute("aria-invalid")).toBe("true");
  });

  it("has more examples, each with a line of its own", async () => {
    const { host } = await show(state("first"));
    for (const [name, { title, line }] of Object.entries(moreExamples)) {
      expect(screen.getByText(line)).toBeTruthy();
      await fireEvent.click(screen.getByRole("button", { name: `Open the example ${title}`, hidden: true }));
      expect(host.sent("open_example").at(-1)).toEqual({ example: name });
    }
  });

  it("says which model there is and leads to picking one", async () => {
    await show(state("first"));
    expect(screen.getByText(/Run a tool by hand, or pick a model/)).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Pick a model" }));
    expect(screen.getByRole("combobox", { name: "Provider" })).toBeTruthy();
  });
});

describe("a page is open", () => {
  it("leads to its tools when there is no model", async () => {
    await show(state("by-hand"));
    await fireEvent.click(screen.getByRole("button", { name: "See the tools" }));
    expect(screen.getByRole("article", { name: "place_order" })).toBeTruthy();
  });

  it("says so when it offers none", async () => {
    await show(state("bare"));
    expect(screen.getByText("The open page offers no tools.")).toBeTruthy();
  });
});

describe("tools", () => {
  it("runs one by hand with the values of its form", async () => {
    const { host } = await show(state("empty"), "#tools");
    await fireEvent.click(screen.getByRole("button", { name: "Run place_order by hand" }));
    const form = screen.getByRole("form", { name: "Run place_order" });
    await fireEvent.submit(form);
    expect(within(form).getAllByText("Needed.")).toHaveLength(2);
    expect(host.sent("run_tool")).toEqual([]);
    await fireEvent.change(within(form).getByRole("combobox", { name: /product/ }), { target: { value: "6" } });
    await fireEvent.input(within(form).getByRole("textbox", { name: /quantity/ }), { target: { value: "3" } });
    await fireEvent.submit(form);
    expect(host.sent("run_tool")).toEqual([{ tool: placeOrder.key, arguments: { product: "pen", quantity: 3 } }]);
  });

  it("names a read that quotes what a write costs, for this definition only", async () => {
    const first = state("empty");
    const { host } = await show(first, "#tools");
    expect(screen.queryByRole("button", { name: "Price place_order by a read" })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Price add_to_basket by a read" }));
    const form = screen.getByRole("form", { name: "Price of add_to_basket" });
    const choose = async (list: string, words: string) => {
      const box = within(form).getByRole("combobox", { name: list });
      const option = within(box).getByRole<HTMLOptionElement>("option", { name: words });
      await fireEvent.change(box, { target: { value: option.value } });
    };
    await choose("Read that tells the price", "check_stock");
    await choose("Its argument product", "product of the write");
    await fireEvent.input(within(form).getByRole("textbox", { name: "Where the amount is" }), {
      target: { value: "/total" },
    });
    await fireEvent.input(within(form).getByRole("textbox", { name: "Unit" }), { target: { value: "EUR" } });
    await fireEvent.submit(form);
    const { name, digest, page } = addToBasket;
    const quote = {
      read: "check_stock",
      arguments: [{ name: "product", from: "/product" }],
      amount: "/total",
      unit: "EUR",
    };
    const kept = { origin: page.origin, tool: name, digest, quote, photographs: [] };
    expect(host.sent("set_beside")).toEqual([kept]);
    await host.say("panel", { ...first, settings: { ...first.settings, beside: [kept] } });
    expect(screen.getByText("priced by a read")).toBeTruthy();
    await host.say("panel", { ...first, settings: { ...first.settings, beside: [{ ...kept, digest: "0" }] } });
    expect(screen.queryByText("priced by a read")).toBeNull();
  });

  it("names reads that are asked before and after a write, and leaves its price as it is", async () => {
    const first = state("empty");
    const { name, digest, page } = addToBasket;
    const quote = { read: "check_stock", arguments: [], amount: "", unit: "EUR" };
    const kept = { origin: page.origin, tool: name, digest, quote, photographs: [] };
    const { host } = await show({ ...first, settings: { ...first.settings, beside: [kept] } }, "#tools");
    expect(screen.queryByRole("button", { name: "Compare reads before and after check_stock" })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Compare reads before and after add_to_basket" }));
    const form = screen.getByRole("form", { name: "Reads compared around add_to_basket" });
    await fireEvent.click(within(form).getByRole("checkbox", { name: "check_stock" }));
    await fireEvent.submit(form);
    const photographs = [{ read: "check_stock", arguments: [{ name: "product", from: "/product" }] }];
    expect(host.sent("set_beside")).toEqual([{ ...kept, photographs }]);
    await host.say("panel", { ...first, settings: { ...first.settings, beside: [{ ...kept, photographs }] } });
    expect(screen.getByText("measured by 1")).toBeTruthy();
  });

  it("tells reads, writes, forms and unheld tools apart", async () => {
    expect(toolChip(tool("a", { hints: { readOnly: true } })).words).toBe("read");
    expect(toolChip(tool("get_everything")).words).toBe("write");
    expect(toolChip(tool("c", { hints: { readOnly: true }, source: "form" })).words).toBe("form");
    expect(toolChip(tool("d", { hints: { readOnly: true }, source: "unwrapped" })).words).toBe("write");
    await show(state("empty"), "#tools");
    expect(within(screen.getByRole("article", { name: "legacy_export" })).getByText("unheld")).toBeTruthy();
    expect(screen.queryByRole("article", { name: "place_order.preview" })).toBeNull();
    expect(within(screen.getByRole("article", { name: "place_order" })).getByText("previewed")).toBeTruthy();
  });
});

describe("more examples", () => {
  it("are listed with the tools as well", async () => {
    const { host } = await show(state("empty"), "#tools");
    await fireEvent.click(
      screen.getByRole("button", { name: `Open the example ${moreExamples.room.title}`, hidden: true }),
    );
    expect(host.sent("open_example")).toEqual([{ example: "room" }]);
  });
});

describe("settings", () => {
  it("saves what was chosen", async () => {
    const { host } = await show(state("first"), "#settings");
    await fireEvent.change(screen.getByRole("combobox", { name: "Provider" }), {
      target: { value: "openai-compatible" },
    });
    await fireEvent.input(screen.getByRole("textbox", { name: "Base address" }), {
      target: { value: "http://127.0.0.1:8080/v1" },
    });
    await fireEvent.input(screen.getByRole("textbox", { name: "Model" }), { target: { value: "tiny" } });
    await fireEvent.click(screen.getByRole("button", { name: "Save settings" }));
    expect(host.sent("save_settings")).toMatchObject([
      {
        provider: "openai-compatible",
        providerChosen: true,
        openaiCompatibleUrl: "http://127.0.0.1:8080/v1",
        openaiCompatibleModel: "tiny",
        roundLimit: 12,
      },
    ]);
  });

  it("adds, replaces and removes a descriptor", async () => {
    const first = state("first");
    const known = [{ by: "countersign" as const, origin: "http://127.0.0.1:5620", tool: "place_order" }];
    const { host } = await show({ ...first, desk: { ...first.desk, descriptors: known } }, "#settings");
    expect(screen.getByText("by Countersign")).toBeTruthy();
    const box = screen.getByRole("textbox", { name: "Add a descriptor" });
    const add = async (text: string) => {
      await fireEvent.input(box, { target: { value: text } });
      await fireEvent.click(screen.getByRole("button", { name: "Add descriptor" }));
    };
    const saved = async () => {
      await fireEvent.click(screen.getByRole("button", { name: "Save settings" }));
      await painted();
      return (host.sent("save_settings").at(-1) as { descriptors: string[] }).descriptors;
    };
    host.answers["save_settings"] = () => {
      throw { code: "settings", message: "Descriptor 1 was not taken" };
    };
    for (const wrong of ["{", "[1]", '{"tool":"pay"}']) {
      await add(wrong);
      expect(box.getAttribute("aria-invalid")).toBe("true");
    }
    const text = (label: string) => JSON.stringify({ tool: "pay", origin: "https://a.example", label });
    await add(text("one"));
    await add(text("two"));
    expect(await saved()).toEqual([text("two")]);
    await fireEvent.click(screen.getByRole("button", { name: "Remove the descriptor of pay" }));
    expect(await saved()).toEqual([]);
  });

  it("takes a key, never shows it, and says where keys are kept", async () => {
    const { host } = await show(state("first"), "#settings");
    await fireEvent.change(screen.getByRole("combobox", { name: "Provider" }), { target: { value: "openai" } });
    const field = screen.getByLabelText<HTMLInputElement>("Key");
    expect(field.type).toBe("password");
    expect(screen.getByText(/Kept in memory until Countersign ends, because no secret service answers/)).toBeTruthy();
    await fireEvent.input(field, { target: { value: "sk-secret" } });
    await fireEvent.click(screen.getByRole("button", { name: "Store" }));
    await painted();
    expect(host.sent("set_key")).toEqual([{ provider: "openai", key: "sk-secret" }]);
    expect(field.value).toBe("");
  });

  it("lists the models of the server, or says why it cannot", async () => {
    const { host } = await show(state("empty"), "#settings");
    host.answers["list_models"] = () => {
      throw { code: "model-unreachable", message: "Nothing answers there." };
    };
    await fireEvent.click(screen.getByRole("button", { name: "List models" }));
    expect(await screen.findByText("Nothing answers there.")).toBeTruthy();
    host.answers["list_models"] = () => [
      { name: "qwen3:8b", tools: true },
      { name: "gemma3:4b", tools: false },
    ];
    await fireEvent.click(screen.getByRole("button", { name: "List models" }));
    expect(await screen.findByRole("option", { name: "gemma3:4b (cannot call tools)" })).toBeTruthy();
    expect(host.sent("list_models").at(-1)).toEqual({ provider: "ollama", url: "http://127.0.0.1:11434" });
  });
});
