// What the write-up of claustrum claims of behaviour, against our example `portfolio` and, where it is named, `access`.
// docs/seeds.md lists the claims that are about the desk with the tests that hold them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Chromium, type ChromiumTab, openChromium } from "../../bridge/page/library/test/browser/chromium";
import { differences } from "../../bridge/page/examples/held/leaves.js";
import { record } from "../../bridge/page/examples/held/record.js";
import { type ExampleSite, serveExamples } from "./example-site";
import { ask, exampleTab, openExample, press, proposeTo, seenText, standing } from "./example-tab";

let site: ExampleSite;
let browser: Chromium;
let tab: ChromiumTab;
beforeAll(async () => {
  site = await serveExamples();
  browser = await openChromium({ webmcp: true });
  // What nobody caught, kept for the case that looks at it.
  const before = `window.uncaught = []; addEventListener("unhandledrejection", (event) => uncaught.push(String(event.reason)));`;
  tab = await exampleTab(browser, { before });
});
afterAll(async () => {
  await browser.close();
  site.close();
});

const CHEAP = { asset: "ORE", amount: "7250", route: "quay" };
const DEAR = { asset: "MOSS", amount: "2750000", route: "split" };
/** The market stands still until it is told to go on. */
const portfolio = () => openExample(tab, site.at("portfolio", "?still"), "sell");
const forget = () => tab.run(() => sessionStorage.clear());
const access = () => openExample(tab, site.at("access"), "revoke_key");
const names = () => tab.run(async () => Object.keys(await listed()).sort());
interface Item {
  label: string;
  amount: string;
  unit: string;
  of: string;
}
const costOf = async (args: object) => {
  const { cost } = (await ask(tab, "sell.preview", args)) as { cost: { items: Item[] } };
  return cost.items;
};

describe("what is held", () => {
  beforeEach(portfolio);

  test("An agent can read freely: a read runs at once.", async () => {
    const { positions, total } = await ask(tab, "list_positions");
    expect(positions).toContainEqual(expect.objectContaining({ asset: "ORE", amount: "14500" }));
    expect(total).toMatch(/^\d+\.\d\d USD$/);
    expect(await ask(tab, "list_proposals")).toEqual({ proposals: [] });
  });

  test("An agent cannot change anything: a call that would alter something changes nothing until it is released.", async () => {
    const before = await ask(tab, "list_positions");
    await proposeTo(tab, "sell", CHEAP);
    const after = await ask(tab, "list_positions");
    expect({ ...after, asOf: "" }).toEqual({ ...before, asOf: "" });
  });

  test("Read tools register with readOnlyHint true and propose tools without it.", async () => {
    const hints = await tab.run(async () =>
      Object.fromEntries(
        Object.values(await listed()).map(({ name, annotations }) => [name, annotations?.readOnlyHint === true]),
      ),
    );
    expect(hints).toEqual({
      list_positions: true,
      quote: true,
      market_depth: true,
      list_routes: true,
      list_proposals: true,
      check_proposal: true,
      "sell.preview": true,
      "swap.preview": true,
      sell: false,
      swap: false,
    });
  });

  test("A propose tool changes nothing when called and returns a proposal id that is held, neither success nor failure.", async () => {
    expect(await ask(tab, "sell", CHEAP)).toEqual({
      proposal: "p1",
      status: "held",
      changed: "nothing yet",
      note: expect.stringMatching(/neither succeeded nor failed\. Do not call the tool again/),
    });
  });

  test("check_proposal of a held proposal says that it still waits and is not to be retried.", async () => {
    const { proposal } = await proposeTo(tab, "sell", CHEAP);
    const answer = await ask(tab, "check_proposal", { proposal });
    expect(answer).toMatchObject({ status: "held", changed: "nothing yet" });
    expect(answer["note"]).toMatch(/still waits.*Do not call the tool again/);
  });

  test("The page shows the exact before and after and what the action would cost, then waits.", async () => {
    const { proposal } = await proposeTo(tab, "sell", { ...CHEAP, least: "740000" });
    const { before, after, cost } = (await ask(tab, "sell.preview", { ...CHEAP, least: "740000" })) as {
      before: Record<string, string>;
      after: Record<string, string>;
      cost: { items: Item[]; tolerance: string };
    };
    expect([before["ORE"], after["ORE"]]).toEqual(["14500", "7250"]);
    const card = (await seenText(tab, `#card-${proposal}`)).replaceAll(" ", "");
    for (const text of [before["ORE"], after["ORE"], before["USD"], after["USD"]]) {
      expect(card).toContain(String(text).replaceAll(" ", ""));
    }
    for (const { amount, of } of cost.items) for (const text of [amount, of ?? amount]) expect(card).toContain(text);
    expect(card).toContain("beyond2%ofchangeitisheldagain");
    expect(card).toContain("Quotedbythispagefromthesimulateddepth");
  });

  test("You release it, and the trade is made once.", async () => {
    const { proposal } = await proposeTo(tab, "sell", CHEAP);
    await press(tab, proposal, "release");
    const { result } = await standing(tab, proposal, "committed");
    expect(JSON.parse(result as string)).toMatchObject({ given: "7250 ORE" });
    const { positions } = (await ask(tab, "list_positions")) as { positions: { asset: string; amount: string }[] };
    expect(positions.find(({ asset }) => asset === "ORE")?.amount).toBe("7250");
    expect(await seenText(tab, "#trades")).toContain("7 250 ORE");
    expect(await tab.run(() => document.querySelectorAll("#trades li").length)).toBe(1);
    expect(await tab.run((id) => document.getElementById(`card-${id}`), proposal)).toBeNull();
  });

  test("You refuse it with a reason, and the reason travels back to the agent.", async () => {
    const { proposal } = await proposeTo(tab, "sell", CHEAP);
    await tab.press(`#${proposal}-reason`);
    await tab.send("Input.insertText", { text: "Wait for the end of the month." });
    await press(tab, proposal, "refuse");
    expect(await standing(tab, proposal, "refused")).toMatchObject({
      changed: "nothing",
      reason: "Wait for the end of the month.",
    });
  });

  test("It works under any agent: one outside of the page gets the held answer, too.", async () => {
    await tab.send("WebMCP.enable");
    const answered = new Promise<Record<string, unknown>>((resolve) => tab.on("WebMCP.toolResponded", resolve));
    const { frameTree } = (await tab.send("Page.getFrameTree")) as { frameTree: { frame: { id: string } } };
    await tab.send("WebMCP.invokeTool", { frameId: frameTree.frame.id, toolName: "sell", input: CHEAP });
    expect((await answered)["output"]).toMatchObject({ status: "held", changed: "nothing yet" });
  });

  test("Settled proposals survive a reload, and held ones do not.", async () => {
    await forget();
    const settled = await proposeTo(tab, "sell", CHEAP);
    await press(tab, settled.proposal, "refuse");
    await standing(tab, settled.proposal, "refused");
    await proposeTo(tab, "sell", DEAR);
    await portfolio();
    expect(await ask(tab, "list_proposals")).toEqual({ proposals: [] });
    expect(await seenText(tab, "#held .waiting")).toBe("");
    const over = await seenText(tab, "#held .over");
    expect(over).toContain("Before the page was loaded again: Sell 7 250 ORE");
    expect(over).not.toContain("MOSS");
  });
});

describe("what it costs", () => {
  beforeEach(portfolio);

  test("The same call can cost a small part of a per cent or most of the position.", async () => {
    const [cheap, dear] = [await costOf(CHEAP), await costOf(DEAR)];
    expect(cheap.map(({ label }) => label)).toEqual(dear.map(({ label }) => label));
    const share = ([lost]: Item[]) => (Number(lost?.amount) / Number(lost?.of)) * 100;
    expect(share(cheap)).toBeLessThan(0.1);
    expect(share(dear)).toBeGreaterThan(50);
    const { risks } = (await ask(tab, "sell.preview", DEAR)) as { risks: { level: string }[] };
    expect(risks.filter(({ level }) => level === "critical").length).toBe(2);
  });

  test("From the agent's side the cheap and the ruinous call are indistinguishable.", async () => {
    const [one, other] = [await ask(tab, "sell", CHEAP), await ask(tab, "sell", DEAR)];
    expect({ ...one, proposal: "", note: "" }).toEqual({ ...other, proposal: "", note: "" });
  });

  test("An agent can ask what a sale costs before it proposes it, and the card says the same.", async () => {
    const { cost } = await ask(tab, "quote", DEAR);
    const [lost] = await costOf(DEAR);
    expect(cost).toBe(`${lost?.amount} USD`);
  });

  test("The cost of one call varies as the depth moves.", async () => {
    const before = await costOf(CHEAP);
    await tab.press("#drain");
    const after = await costOf(CHEAP);
    expect(Number(after[0]?.amount)).toBeGreaterThan(Number(before[0]?.amount) * 1.2);
  });

  test("A price that moved past its tolerance while the card waited holds the release again and runs nothing.", async () => {
    const { proposal } = await proposeTo(tab, "sell", CHEAP);
    await tab.press("#drain");
    expect(await seenText(tab, `#card-${proposal} .live`)).toContain("beyond what may move");
    await press(tab, proposal, "release");
    await tab.run((id) => until(() => document.querySelector(`#card-${id} .moved`)), proposal);
    const { status, moved } = await ask(tab, "check_proposal", { proposal });
    expect({ status, what: (moved as { what: string }[])[0]?.what }).toEqual({ status: "held", what: "cost" });
    expect(await tab.run(() => document.querySelectorAll("#trades li").length)).toBe(0);
    await press(tab, proposal, "release");
    await standing(tab, proposal, "committed");
  });

  test("Prices move while a card waits, and the card says how it stands now.", async () => {
    const { proposal } = await proposeTo(tab, "sell", CHEAP);
    const now = () => seenText(tab, `#card-${proposal} .live`);
    const before = await now();
    await tab.press("#pause");
    await tab.run(() => until(() => document.getElementById("clock")?.textContent?.includes("tick 1;")));
    const after = await now();
    expect(after).not.toBe(before);
    await tab.press("#jump");
    expect(await now()).toContain("beyond what may move");
    expect(await seenText(tab, "#clock")).toContain("No price here is a real one.");
  });

  test("What brings less than the least that was named fails, also when the price falls after it was proposed.", async () => {
    const args = { ...CHEAP, least: "749000" };
    const { proposal } = await proposeTo(tab, "sell", args);
    expect((await ask(tab, "sell.preview", args))["fails"]).toBeUndefined();
    await tab.press("#drain");
    await tab.press("#drain");
    await tab.press("#drain");
    expect((await ask(tab, "sell.preview", args))["fails"]).toMatch(/not enough depth|less than the 749000/);
    await press(tab, proposal, "release");
    await tab.run((id) => until(() => document.querySelector(`#card-${id} .moved`)), proposal);
    expect(await tab.run(() => document.querySelectorAll("#trades li").length)).toBe(0);
  });

  test("What has no price is not measured, and is left out of the total instead of counted as zero.", async () => {
    const { positions, notInTheTotal, total, cash } = (await ask(tab, "list_positions")) as {
      positions: { asset: string; value: string }[];
      notInTheTotal: string[];
      total: string;
      cash: string;
    };
    expect(positions.find(({ asset }) => asset === "GLIM")?.value).toBe("not measured");
    expect(notInTheTotal).toEqual(["GLIM"]);
    const cents = (text: string) => BigInt(text.replace(" USD", "").replace(".", ""));
    const priced = positions.filter(({ value }) => value !== "not measured").map(({ value }) => cents(value));
    const sum = [cents(cash), ...priced].reduce((one, other) => one + other);
    const gap = cents(total) - sum;
    // Each value is rounded to cents by itself, and the total once.
    expect(gap >= -2n && gap <= 2n).toBe(true);
    expect(await seenText(tab, "#not-measured")).toBe("without GLIM: not measured");
    expect(await ask(tab, "quote", { asset: "GLIM", amount: "1", route: "split" })).toMatchObject({
      fails: "No venue trades GLIM.",
    });
  });

  test("The legs of a route add up to exactly what is traded.", async () => {
    const { legs } = (await ask(tab, "quote", { asset: "TIDE", amount: "95999.999999", route: "split" })) as {
      legs: { venue: string; amount: string }[];
    };
    const millionths = ({ amount }: { amount: string }) => {
      const [whole = "", fraction = ""] = amount.split(".");
      return BigInt(whole + fraction.padEnd(6, "0"));
    };
    expect(legs.length).toBe(3);
    expect(legs.map(millionths).reduce((one, other) => one + other)).toBe(95_999_999_999n);
  });

  test("No figure in an answer is a float: money and amounts are decimal text.", async () => {
    const answers = [
      await ask(tab, "list_positions"),
      await ask(tab, "quote", CHEAP),
      await ask(tab, "market_depth", { asset: "MOSS" }),
      await ask(tab, "sell.preview", CHEAP),
    ];
    const numbers: number[] = [];
    JSON.stringify(answers, (_, value: unknown) => {
      if (typeof value === "number") numbers.push(value);
      return value;
    });
    expect(numbers).toEqual([]);
  });
});

describe("arguments", () => {
  beforeEach(portfolio);

  test("Missing fields, wrong types, negative numbers and undeclared properties are answered by a structured refusal.", async () => {
    const faulty = [{}, { ...CHEAP, amount: 7250 }, { ...CHEAP, amount: "-1" }, { ...CHEAP, colour: "red" }];
    const paths = [];
    for (const args of faulty) {
      const answer = (await ask(tab, "sell", args)) as { status: string; changed: string; faults: { path: string }[] };
      expect(answer).toMatchObject({ status: "refused", why: "bad-arguments", changed: "nothing" });
      paths.push(answer.faults.map(({ path }) => path).join(" "));
    }
    expect(paths).toEqual(["/asset /amount /route", "/amount", "/amount", "/colour"]);
    expect(await ask(tab, "list_proposals")).toEqual({ proposals: [] });
  });
});

describe("write tools that are taken away", () => {
  beforeEach(portfolio);
  const toggle = async () => {
    await tab.press("#writes");
    await tab.run(() => until(() => !(document.getElementById("writes") as HTMLButtonElement).disabled));
  };

  test("Taking the write tools away leaves the agent with read-only tools, and another click restores them.", async () => {
    const all = await names();
    await toggle();
    const left = await names();
    expect(left).toEqual(all.filter((name) => !/^(sell|swap)/.test(name)));
    const hints = await tab.run(async () =>
      Object.values(await listed()).map(({ annotations }) => annotations?.readOnlyHint),
    );
    expect(hints.every((hint) => hint === true)).toBe(true);
    await toggle();
    expect(await names()).toEqual(all);
  });

  test("Cycles of taking away and restoring leave the number of tools as it was.", async () => {
    const all = await names();
    for (let round = 0; round < 6; round += 1) await toggle();
    expect(await names()).toEqual(all);
  });

  test("Taking the write tools away leaves no unhandled rejection behind.", async () => {
    await toggle();
    await toggle();
    expect(await tab.run(() => (window as unknown as { uncaught: string[] }).uncaught)).toEqual([]);
  });

  test("What waits when its tool is taken away is withdrawn and not run.", async () => {
    const { proposal } = await proposeTo(tab, "sell", CHEAP);
    await toggle();
    expect(await standing(tab, proposal, "withdrawn")).toMatchObject({ changed: "nothing" });
  });
});

describe("the access console", () => {
  beforeEach(access);

  test("The destructive calls have no money in them, and their impact is counted in breakage against a real denominator.", async () => {
    const { cost, risks, summary } = (await ask(tab, "revoke_key.preview", { key: "payments" })) as {
      cost: { items: Item[]; tolerance: string };
      risks: { level: string; text: string }[];
      summary: string;
    };
    const tiles = await tab.run(() => document.querySelectorAll("#services .tile").length);
    const [stops] = cost.items;
    expect(stops).toMatchObject({ unit: "services", of: String(tiles) });
    expect(summary).toBe(`Revoke the key payments: ${stops?.amount} services of ${tiles} stop`);
    expect(risks[0]).toMatchObject({ level: "critical", text: expect.stringContaining("checkout") });
  });

  test("What is counted is what then stops.", async () => {
    const { cost } = (await ask(tab, "revoke_key.preview", { key: "payments" })) as { cost: { items: Item[] } };
    const { proposal } = await proposeTo(tab, "revoke_key", { key: "payments" });
    await press(tab, proposal, "release");
    await standing(tab, proposal, "committed");
    const down = await tab.run(() => document.querySelectorAll("#services .tile.stopped").length);
    expect(String(down)).toBe(cost.items[0]?.amount);
    expect(await seenText(tab, "#running")).toBe(`${52 - down} of 52`);
    const { usedBy, neededThrough } = (await ask(tab, "key_uses", { key: "payments" })) as Record<string, unknown[]>;
    expect((usedBy?.length ?? 0) + (neededThrough?.length ?? 0)).toBe(down);
  });

  test("Removing a role names what loses its only keeper.", async () => {
    const { cost, after } = (await ask(tab, "remove_role.preview", { member: "on-call", role: "base operator" })) as {
      cost: { items: Item[] };
      after: { services: Record<string, string> };
    };
    expect(cost.items[1]).toEqual({
      label: "Services nobody may repair any more",
      amount: String(Object.keys(after.services).length),
      unit: "services without a keeper",
      of: "52",
    });
    expect(after.services["backups"]).toBe("runs, and nobody may repair it");
  });

  test("It is the same library in a different domain: a call is held in the same words.", async () => {
    const here = await ask(tab, "revoke_key", { key: "maps" });
    await portfolio();
    expect(await ask(tab, "sell", CHEAP)).toEqual(here);
  });
});

describe("counters", () => {
  test("Absent is told as added or removed and never as zero.", () => {
    expect(differences({ a: "1", gone: "2" }, { a: "1", come: "0" })).toEqual([
      { path: ["gone"], before: "2", after: undefined },
      { path: ["come"], before: undefined, after: "0" },
    ]);
  });

  test("The share of refusals counts what was decided only, and an empty record is no zero.", () => {
    expect(record([])).toBe("No decision yet");
    expect(record([{ status: "held" }, { status: "expired" }])).toBe("No decision yet");
    expect(record([{ status: "held" }, { status: "committed" }, { status: "refused" }])).toBe(
      "1 of 2 decided were refused",
    );
  });
});

interface Context {
  registerTool(tool: object, options?: object): Promise<void>;
  executeTool(tool: unknown, input: unknown): Promise<string>;
}

// Their findings were taken in Chrome 149 to 151. Where a later browser has changed, the name of the case says how it is now.
describe("the platform", () => {
  beforeEach(portfolio);

  test("A tool can say that it only reads and cannot say that it destroys; it may say that it is grave, and ours do.", async () => {
    const seen = await tab.run(async () => {
      const { modelContext } = document as unknown as { modelContext: Context };
      const annotations = { readOnlyHint: false, destructiveHint: true };
      await modelContext.registerTool({ name: "wipe", description: "Wipes", annotations, execute: () => "" });
      const { wipe, sell, quote } = await listed();
      const grave = (tool?: { annotations?: object }) =>
        (tool?.annotations as { consequentialHint?: boolean } | undefined)?.consequentialHint === true;
      return { keys: Object.keys(wipe?.annotations ?? {}), grave: [wipe, sell, quote].map(grave) };
    });
    expect(seen.keys).not.toContain("destructiveHint");
    expect(seen.grave).toEqual([false, true, false]);
  });

  test("executeTool takes a registered tool, and not its name.", async () => {
    const words = await tab.run(async () => {
      const { modelContext } = document as unknown as { modelContext: Context };
      return modelContext.executeTool("list_routes", {}).then(
        () => "ran",
        (error: Error) => error.message,
      );
    });
    expect(words).toMatch(/RegisteredTool/);
  });

  test("executeTool takes its arguments in one form only, as an object or as JSON text, and the examples choose the right one.", async () => {
    const forms = await tab.run(async () => {
      const { modelContext } = document as unknown as { modelContext: Context };
      const { quote } = await listed();
      const args = { asset: "ORE", amount: "1", route: "quay" };
      const took = (input: unknown) =>
        modelContext.executeTool(quote, input).then(
          () => true,
          () => false,
        );
      return [await took(args), await took(JSON.stringify(args))];
    });
    expect(forms.filter(Boolean).length).toBe(1);
    await tab.press("#routes tr:first-child button");
    await tab.run(() => until(() => document.querySelector("#answer")?.textContent?.startsWith("Held as p1.")));
  });

  test("A tool's function now gets a signal beside its arguments, so that a call can be given up.", async () => {
    const seen = await tab.run(async () => {
      const { modelContext } = document as unknown as { modelContext: Context };
      let signal: unknown;
      const execute = (_: object, call?: { signal?: unknown }) => {
        signal = call?.signal;
        return "";
      };
      await modelContext.registerTool({ name: "look", description: "Looks", execute });
      await call("look");
      return signal instanceof AbortSignal;
    });
    expect(seen).toBe(true);
  });

  test("A schema as the browser lists it may be text or an object, and says the same.", async () => {
    const schema = await tab.run(async () => {
      const { inputSchema } = (await listed())["sell"] ?? {};
      return (typeof inputSchema === "string" ? JSON.parse(inputSchema) : inputSchema) as { required: string[] };
    });
    expect(schema.required).toEqual(["asset", "amount", "route"]);
  });

  test("There is no unregisterTool, and a signal inside of the tool object does nothing.", async () => {
    const seen = await tab.run(async () => {
      const { modelContext } = document as unknown as { modelContext: Context };
      const inside = new AbortController();
      const beside = new AbortController();
      const execute = () => "";
      await modelContext.registerTool({ name: "one", description: "One", execute, signal: inside.signal });
      await modelContext.registerTool({ name: "two", description: "Two", execute }, { signal: beside.signal });
      inside.abort();
      beside.abort();
      await until(async () => !("two" in (await listed())));
      return { method: "unregisterTool" in modelContext, stays: "one" in (await listed()) };
    });
    expect(seen).toEqual({ method: false, stays: true });
  });

  test("Aborting a registration that is on its way rejects its promise.", async () => {
    const how = await tab.run(() => {
      const { modelContext } = document as unknown as { modelContext: Context };
      const gone = new AbortController();
      const tool = { name: "three", description: "Three", execute: () => "" };
      const registered = modelContext.registerTool(tool, { signal: gone.signal });
      gone.abort();
      return registered.then(
        () => "registered",
        (error: Error) => error.name,
      );
    });
    expect(how).toBe("AbortError");
  });
});

describe("without WebMCP", () => {
  test("The page still loads, prices the book and says that the agent side is inert.", async () => {
    const plain = await openChromium({ webmcp: false });
    try {
      const bare = await exampleTab(plain);
      await bare.go(site.at("portfolio"));
      expect(await seenText(bare, "#status")).toMatch(/^WebMCP is off in this browser/);
      expect(await seenText(bare, "#total")).toMatch(/^\d \d{3} \d{3}\.\d\d$/);
      expect(await bare.run(() => (document.querySelector("#routes button") as HTMLButtonElement).disabled)).toBe(true);
    } finally {
      await plain.close();
    }
  });
});

describe("with the desk", () => {
  test("The page says that the desk decides, draws no buttons, and runs what was released once.", async () => {
    const desked = await exampleTab(browser, { desk: true });
    await openExample(desked, site.at("portfolio", "?still"), "sell");
    expect(await seenText(desked, "#status")).toContain("its own window decides");
    expect(await seenText(desked, "#held")).toContain("Countersign decides");
    expect(await desked.run(() => document.querySelectorAll("#held button").length)).toBe(0);
    expect(await ask(desked, "sell", CHEAP)).toMatchObject({ given: "7250 ORE" });
    expect(await desked.run(() => document.querySelectorAll("#trades li").length)).toBe(1);
  });
});
