// What a call costs more through the library than bare, in one run, both ways a call comes: from the page and from outside of it.
import { test } from "vitest";
import { type ChromiumTab, openChromium } from "../test/browser/chromium";
import { serve } from "../test/browser/server";

const CALLS = 2_000;
const WARM_UP = 200;

const quantile = (times: number[], share: number): number => {
  const sorted = [...times].sort((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
};

/** Microseconds of each call, by tool; the tools take turns. */
type Times = Record<string, number[]>;

const fromThePage = (tab: ChromiumTab, names: string[]): Promise<Times> =>
  tab.run(
    async (names, calls, warmUp) => {
      const tools = await listed();
      const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
      const context = (
        document as unknown as { modelContext: { executeTool(tool: unknown, args: object): Promise<unknown> } }
      ).modelContext;
      for (let count = -warmUp; count < calls; count += 1) {
        for (const name of names) {
          const begun = performance.now();
          await context.executeTool(tools[name], { quantity: 1 });
          if (count >= 0) times[name]?.push((performance.now() - begun) * 1_000);
        }
      }
      return times;
    },
    names,
    CALLS,
    WARM_UP,
  );

const fromOutside = async (tab: ChromiumTab, names: string[]): Promise<Times> => {
  const times: Times = Object.fromEntries(names.map((name) => [name, []]));
  const { frameTree } = (await tab.send("Page.getFrameTree")) as { frameTree: { frame: { id: string } } };
  let answered = () => {};
  tab.on("WebMCP.toolResponded", () => answered());
  for (let count = -WARM_UP; count < CALLS; count += 1) {
    for (const toolName of names) {
      const answer = new Promise<void>((resolve) => (answered = resolve));
      const begun = process.hrtime.bigint();
      await tab.send("WebMCP.invokeTool", { frameId: frameTree.frame.id, toolName, input: { quantity: 1 } });
      await answer;
      if (count >= 0) times[toolName]?.push(Number(process.hrtime.bigint() - begun) / 1_000);
    }
  }
  return times;
};

const print = (way: string, times: Times) => {
  for (const [name, one] of Object.entries(times)) {
    process.stdout.write(`| ${way} | ${name} | ${quantile(one, 0.5)} µs | ${quantile(one, 0.99)} µs |\n`);
  }
};

test("overhead", async () => {
  const server = await serve();
  const browser = await openChromium({ webmcp: true });
  try {
    const tab = await browser.tab();
    await tab.send("WebMCP.enable");
    await tab.go(`${server.page(["desk"])}&isolated`);
    await tab.run(async () => {
      const page = Countersign.createPage();
      const answer = { price: 5 };
      const bare = (name: string, annotations: object) => {
        const tool = { name, description: "Bare.", inputSchema: QUANTITY, annotations, execute: async () => answer };
        return (
          document as unknown as { modelContext: { registerTool(tool: object): Promise<void> } }
        ).modelContext.registerTool(tool);
      };
      await bare("bare-read", { readOnlyHint: true });
      await bare("bare-write", {});
      const definition = { description: "Of the library.", inputSchema: QUANTITY };
      await page.read({ ...definition, name: "library-read", execute: async () => answer }).offered;
      const preview = () => ({ before: 0, after: 1 });
      await page.propose({ ...definition, name: "library-write", preview, commit: async () => answer }).offered;
    });
    const names = ["bare-read", "library-read", "bare-write", "library-write"];
    process.stdout.write("| call from | tool | p50 | p99 |\n|---|---|---|---|\n");
    print("the page", await fromThePage(tab, names));
    print("outside (CDP)", await fromOutside(tab, names));
  } finally {
    await browser.close();
    server.close();
  }
});
