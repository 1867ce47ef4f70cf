// What Doorman says of itself, tried on our board. docs/seeds.md has the claims that other tests hold.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DESK, openSite, type Site } from "./site";

const RECEIPTS = "boathouse.receipts.v1";
const STATE = "boathouse.board.v1";

interface Receipt {
  kind: string;
  seat: string;
  grade: string;
  ref?: string;
  data: Record<string, unknown>;
}
interface Item {
  id: string;
  text: string;
  yours: boolean;
}

let site: Site;
beforeAll(async () => {
  site = await openSite("board");
});
afterAll(() => site.close());

const ready = () => site.tab.run(() => until(() => document.querySelector("#status[data-on=true]")));
beforeEach(async () => {
  await site.open();
  await ready();
});

const names = () => site.tab.run(async () => Object.keys(await listed()));
const ask = (name: string, args: object = {}) => site.tab.run((name, args) => asked(name, args), name, args);
const items = async () => (await ask("list_items"))["items"] as Item[];
const receipts = () =>
  site.tab.run((key) => JSON.parse(localStorage.getItem(key) ?? "[]") as unknown, RECEIPTS) as Promise<Receipt[]>;
const kinds = async () => (await receipts()).map(({ kind }) => kind);

/** Asks for something, and answers the proposal's id. */
const proposed = async (name: string, args: object) => String((await ask(name, args))["proposal"]);
const standing = (proposal: string) => ask("check_proposal", { proposal });
const over = async (proposal: string) => {
  await expect.poll(async () => (await standing(proposal))["status"]).not.toMatch(/held|checking|released/);
  return standing(proposal);
};
const release = async (proposal: string) => {
  await site.press(`[data-proposal="${proposal}"] button.main`);
  return over(proposal);
};
const refuse = async (proposal: string) => {
  await site.press(`[data-proposal="${proposal}"] .buttons button:last-child`);
  return over(proposal);
};
/** Has the removal of one item granted. */
const granted = async (id: string) => release(await proposed("request_removal", { id }));

describe("a capability that is absent", () => {
  test("delete_item is absent from the surface until one removal is granted, and is gone again after one use", async () => {
    expect(await names()).not.toContain("delete_item");
    const proposal = await proposed("request_removal", { id: "3", reason: "Out of date." });
    expect(await names()).not.toContain("delete_item");
    await release(proposal);
    expect(await names()).toContain("delete_item");
    await ask("delete_item", { id: "3" });
    await expect.poll(names).not.toContain("delete_item");
    expect((await items()).map(({ id }) => id)).toEqual(["1", "2"]);
  });

  test("a refused request grants nothing", async () => {
    const answer = await refuse(await proposed("request_removal", { id: "3" }));
    expect(answer).toMatchObject({ status: "refused", changed: "nothing", reason: "No reason given." });
    expect(await names()).not.toContain("delete_item");
  });

  test("the grant is spent where it is decided, so that of two calls at once one runs", async () => {
    await granted("3");
    const both = await site.tab.run(() =>
      Promise.all([asked("delete_item", { id: "3" }), asked("delete_item", { id: "3" })]),
    );
    expect(both.filter(({ status, changed }) => status === "refused" && changed === "nothing")).toHaveLength(1);
    expect(both.filter(({ text }) => text !== undefined)).toHaveLength(1);
    expect((await kinds()).filter((kind) => kind === "delete_item")).toHaveLength(1);
  });

  test("another target is denied, removes nothing, and leaves the grant as it is", async () => {
    await granted("3");
    expect(await ask("delete_item", { id: "1" })).toMatchObject({
      status: "refused",
      why: "not-granted",
      changed: "nothing",
    });
    expect(await items()).toHaveLength(3);
    expect(await ask("delete_item", { id: "3" })).toMatchObject({ id: "3" });
    const denied = (await receipts()).find(({ kind }) => kind === "denied");
    expect(denied?.data).toMatchObject({
      decision: "denied",
      why: "not-granted",
      execution: "did-not-run",
      given: { id: "1" },
    });
  });

  test("an agent cannot grant to itself", async () => {
    const answer = await ask("request_removal", { id: "3", approved: true });
    expect(answer).toMatchObject({ status: "refused", why: "bad-arguments", faults: [{ path: "/approved" }] });
    expect((await names()).filter((name) => /grant|approve|release/.test(name))).toEqual([]);
    expect(await names()).not.toContain("delete_item");
  });

  test("a request that waits is not replaced by another one, and one removal is granted at a time", async () => {
    const first = await proposed("request_removal", { id: "3" });
    const second = await proposed("request_removal", { id: "1" });
    expect(await standing(first)).toMatchObject({ status: "held" });
    await release(first);
    const answer = await site.press(`[data-proposal="${second}"] button.main`).then(() => over(second));
    expect(answer).toMatchObject({ status: "refused", reason: expect.stringMatching(/^granted-already: /) });
    expect(await ask("delete_item", { id: "1" })).toMatchObject({ why: "not-granted" });
  });

  test("a grant whose tool the browser does not take is none", async () => {
    await site.tab.run(async () => {
      const { modelContext } = document as unknown as { modelContext: { registerTool(tool: object): Promise<void> } };
      const execute = () => "another tool";
      await modelContext.registerTool({
        name: "delete_item",
        description: "Stands in the way.",
        inputSchema: { type: "object" },
        execute,
      });
    });
    expect(await granted("3")).toMatchObject({ status: "failed" });
    expect(await site.tab.run(() => call("delete_item"))).toBe("another tool");
    expect(await site.tab.run(() => document.querySelector<HTMLElement>("#grant")?.dataset["there"])).toBe("false");
    expect((await receipts()).find(({ kind }) => kind === "request_removal")?.data).toMatchObject({
      ...{ decision: "allowed", execution: "failed" },
    });
  });

  test("a grant ends when its item changes or is taken back by hand", async () => {
    await granted("3");
    await site.press("#take-back");
    await expect.poll(names).not.toContain("delete_item");
    await granted("3");
    await site.press('[data-item="3"] .edit');
    await site.tab.run(() => {
      (document.querySelector("#text-3") as HTMLTextAreaElement).value = "A rota that is in use";
    });
    await site.press('[data-item="3"] form button.main');
    await expect.poll(names).not.toContain("delete_item");
    expect((await receipts()).filter(({ kind }) => kind === "grant-ended")).toHaveLength(2);
  });
});

describe("whose an item is", () => {
  test("an agent edits only what was put up in its own visit, and is told why it may not edit the rest", async () => {
    await release(await proposed("add_item", { text: "Varnish the oars" }));
    expect((await items()).at(-1)).toEqual({ id: "4", text: "Varnish the oars", yours: true });
    await release(await proposed("edit_item", { id: "4", text: "Varnish four oars" }));
    expect((await items()).at(-1)?.text).toBe("Varnish four oars");

    const answer = await over(await proposed("edit_item", { id: "1", text: "Mine now" }));
    expect(answer).toMatchObject({
      status: "refused",
      changed: "nothing",
      reason: expect.stringMatching(/^not-its-own: /),
    });
    expect(await ask("edit_item.preview", { id: "1", text: "Mine now" })).toMatchObject({
      fails: expect.stringMatching(/^not-its-own: /),
    });
    // Another visit is another owner.
    await site.tab.run(() => sessionStorage.clear());
    await site.tab.go(site.url());
    await ready();
    expect((await items()).at(-1)).toMatchObject({ text: "Varnish four oars", yours: false });
  });

  test("what is denied does not run", async () => {
    const before = await items();
    await over(await proposed("edit_item", { id: "2", text: "Mine now" }));
    await refuse(await proposed("add_item", { text: "Not wanted" }));
    await ask("add_item", { text: "x".repeat(141) });
    expect(await items()).toEqual(before);
  });
});

describe("the receipts", () => {
  test("every act leaves a receipt that keeps the decision and what came of it apart", async () => {
    await items();
    await refuse(await proposed("add_item", { text: "Not wanted" }));
    await over(await proposed("edit_item", { id: "1", text: "Mine now" }));
    await granted("3");
    await ask("delete_item", { id: "3" });
    await expect.poll(kinds).toContain("delete_item");
    const rows = (await receipts()).filter(({ kind }) => kind !== "list_items");
    expect(rows.map(({ kind, seat, data }) => [kind, seat, data["decision"] ?? "", data["execution"] ?? ""])).toEqual([
      ["asked", "agent", "waits", ""],
      ["answered", "person", "denied", "did-not-run"],
      ["asked", "agent", "waits", ""],
      ["denied", "board", "denied", "did-not-run"],
      ["asked", "agent", "waits", ""],
      ["answered", "person", "allowed", ""],
      ["granted", "person", "", ""],
      ["request_removal", "agent", "allowed", "ran"],
      ["spent", "agent", "allowed", ""],
      ["delete_item", "agent", "allowed", "ran"],
    ]);
    expect((await receipts())[0]).toMatchObject({
      kind: "list_items",
      data: { decision: "allowed", why: "reads-run" },
    });
  });

  test("a call that was allowed and failed is a failure and not a denial", async () => {
    await granted("3");
    const answer = await site.tab.run(async (key) => {
      const { setItem } = Storage.prototype;
      Storage.prototype.setItem = function (name, value) {
        if (name === key) throw new Error("The storage is full.");
        setItem.call(this, name, value);
      };
      return asked("delete_item", { id: "3" });
    }, STATE);
    expect(answer).toMatchObject({ status: "failed", changed: "not known" });
    await expect.poll(kinds).toContain("delete_item");
    expect((await receipts()).find(({ kind }) => kind === "delete_item")?.data).toMatchObject({
      ...{ decision: "allowed", execution: "failed", fault: "The storage is full." },
    });
  });

  test("a receipt that was edited in the storage is found, and so is one that is missing", async () => {
    await items();
    await items();
    await items();
    const fault = async (edit: (rows: Receipt[]) => Receipt[]) => {
      const kept = await receipts();
      const put = (rows: Receipt[]) =>
        site.tab.run((key, rows) => localStorage.setItem(key, rows), RECEIPTS, JSON.stringify(rows));
      await put(edit(structuredClone(kept)));
      await site.tab.go(site.url());
      await ready();
      await expect.poll(() => site.tab.run(() => document.querySelector("#checked")?.textContent)).not.toBe("");
      const said = await site.tab.run(() => document.querySelector("#checked")?.textContent);
      await put(kept);
      return said;
    };
    expect(await fault((rows) => rows.map((row, at) => (at === 1 ? { ...row, seat: "person" } : row)))).toContain(
      "Row 2 is not right",
    );
    expect(await fault((rows) => rows.filter((_, at) => at !== 1))).toContain("Row 2 is not right");
    expect(await fault((rows) => rows)).toContain("Rows 1 to 3 follow");
  });
});

describe("one board", () => {
  test("what a person does by hand and what tools do are the same state", async () => {
    await site.tab.run(() => {
      (document.querySelector("#text") as HTMLInputElement).value = "By hand";
    });
    await site.press("#add button");
    await expect.poll(async () => (await items()).map(({ text }) => text)).toContain("By hand");
    await release(await proposed("add_item", { text: "By a tool" }));
    const shown = await site.tab.run(() =>
      Array.from(document.querySelectorAll("#items .text"), (text) => text.textContent),
    );
    expect(shown.slice(-2)).toEqual(["By hand", "By a tool"]);
  });

  test("a call by the page itself passes the same gate as an agent's", async () => {
    await site.tab.run(() => {
      document.querySelector("details")?.setAttribute("open", "");
      (document.querySelector("#tool-choice") as HTMLSelectElement).value = "add_item";
      (document.querySelector("#tool-arguments") as HTMLTextAreaElement).value = '{"text":"By the form"}';
    });
    await site.press("#tools form button");
    await expect
      .poll(() => site.tab.run(() => document.querySelector("#tools output")?.textContent))
      .toContain('"status": "held"');
    expect(await items()).toHaveLength(3);
  });

  test("state and receipts live in this browser's storage only, and nothing is sent anywhere", async () => {
    await release(await proposed("add_item", { text: "Stays here" }));
    await site.tab.go(site.url());
    await ready();
    expect((await items()).at(-1)?.text).toBe("Stays here");
    expect(await site.tab.run(() => Object.keys(localStorage).sort())).toEqual([STATE, RECEIPTS].sort());
    expect(site.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  });

  test("what waited when the page went away is closed by a receipt of the next visit", async () => {
    await proposed("add_item", { text: "Nobody answers" });
    await expect.poll(kinds).toContain("asked");
    await site.tab.go(site.url());
    await ready();
    await expect.poll(kinds).toContain("unanswered");
    const asked = (await receipts()).find(({ kind }) => kind === "asked");
    expect((await receipts()).find(({ kind }) => kind === "unanswered")).toMatchObject({
      ...{ ref: asked?.ref, data: { why: "page-gone", execution: "did-not-run" } },
    });
  });
});

describe("with the desk", () => {
  test("the desk decides and the page asks nothing; delete_item is as absent as before, and goes after one use", async () => {
    await site.open("/", [DESK]);
    await ready();
    expect(await site.tab.run(() => document.querySelector("#waiting")?.textContent)).toContain("Countersign is here");
    expect(await names()).not.toContain("delete_item");
    expect(await ask("request_removal", { id: "3" })).toMatchObject({ granted: "3", uses: 1 });
    expect(await names()).toContain("delete_item");
    expect(await ask("delete_item", { id: "3" })).toMatchObject({ id: "3" });
    await expect.poll(names).not.toContain("delete_item");
    expect((await receipts()).find(({ kind }) => kind === "granted")).toMatchObject({
      seat: "desk",
      grade: "client-asserted",
    });
  });
});
