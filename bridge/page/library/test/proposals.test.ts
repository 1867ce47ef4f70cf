import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createChain } from "../src/chain";
import { answered, type Preview, shown } from "../src/preview";
import { createProposals, MOST_HELD, type Proposal } from "../src/proposals";
import { verify } from "../src/verify";
import { standing } from "../src/words";

const click = () => new Event("click");
const priced = (amount: string): Preview =>
  shown(
    answered(
      { before: 0, after: 1, cost: { items: [{ label: "Tea", amount, unit: "EUR" }], tolerance: "0.01" } },
      "2027-01-01T00:00:00.000Z",
    ),
  );

const setup = (expiresAfter = 1_000) => {
  const chain = createChain();
  let time = 0;
  const proposals = createProposals(chain, expiresAfter, () => time);
  const write = {
    tool: "order",
    title: "Order",
    arguments: '{"quantity":2}',
    price: vi.fn(async () => priced("10")),
    run: vi.fn(async (): Promise<unknown> => ({ order: 1 })),
  };
  /** Held, with its preview there. */
  const held = async () => {
    const { id } = await proposals.hold(write);
    await vi.waitFor(() => expect(proposals.find(id)?.preview.state).toBe("changes"));
    return id;
  };
  const kinds = () => chain.entries().map(({ kind }) => kind);
  return { chain, proposals, write, held, kinds, pass: (milliseconds: number) => void (time += milliseconds) };
};

let one: ReturnType<typeof setup>;
beforeEach(() => {
  one = setup();
});

describe("a proposal", () => {
  test("changes nothing, and is in the chain before it is seen", async () => {
    const seen: Proposal[] = [];
    one.proposals.onChange((proposal) => {
      expect(one.kinds()).toEqual(["proposed"]);
      seen.push(proposal);
    });
    const id = await one.held();
    expect(one.write.run).not.toHaveBeenCalled();
    expect(seen.map(({ preview }) => preview.state)).toEqual(["pending", "changes"]);
    expect(one.proposals.list()).toMatchObject([{ id, tool: "order", status: "held", arguments: { quantity: 2 } }]);
    expect(one.chain.entries()[0]?.data).toMatchObject({ tool: "order", arguments: '{"quantity":2}' });
  });

  test("is released once, recorded before it runs", async () => {
    const id = await one.held();
    one.write.run.mockImplementation(async () => {
      expect(one.kinds()).toEqual(["proposed", "released"]);
      return "done";
    });
    expect(await one.proposals.release(id, click())).toMatchObject({ status: "committed", result: "done" });
    await expect(one.proposals.release(id, click())).rejects.toThrow("committed");
    await expect(one.proposals.refuse(id, "Late", click())).rejects.toThrow("committed");
    expect(one.write.run).toHaveBeenCalledTimes(1);
    expect(one.kinds()).toEqual(["proposed", "released", "outcome"]);
    expect(one.chain.entries()[1]).toMatchObject({
      grade: "client-asserted",
      ref: id,
      data: { event: "click", isTrusted: false },
    });
    expect((await verify(one.chain.entries())).fault).toBeUndefined();
  });

  test("of two releases at once one is told no", async () => {
    const id = await one.held();
    const both = await Promise.allSettled([one.proposals.release(id, click()), one.proposals.release(id, click())]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(one.write.run).toHaveBeenCalledTimes(1);
  });

  test("is not decided without an event", async () => {
    const id = await one.held();
    for (const event of [undefined, null, { isTrusted: true, type: "click" }] as unknown as Event[]) {
      await expect(one.proposals.release(id, event)).rejects.toThrow(TypeError);
      await expect(one.proposals.refuse(id, "", event)).rejects.toThrow(TypeError);
    }
    expect(one.proposals.find(id)?.status).toBe("held");
  });

  test("is not released before its preview has answered", async () => {
    one.write.price.mockReturnValueOnce(new Promise(() => {}));
    const { id } = await one.proposals.hold(one.write);
    await expect(one.proposals.release(id, click())).rejects.toThrow("not been previewed");
    expect(await one.proposals.refuse(id, "No", click())).toMatchObject({ status: "refused" });
  });

  test("whose price moved is held again, with what moved, and can be released at the new price", async () => {
    const id = await one.held();
    one.write.price.mockResolvedValue(priced("12"));
    const again = await one.proposals.release(id, click());
    const moved = [{ what: "cost", before: "Tea: 10 EUR", after: "Tea: 12 EUR" }];
    expect(again).toMatchObject({ status: "held", moved });
    expect(standing(again)).toMatchObject({ status: "held", changed: "nothing yet", moved });
    expect(one.write.run).not.toHaveBeenCalled();
    expect(await one.proposals.release(id, click())).toMatchObject({ status: "committed" });
    expect(one.kinds()).toEqual(["proposed", "repriced", "released", "outcome"]);
  });

  test("whose price moved within the tolerance runs", async () => {
    const id = await one.held();
    one.write.price.mockResolvedValue(priced("10.05"));
    expect(await one.proposals.release(id, click())).toMatchObject({ status: "committed" });
  });

  test("that throws has failed, in words, and does not run again", async () => {
    const id = await one.held();
    one.write.run.mockRejectedValue(new Error("Sold out \ud800"));
    expect(await one.proposals.release(id, click())).toMatchObject({ status: "failed", message: "Sold out \ud800" });
    expect(one.write.run).toHaveBeenCalledTimes(1);
    expect(one.kinds()).toEqual(["proposed", "released", "outcome"]);
  });

  test("is refused with a reason that reaches the agent", async () => {
    const id = await one.held();
    const refused = await one.proposals.refuse(id, "Too dear", click());
    expect(standing(refused)).toMatchObject({ status: "refused", changed: "nothing", reason: "Too dear" });
    expect(one.kinds()).toEqual(["proposed", "refused"]);
  });

  test("expires, which is no refusal", async () => {
    const id = await one.held();
    one.pass(1_000);
    expect(one.proposals.list()[0]?.status).toBe("expired");
    await expect(one.proposals.release(id, click())).rejects.toThrow("expired");
    expect(one.write.run).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(one.kinds()).toEqual(["proposed", "expired"]));
  });

  test("that expires while its price is asked again does not run", async () => {
    const id = await one.held();
    one.write.price.mockImplementation(async () => {
      one.pass(1_000);
      return priced("10");
    });
    expect(await one.proposals.release(id, click())).toMatchObject({ status: "expired" });
    expect(one.write.run).not.toHaveBeenCalled();
  });

  test("of a page that went away does not run, and one that ran already is unknown", async () => {
    const [waiting, pressed, ran] = [await one.held(), await one.held(), await one.held()];
    one.write.run.mockReturnValue(new Promise(() => {}));
    void one.proposals.release(ran, click());
    await vi.waitFor(() => expect(one.write.run).toHaveBeenCalledTimes(1));
    const release = one.proposals.release(pressed, click());
    one.proposals.leave();
    expect(await release).toMatchObject({ status: "page-gone" });
    expect([waiting, pressed, ran].map((id) => one.proposals.find(id)?.status)).toEqual([
      "page-gone",
      "page-gone",
      "unknown",
    ]);
    expect(one.write.run).toHaveBeenCalledTimes(1);
  });

  test("of a page that goes away between the release and its run does not run", async () => {
    const id = await one.held();
    one.chain.onAppend(({ kind }) => void (kind === "released" && one.proposals.leave()));
    expect(await one.proposals.release(id, click())).toMatchObject({ status: "page-gone" });
    expect(one.write.run).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(one.kinds()).toEqual(["proposed", "released", "page-gone"]));
  });

  test("whose tool is taken away is withdrawn, and others are not", async () => {
    const id = await one.held();
    const other = await one.proposals.hold({ ...one.write, tool: "close" });
    one.proposals.withdraw("order");
    expect(one.proposals.find(id)?.status).toBe("withdrawn");
    expect(one.proposals.find(other.id)?.status).toBe("held");
  });
});

test("only so many wait at once", async () => {
  await Promise.all(Array.from({ length: MOST_HELD - 1 }, () => one.proposals.hold(one.write)));
  expect(one.proposals.isFull()).toBe(false);
  const last = one.proposals.hold(one.write);
  expect(one.proposals.isFull(), "also before its entry stands").toBe(true);
  await last;
  expect(one.proposals.isFull()).toBe(true);
  await vi.waitFor(() => expect(one.proposals.list().at(-1)?.preview.state).toBe("changes"));
  await one.proposals.refuse("p1", "", click());
  expect(one.proposals.isFull()).toBe(false);
});

type Step = "release" | "refuse" | "withdraw" | "leave" | "late" | "dearer" | "wait";

test("in every order of events, nothing runs twice, unrecorded, or after its end", async () => {
  const steps = fc.array(
    fc.constantFrom<Step>("release", "release", "refuse", "withdraw", "leave", "late", "dearer", "wait"),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, fc.boolean(), async (scheduler, list, fails) => {
      const { proposals, write, pass, chain } = setup();
      let price = 10;
      const commits: { recorded: boolean; status: string | undefined }[] = [];
      const released = () => chain.entries().some(({ kind }) => kind === "released");
      write.price.mockImplementation(() => scheduler.schedule(Promise.resolve(priced(String(price)))));
      write.run.mockImplementation(() => {
        commits.push({ recorded: released(), status: proposals.list()[0]?.status });
        return scheduler.schedule(Promise.resolve()).then(() => {
          if (fails) throw new Error("failed");
        });
      });
      const { id } = await proposals.hold(write);
      const ends: string[] = [];
      proposals.onChange(({ status }) => void ends.push(status));
      const calls: Promise<unknown>[] = [];
      const acts: Record<Step, () => unknown> = {
        release: () => calls.push(proposals.release(id, click()).catch(() => undefined)),
        refuse: () => calls.push(proposals.refuse(id, "No", click()).catch(() => undefined)),
        withdraw: () => proposals.withdraw("order"),
        leave: () => proposals.leave(),
        late: () => pass(1_000),
        dearer: () => void (price *= 2),
        wait: () => (scheduler.count() > 0 ? scheduler.waitOne() : undefined),
      };
      for (const step of list) await acts[step]();
      // Hashing takes turns of its own, between which the scheduler is idle.
      let over = false;
      void Promise.all(calls).then(() => (over = true));
      while (!over || scheduler.count() > 0) {
        if (scheduler.count() > 0) await scheduler.waitOne();
        else await new Promise((go) => setTimeout(go));
      }
      await chain.lines();

      expect(commits.length).toBeLessThanOrEqual(1);
      for (const commit of commits) expect(commit).toEqual({ recorded: true, status: "released" });
      const last = ["committed", "failed", "refused", "expired", "withdrawn", "page-gone", "unknown"];
      const end = ends.findIndex((status) => last.includes(status));
      if (end >= 0) expect(new Set(ends.slice(end)).size, "an end is an end").toBe(1);
      const ran = ["committed", "failed", "unknown"].includes(proposals.find(id)?.status ?? "");
      expect(commits.length === 1).toBe(ran);
      expect((await verify(chain.entries())).fault).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});
