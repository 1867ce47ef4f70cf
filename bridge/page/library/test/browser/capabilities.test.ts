// What exists for a while only, and what comes from elsewhere: phases, grants, claims.
import { beforeEach, expect, test } from "vitest";
import { inEachBrowser } from "./each";

inEachBrowser((here) => {
  beforeEach(() => here.tab.go(here.server.page(here.scripts)));

  test("tools exist by phase, and one that enters another phase answers first", async () => {
    const seen = await here.tab.run(async () => {
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
    const status = await here.tab.run(async () => {
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
    const seen = await here.tab.run(async () => {
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
    const seen = await here.tab.run(async () => {
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

  test("a grant tells when it begins and how it ends, and every denied call is told", async () => {
    const news = await here.tab.run(async () => {
      const remove = Countersign.createPage({ expiresAfter: 60_000 }).oneShot({ ...order, name: "remove" });
      const news: unknown[] = [];
      remove.onChange(() => {
        throw new Error("A screen that fails holds up nobody.");
      });
      const stop = remove.onChange((one) => void news.push(one));
      await remove.grant({ quantity: 3 }, new Event("click"));
      await call("remove", { quantity: 4 });
      await call("remove", { quantity: "x" });
      await call("remove", { quantity: 3 });
      await remove.grant({ quantity: 5 }, new Event("click"));
      await remove.revoke();
      stop();
      await remove.grant({ quantity: 6 }, new Event("click"));
      return news;
    });
    expect(news).toEqual([
      { what: "granted", arguments: { quantity: 3 } },
      { what: "denied", why: "not-granted", arguments: { quantity: 4 } },
      { what: "denied", why: "bad-arguments", arguments: { quantity: "x" } },
      { what: "used", arguments: { quantity: 3 } },
      { what: "granted", arguments: { quantity: 5 } },
      { what: "revoked", arguments: { quantity: 5 } },
    ]);
  });

  test("a grant whose tool the browser does not take is none", async () => {
    const seen = await here.tab.run(async () => {
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
    const seen = await here.tab.run(async () => {
      const page = Countersign.createPage();
      await page.read({ name: "place_order", description: "Stands in the way.", execute: () => 1 }).offered;
      const fault = await page.propose(order).offered.then(String, String);
      return { fault, preview: "place_order.preview" in (await listed()) };
    });
    expect(seen).toEqual({ fault: expect.stringContaining("InvalidStateError"), preview: false });
  });

  test("a claim of another origin is carried word for word, and nothing else is", async () => {
    const [partner, stranger] = [here.server.page([], "localhost"), here.server.page([])].map((url) => new URL(url));
    const seen = await here.tab.run(
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
