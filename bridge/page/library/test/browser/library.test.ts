import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BROWSERS } from "./browsers";
import { serve, type Server } from "./server";
import type { Browser, Tab } from "./tab";

let server: Server;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.close());

describe.each(BROWSERS)("$name", ({ scripts, open }) => {
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    browser = await open();
    tab = await browser.tab();
  });
  afterAll(() => browser.close());

  test("WebMCP is the browser's own where it should be", async () => {
    await tab.go(server.page(scripts));
    const words = await tab.run(() => {
      const { modelContext } = document as { modelContext?: { registerTool: () => void } };
      return String(modelContext?.registerTool);
    });
    expect(words.includes("[native code]")).toBe(browser.native);
  });

  describe("without a desk", () => {
    beforeEach(() => tab.go(server.page(scripts)));

    test("a read runs at once and says that it reads", async () => {
      const seen = await tab.run(async () => {
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
      const [read, write, preview] = await tab.run(async () => {
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
      expect(await tab.run(() => shop.previews)).toBe(0);
    });

    test("a keyword that is not checked makes the registration fail", async () => {
      const [words, names] = await tab.run(async () => {
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
      const answer = await tab.run(async () => {
        const execute = () => Promise.reject(new Error("The shop is away."));
        await Countersign.createPage().read({ name: "price", description: "Price", execute }).offered;
        return asked("price");
      });
      expect(answer).toMatchObject({ status: "failed", changed: "nothing", message: "The shop is away." });
    });

    test("a preview answers in the desk's form and changes nothing", async () => {
      const [answer, tools, commits] = await tab.run(async () => {
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
      const answers = await tab.run(async () => {
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

    test("a write is held, and runs once when a click releases it", async () => {
      const held = await tab.run(async () => {
        window.page = Countersign.createPage();
        await window.page.propose(order).offered;
        const answer = await asked("place_order", { quantity: 2 });
        onRelease(window.page, "p1");
        await previewed(window.page, "p1");
        return { answer, check: await asked("check_proposal", { proposal: "p1" }), commits: [...shop.commits] };
      });
      expect(held.answer).toEqual({
        proposal: "p1",
        status: "held",
        changed: "nothing yet",
        note: expect.stringContaining("neither succeeded nor failed"),
      });
      expect(held.check).toMatchObject({ proposal: "p1", status: "held", changed: "nothing yet" });
      expect(held.commits).toEqual([]);

      await tab.press("#release");
      const after = await tab.run(async () => {
        await until(() => typeof decided !== "undefined" && decided);
        const proposal = await decided;
        const again = await window.page.proposals.release("p1", new Event("click")).catch(String);
        const entries = window.page.chain.entries();
        return {
          status: proposal.status,
          again,
          commits: shop.commits,
          check: await asked("check_proposal", { proposal: "p1" }),
          all: await asked("list_proposals"),
          rows: entries.map(({ kind, grade, ref, data }) => ({ kind, grade, ref, data })),
          verified: await Countersign.verify(entries),
        };
      });
      expect(after).toMatchObject({
        status: "committed",
        commits: [2],
        again: "Error: p1 is committed and cannot be released.",
      });
      expect(after.check).toMatchObject({ status: "committed", result: '{"ordered":2}' });
      expect(after.all).toEqual({ proposals: [{ id: "p1", tool: "place_order", status: "committed" }] });
      expect(after.rows.map(({ kind }) => kind)).toEqual(["opened", "proposed", "released", "outcome"]);
      expect(after.rows[2]).toMatchObject({
        grade: "client-asserted",
        ref: "p1",
        data: { event: "click", isTrusted: true },
      });
      expect(after.verified).toMatchObject({ rows: 4 });
      expect(after.verified.fault).toBeUndefined();
    });

    test("a click that a script made is recorded as one, and what is no event decides nothing", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage();
        await page.propose(order).offered;
        await call("place_order", { quantity: 1 });
        await previewed(page, "p1");
        const forged = Object.setPrototypeOf({ isTrusted: true, type: "click" }, Event.prototype) as Event;
        const forgeries = [undefined as unknown as Event, { isTrusted: true, type: "click" } as Event, forged];
        const faults = await Promise.all(forgeries.map((event) => page.proposals.release("p1", event).catch(String)));
        const before = [...shop.commits];
        onRelease(page, "p1");
        document.getElementById("release")?.click();
        await decided;
        const { data } = page.chain.entries().find(({ kind }) => kind === "released") ?? {};
        return { faults, before, data, commits: shop.commits };
      });
      for (const fault of seen.faults) expect(fault).toContain("TypeError: A decision needs the event");
      expect(seen).toMatchObject({ before: [], commits: [1], data: { event: "click", isTrusted: false } });
    });

    test("a refusal reaches the agent with its reason", async () => {
      const answer = await tab.run(async () => {
        const page = Countersign.createPage();
        await page.propose(order).offered;
        await call("place_order", { quantity: 1 });
        await page.proposals.refuse("p1", "Too many mugs.", new Event("click"));
        return { ...(await asked("check_proposal", { proposal: "p1" })), commits: shop.commits };
      });
      expect(answer).toMatchObject({ status: "refused", changed: "nothing", reason: "Too many mugs.", commits: [] });
    });

    test("a price beyond its tolerance is held again with what moved", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage();
        await page.propose(order).offered;
        await call("place_order", { quantity: 2 });
        await previewed(page, "p1");
        shop.price = 6;
        const first = await page.proposals.release("p1", new Event("click"));
        const check = await asked("check_proposal", { proposal: "p1" });
        const between = [...shop.commits];
        const second = await page.proposals.release("p1", new Event("click"));
        return { first: first.status, check, between, second: second.status, commits: shop.commits };
      });
      expect(seen).toMatchObject({ first: "held", between: [], second: "committed", commits: [2] });
      expect(seen.check["moved"]).toEqual([{ what: "cost", before: "Mugs: 10 EUR", after: "Mugs: 12 EUR" }]);
    });

    test("a proposal expires", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage({ expiresAfter: 20 });
        await page.propose(order).offered;
        await call("place_order", { quantity: 1 });
        await until(() => page.chain.entries().some(({ kind }) => kind === "expired"));
        const late = await page.proposals.release("p1", new Event("click")).catch(String);
        return { ...(await asked("check_proposal", { proposal: "p1" })), late, commits: shop.commits };
      });
      expect(seen).toMatchObject({
        status: "expired",
        late: "Error: p1 is expired and cannot be released.",
        commits: [],
      });
    });

    test("a page that goes away commits nothing", async () => {
      await tab.run(async () => {
        const page = Countersign.createPage();
        let asked = 0;
        let price: (value: { before: number; after: number }) => void = () => {};
        const preview = () =>
          // The second time it is asked is the release's own, which the page does not live to see.
          ++asked === 1
            ? { before: 0, after: 1 }
            : new Promise<{ before: number; after: number }>((go) => (price = go));
        const commit = () => navigator.sendBeacon("/commit", "released");
        await page.propose({ ...order, preview, commit }).offered;
        await call("place_order", { quantity: 1 });
        await previewed(page, "p1");
        void page.proposals.release("p1", new Event("click"));
        addEventListener("pagehide", () => {
          price({ before: 0, after: 1 });
          const [one] = page.proposals.list();
          navigator.sendBeacon("/gone", one?.status);
        });
      });
      await tab.go(server.page(scripts, "localhost"));
      await expect.poll(() => server.posted).toContain("page-gone");
      // Whatever the old page could still send is sent before the new one has answered.
      await tab.run(() => fetch("/after", { method: "POST", body: "after" }).then(() => undefined));
      expect(server.posted.splice(0)).toEqual(["page-gone", "after"]);
    });

    test("tools exist by phase, and one that enters another phase answers first", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage();
        const look = { name: "look", description: "Looks.", execute: () => "seen" };
        let finish = () => {};
        const finished = new Promise<void>((go) => (finish = go));
        const close = {
          name: "close",
          description: "Goes on.",
          execute: async () => {
            phases.enter("commit");
            await finished;
            return "closed";
          },
        };
        const phases = page.phases({ open: [look, close], commit: [look, order] });
        await phases.settled();
        const open = Object.keys(await listed());
        const running = call("close");
        await until(() => phases.current === "commit");
        const second = await call("close");
        finish();
        const answer = await running;
        await phases.settled();
        const commit = Object.keys(await listed());
        const rows = page.chain.entries().filter(({ kind }) => kind === "phase");
        return { open, second, answer, commit, phases: rows.map(({ data }) => data) };
      });
      expect(seen).toMatchObject({
        open: ["close", "look"].sort(),
        answer: "closed",
        phases: [
          { from: null, to: "open" },
          { from: "open", to: "commit" },
        ],
      });
      expect(JSON.parse(seen.second)).toMatchObject({ status: "refused", why: "not-offered" });
      expect(seen.commit.sort()).toEqual([
        "check_proposal",
        "list_proposals",
        "look",
        "place_order",
        "place_order.preview",
      ]);
    });

    test("what a tool proposed ends with its phase", async () => {
      const status = await tab.run(async () => {
        const page = Countersign.createPage();
        const phases = page.phases({ commit: [order], open: [] });
        await phases.settled();
        await call("place_order", { quantity: 1 });
        phases.enter("open");
        await phases.settled();
        return (await asked("check_proposal", { proposal: "p1" }))["status"];
      });
      expect(status).toBe("withdrawn");
    });

    test("a granted capability is absent before, runs once of two calls at once, and is gone after", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage();
        let finish = () => {};
        const finished = new Promise<void>((go) => (finish = go));
        const commit = async (args: { quantity: number }) => {
          await finished;
          return order.commit(args);
        };
        const remove = page.oneShot({ ...order, name: "remove", commit });
        const before = Object.keys(await listed());
        await remove.grant({ quantity: 3 }, new Event("click"));
        const there = Object.keys(await listed()).sort();
        const wrong = await asked("remove", { quantity: 4 });
        const calls = [asked("remove", { quantity: 3 }), asked("remove", { quantity: 3 })];
        // One of them is answered while the other one runs.
        await Promise.race(calls);
        finish();
        const both = await Promise.all(calls);
        await until(async () => Object.keys(await listed()).length === 0);
        await remove.grant({ quantity: 4 }, new Event("click"));
        await remove.revoke();
        await until(async () => Object.keys(await listed()).length === 0);
        const kinds = page.chain
          .entries()
          .map(({ kind, data }) => `${kind} ${(data as { why?: string }).why ?? ""}`.trim());
        return { before, there, wrong, both, commits: shop.commits, kinds, granted: remove.granted ?? null };
      });
      expect(seen).toMatchObject({ before: [], there: ["remove", "remove.preview"], commits: [3] });
      expect(seen.wrong).toMatchObject({ status: "refused", why: "not-granted", changed: "nothing" });
      expect(seen.both.filter((answer) => answer["ordered"] === 3)).toHaveLength(1);
      expect(seen.both.filter((answer) => answer["status"] === "refused")).toHaveLength(1);
      expect(seen.kinds).toEqual([
        "opened",
        "rule-made",
        "rule-ended used",
        "outcome",
        "rule-made",
        "rule-ended revoked",
      ]);
      expect(seen.granted).toBeNull();
    });

    test("a grant expires, and one that was used has ended once", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage({ expiresAfter: 200 });
        const used = page.oneShot({ ...order, name: "used" });
        const unused = page.oneShot({ ...order, name: "unused" });
        await used.grant({ quantity: 1 }, new Event("click"));
        await call("used", { quantity: 1 });
        await unused.grant({ quantity: 1 }, new Event("click"));
        const ends = () => page.chain.entries().filter(({ kind }) => kind === "rule-ended");
        await until(() => ends().length >= 2 && unused.granted === undefined);
        await until(async () => Object.keys(await listed()).length === 0);
        // Its own time is over, too.
        await new Promise((go) => setTimeout(go, 200));
        return ends().map(({ data }) => data);
      });
      expect(seen).toEqual([
        { tool: "used", why: "used" },
        { tool: "unused", why: "expired" },
      ]);
    });

    test("a grant whose tool the browser does not take is none", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage();
        await page.read({ name: "remove", description: "Stands in the way.", execute: () => 1 }).offered;
        const remove = page.oneShot({ ...order, name: "remove" });
        const fault = await remove.grant({ quantity: 3 }, new Event("click")).then(() => "granted", String);
        await until(async () => !("remove.preview" in (await listed())));
        const ended = page.chain.entries().find(({ kind }) => kind === "rule-ended");
        return { fault, granted: remove.granted ?? null, why: (ended?.data as { why: string }).why };
      });
      expect(seen.fault).toContain("InvalidStateError");
      expect(seen.granted).toBeNull();
      expect(seen.why).toContain("the browser did not take the tool");
    });

    test("a write the browser does not take leaves no preview behind", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage();
        await page.read({ name: "place_order", description: "Stands in the way.", execute: () => 1 }).offered;
        const fault = await page.propose(order).offered.then(String, String);
        return { fault, preview: "place_order.preview" in (await listed()) };
      });
      expect(seen).toEqual({ fault: expect.stringContaining("InvalidStateError"), preview: false });
    });

    test("a claim of another origin is carried word for word, and nothing else is", async () => {
      const [partner, stranger] = [server.page([], "localhost"), server.page([])].map((url) => new URL(url));
      const seen = await tab.run(
        async (partnerUrl, partnerOrigin, text) => {
          const page = Countersign.createPage();
          const heard: { claim: string; sha256: string; origin: string; grade: string }[] = [];
          page.claims([partnerOrigin], (claim) => void heard.push(claim));
          const say = { type: "countersign:claim", claim: "forged" };
          // Forged by a script of this page, and sent by this page itself.
          dispatchEvent(new MessageEvent("message", { data: say, origin: partnerOrigin }));
          postMessage(say, "*");
          const frame = document.createElement("iframe");
          frame.src = `${partnerUrl}#${encodeURIComponent(text)}`;
          document.body.append(frame);
          await until(() => heard.some(({ claim }) => claim === text));
          const entry = page.chain.entries().find(({ kind }) => kind === "claim");
          return { heard, entry };
        },
        `${partner?.origin}/?script=partner`,
        partner?.origin ?? "",
        'Paid: "12 €" \u0000',
      );
      expect(stranger?.origin).not.toBe(partner?.origin);
      expect(seen.heard).toHaveLength(1);
      expect(seen.heard[0]).toMatchObject({
        claim: 'Paid: "12 €" \u0000',
        origin: partner?.origin,
        grade: "inherited",
      });
      expect(seen.entry).toMatchObject({ ingress: "partner", grade: "inherited", seat: partner?.origin });
      expect(seen.heard[0]?.sha256).toBe("91e9329f86985b90b7dbf686236e3e394bf14b3d7e74057f5820912120b430e9");
    });
  });

  describe("with something that plays the desk", () => {
    beforeEach(() => tab.go(server.page([...scripts, "desk"])));

    test("a write reaches its commit, and the page holds nothing", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage();
        await page.propose(order).offered;
        const answer = await asked("place_order", { quantity: 2 });
        await until(() => page.chain.entries().some(({ kind }) => kind === "outcome"));
        return {
          there: page.desk,
          answer,
          commits: shop.commits,
          proposals: page.proposals.list(),
          names: Object.keys(await listed()).sort(),
        };
      });
      expect(seen).toEqual({
        there: true,
        answer: { ordered: 2 },
        commits: [2],
        proposals: [],
        names: ["place_order", "place_order.preview"],
      });
    });

    test("what failed is not taken for a success", async () => {
      const faults = await tab.run(async () => {
        const page = Countersign.createPage();
        await page.propose(order).offered;
        await page.propose({ ...order, name: "fails", commit: () => Promise.reject(new Error("Sold out")) }).offered;
        const settled = [call("place_order", { quantity: 99 }), call("fails", { quantity: 1 })].map((one) =>
          one.then(
            () => "resolved",
            () => "rejected",
          ),
        );
        return Promise.all(settled);
      });
      expect(faults).toEqual(["rejected", "rejected"]);
      expect(await tab.run(() => shop.commits)).toEqual([]);
    });

    test("each of the two records the other's head", async () => {
      const seen = await tab.run(async () => {
        const page = Countersign.createPage();
        await page.propose(order).offered;
        await call("place_order", { quantity: 1 });
        const told = () => page.chain.entries().find(({ kind }) => kind === "outcome")?.seq ?? Infinity;
        await until(() => (desk.heads.at(-1)?.seq ?? 0) >= told());
        await until(() => page.chain.entries().at(-1)?.kind === "door");
        const entries = page.chain.entries();
        return { heads: desk.heads, entries, verified: await Countersign.verify(entries) };
      });
      expect(seen.verified.fault).toBeUndefined();
      for (const { seq, hash } of seen.heads) expect(seen.entries[seq - 1]?.hash).toBe(hash);
      const doors = seen.entries.filter(({ kind }) => kind === "door").map(({ data }) => data);
      expect(doors.length).toBe(seen.heads.length);
      expect(doors[0]).toEqual({ door: "desk", seq: 42, hash: "a".repeat(64) });
    });

    test("a desk that answers late is not there", async () => {
      const late = await tab.run(() => {
        const answers: ((desk: never) => void)[] = [];
        document.addEventListener(
          "countersign:page",
          (event) => {
            event.stopImmediatePropagation();
            answers.push((event as CustomEvent<{ heard: (desk: never) => void }>).detail.heard);
          },
          { capture: true },
        );
        const page = Countersign.createPage();
        answers.forEach((heard) => heard({ version: 1, tell: async () => undefined } as never));
        return page.desk;
      });
      expect(late).toBe(false);
    });
  });
});
