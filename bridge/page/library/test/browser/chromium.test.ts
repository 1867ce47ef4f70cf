// What only a browser with WebMCP of its own can show, and what a browser with none at all must.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Chromium, type ChromiumTab, openChromium } from "./chromium";
import { serve, type Server } from "./server";

let server: Server;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.close());

describe("with WebMCP", () => {
  let browser: Chromium;
  let tab: ChromiumTab;
  beforeAll(async () => {
    browser = await openChromium({ webmcp: true });
    tab = await browser.tab();
    await tab.send("WebMCP.enable");
  });
  afterAll(() => browser.close());
  beforeEach(() => tab.go(server.page([])));

  test("an agent outside of the page gets the held answer, too", async () => {
    await tab.run(() => Countersign.createPage().propose(order).offered);
    const answered = new Promise<Record<string, unknown>>((resolve) => tab.on("WebMCP.toolResponded", resolve));
    const { frameTree } = (await tab.send("Page.getFrameTree")) as { frameTree: { frame: { id: string } } };
    await tab.send("WebMCP.invokeTool", {
      frameId: frameTree.frame.id,
      toolName: "place_order",
      input: { quantity: 1 },
    });
    const { status, output } = await answered;
    expect(status).toBe("Completed");
    expect(output).toMatchObject({ proposal: "p1", status: "held", changed: "nothing yet" });
  });

  const frame = (allow: string) =>
    tab.run(
      async (url, permission) => {
        const said = new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data), { once: true }));
        const frame = document.createElement("iframe");
        frame.allow = permission;
        frame.src = url;
        document.body.append(frame);
        const offered = await said;
        const context = (document as unknown as { modelContext: { getTools(of: object): Promise<{ name: string }[]> } })
          .modelContext;
        const [own, both] = [
          await context.getTools({}),
          await context.getTools({ fromOrigins: [new URL(url).origin] }),
        ];
        const names = [own, both].map((tools) => tools.map(({ name }) => name));
        return { offered, policy: Countersign.toolsPolicy(frame), names };
      },
      server.page(["exposed"], "localhost"),
      allow,
    );

  test("a tool is exposed to the page around it when both sides want that", async () => {
    expect(await frame("tools")).toEqual({ offered: "true", policy: "allowed", names: [[], ["balance"]] });
  });

  test("a frame without the policy can offer nothing, and the policy says so", async () => {
    const { offered, policy, names } = await frame("");
    expect(offered).toContain("NotAllowedError");
    expect(policy).toBe("disallowed");
    expect(names).toEqual([[], []]);
    expect(await tab.run(() => Countersign.toolsPolicy())).toBe("allowed");
  });

  test("only bare and secure origins can be named", async () => {
    const [fine, ...faults] = await tab.run(() =>
      ["https://partner.example", "https://partner.example/", "http://partner.example", "*", "null", "data:,x"].map(
        (origin) => {
          try {
            return Countersign.exposure(origin).join();
          } catch (error) {
            return (error as Error).name;
          }
        },
      ),
    );
    expect(fine).toBe("https://partner.example");
    expect(faults).toEqual(Array.from({ length: 5 }, () => "TypeError"));
  });
});

describe("without any WebMCP", () => {
  test("the page goes on, and is told that nothing is offered", async () => {
    const browser = await openChromium({ webmcp: false });
    try {
      const tab = await browser.tab();
      await tab.go(server.page([]));
      const offered = await tab.run(async () => {
        const page = Countersign.createPage();
        const read = page.read({ name: "price", description: "Price", execute: () => 1 });
        const phases = page.phases({ open: [order] });
        await phases.settled();
        return [await read.offered, await page.propose(order).offered, Countersign.toolsPolicy()];
      });
      expect(offered).toEqual([false, false, "unknown"]);
    } finally {
      await browser.close();
    }
  });
});
