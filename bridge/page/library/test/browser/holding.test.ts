// Writes that the page holds itself.
import { beforeEach, expect, test } from "vitest";
import { inEachBrowser } from "./each";

inEachBrowser((here) => {
  beforeEach(() => here.tab.go(here.server.page(here.scripts)));

  test("a write is held, and runs once when a click releases it", async () => {
    const held = await here.tab.run(async () => {
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

    await here.tab.press("#release");
    const after = await here.tab.run(async () => {
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
    const seen = await here.tab.run(async () => {
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
    const answer = await here.tab.run(async () => {
      const page = Countersign.createPage();
      await page.propose(order).offered;
      await call("place_order", { quantity: 1 });
      await page.proposals.refuse("p1", "Too many mugs.", new Event("click"));
      return { ...(await asked("check_proposal", { proposal: "p1" })), commits: shop.commits };
    });
    expect(answer).toMatchObject({ status: "refused", changed: "nothing", reason: "Too many mugs.", commits: [] });
  });

  test("a price beyond its tolerance is held again with what moved", async () => {
    const seen = await here.tab.run(async () => {
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
    const seen = await here.tab.run(async () => {
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
    await here.tab.run(async () => {
      const page = Countersign.createPage();
      let asked = 0;
      let price: (value: { before: number; after: number }) => void = () => {};
      const preview = () =>
        // The second time it is asked is the release's own, which the page does not live to see.
        ++asked === 1 ? { before: 0, after: 1 } : new Promise<{ before: number; after: number }>((go) => (price = go));
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
    await here.tab.go(here.server.page(here.scripts, "localhost"));
    await expect.poll(() => here.server.posted).toContain("page-gone");
    // Whatever the old page could still send is sent before the new one has answered.
    await here.tab.run(() => fetch("/after", { method: "POST", body: "after" }).then(() => undefined));
    expect(here.server.posted.splice(0)).toEqual(["page-gone", "after"]);
  });
});
