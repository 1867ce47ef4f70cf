// Tools without a desk: reads, previews, and the arguments of both.
import { beforeEach, expect, test } from "vitest";
import { inEachBrowser } from "./each";

inEachBrowser((here) => {
  beforeEach(() => here.tab.go(here.server.page(here.scripts)));

  test("WebMCP is the browser's own where it should be", async () => {
    await here.tab.go(here.server.page(here.scripts));
    const words = await here.tab.run(() => {
      const { modelContext } = document as { modelContext?: { registerTool: () => void } };
      return String(modelContext?.registerTool);
    });
    expect(words.includes("[native code]")).toBe(here.native);
  });

  test("a read runs at once and says that it reads", async () => {
    const seen = await here.tab.run(async () => {
      const page = Countersign.createPage();
      const read = page.read<{ quantity: number }>({
        name: "price",
        description: "Tells the price.",
        inputSchema: QUANTITY,
        execute: ({ quantity }) => ({ price: quantity * 5 }),
      });
      const offered = await read.offered;
      const { price } = await listed();
      return {
        offered,
        desk: page.desk,
        readOnly: price?.annotations?.readOnlyHint,
        answer: await call("price", { quantity: 2 }),
        names: Object.keys(await listed()),
      };
    });
    expect(seen).toEqual({
      offered: true,
      desk: false,
      readOnly: true,
      answer: '{"price":10}',
      names: ["price"],
    });
  });

  test("bad arguments are refused with every fault by its path, and nothing runs", async () => {
    const [read, write, preview] = await here.tab.run(async () => {
      const page = Countersign.createPage();
      const execute = () => {
        throw new Error("It ran.");
      };
      await page.read({ name: "price", description: "Price", inputSchema: QUANTITY, execute }).offered;
      await page.propose(order).offered;
      const args = { quantity: 11, note: 1, colour: "red" };
      return [await asked("price", args), await asked("place_order", {}), await asked("place_order.preview", args)];
    });
    const faults = [
      { path: "/quantity", message: "must be at most 10" },
      { path: "/note", message: "must be a text" },
      { path: "/colour", message: "is not allowed" },
    ];
    expect(read).toMatchObject({ status: "refused", why: "bad-arguments", changed: "nothing", faults });
    expect(write).toMatchObject({ status: "refused", faults: [{ path: "/quantity", message: "is missing" }] });
    expect(preview).toMatchObject({ before: null, after: null, risks: [], faults });
    expect(preview?.["fails"]).toContain("/quantity must be at most 10");
    expect(await here.tab.run(() => shop.previews)).toBe(0);
  });

  test("a keyword that is not checked makes the registration fail", async () => {
    const [words, names] = await here.tab.run(async () => {
      const inputSchema = { type: "object", properties: { at: { type: "string", format: "date" } } };
      try {
        Countersign.createPage().read({ name: "a", description: "A", inputSchema, execute: () => 1 });
      } catch (error) {
        return [String(error), Object.keys(await listed())] as const;
      }
      return ["", []] as const;
    });
    expect(words).toContain("SchemaError: The input schema at /properties/at/format uses a keyword");
    expect(names).toEqual([]);
  });

  test("what a read throws reaches the caller in words", async () => {
    const answer = await here.tab.run(async () => {
      const execute = () => Promise.reject(new Error("The shop is away."));
      await Countersign.createPage().read({ name: "price", description: "Price", execute }).offered;
      return asked("price");
    });
    expect(answer).toMatchObject({ status: "failed", changed: "nothing", message: "The shop is away." });
  });

  test("a preview answers in the desk's form and changes nothing", async () => {
    const [answer, tools, commits] = await here.tab.run(async () => {
      await Countersign.createPage().propose(order).offered;
      const answer = await asked("place_order.preview", { quantity: 2 });
      const { place_order: write, "place_order.preview": preview } = await listed();
      const schema = (tool: typeof write) => JSON.stringify(tool?.inputSchema);
      const same = schema(write) === schema(preview);
      return [
        answer,
        { same, reads: [write, preview].map((one) => one?.annotations?.readOnlyHint === true) },
        shop.commits,
      ] as const;
    });
    expect(answer).toEqual({
      summary: "2 mugs",
      before: { stock: 10 },
      after: { stock: 8 },
      cost: {
        items: [{ label: "Mugs", amount: "10", unit: "EUR" }],
        asOf: "2027-01-01T00:00:00.000Z",
        tolerance: "0.01",
      },
      risks: [{ level: "note", text: "It is paid at once." }],
    });
    expect(tools).toEqual({ same: true, reads: [false, true] });
    expect(commits).toEqual([]);
  });

  test("a preview that could not be made does not look like one that was", async () => {
    const answers = await here.tab.run(async () => {
      const page = Countersign.createPage();
      const throws = () => Promise.reject(new Error("The shop is away."));
      await page.propose({ ...order, name: "one", preview: throws }).offered;
      await page.propose({ ...order, name: "two", preview: () => ({ fails: "Sold out." }) }).offered;
      await page.propose({ ...order, name: "three", preview: () => ({ after: 1, cost: 5 }) as never }).offered;
      return Promise.all(["one", "two", "three"].map((name) => asked(`${name}.preview`, { quantity: 1 })));
    });
    expect(answers).toMatchObject([
      { isError: true, content: [{ type: "text", text: "The shop is away." }] },
      { fails: "Sold out.", before: null, after: null },
      { isError: true, content: [{ text: "The preview is not in the agreed form: /cost must be an object." }] },
    ]);
  });
});
