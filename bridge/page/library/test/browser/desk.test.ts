// The page with something that plays the desk.
import { beforeEach, expect, test } from "vitest";
import { inEachBrowser } from "./each";

inEachBrowser((here) => {
  beforeEach(() => here.tab.go(here.server.page([...here.scripts, "desk"])));

  test("a write reaches its commit, and the page holds nothing", async () => {
    const seen = await here.tab.run(async () => {
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
    const faults = await here.tab.run(async () => {
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
    expect(await here.tab.run(() => shop.commits)).toEqual([]);
  });

  test("each of the two records the other's head", async () => {
    const seen = await here.tab.run(async () => {
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

  test("a head that the desk did not record is told once more", async () => {
    const seen = await here.tab.run(async () => {
      const told: number[] = [];
      document.addEventListener(
        "countersign:page",
        (event) => {
          event.stopImmediatePropagation();
          const tell = async ({ seq }: { seq: number }) => {
            told.push(seq);
            return told.length < 2 ? undefined : { seq: 42, hash: "a".repeat(64) };
          };
          (event as CustomEvent<{ heard: (desk: never) => void }>).detail.heard({ version: 1, tell } as never);
        },
        { capture: true },
      );
      const page = Countersign.createPage();
      await until(() => page.chain.entries().at(-1)?.kind === "door");
      return told;
    });
    expect(seen).toEqual([1, 1]);
  });

  test("a desk that answers late is not there", async () => {
    const late = await here.tab.run(() => {
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
