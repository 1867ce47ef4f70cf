import fc from "fast-check";
import { expect, test } from "vitest";
import { type Act, HELD, isOpen, isOver, next, type State } from "../src/state";

const act = () =>
  fc.oneof(
    fc.constantFrom<Act>(
      { type: "press" },
      { type: "run" },
      { type: "expire" },
      { type: "withdraw" },
      { type: "leave" },
      { type: "moved", moved: [{ what: "cost", before: "1", after: "2" }] },
    ),
    fc.string().map((text): Act => ({ type: "ran", result: text })),
    fc.string().map((text): Act => ({ type: "threw", message: text })),
    fc.string().map((text): Act => ({ type: "refuse", reason: text })),
  );

/** The acts that happened, each with the state before and after. */
const happened = (acts: Act[]) => {
  const steps: { before: State; act: Act; after: State }[] = [];
  let state = HELD;
  for (const one of acts) {
    const after = next(state, one);
    if (!after) continue;
    steps.push({ before: state, act: one, after });
    state = after;
  }
  return { steps, state };
};

test("it runs at most once, right after a press that found nothing moved", () => {
  fc.assert(
    fc.property(fc.array(act(), { maxLength: 40 }), (acts) => {
      const { steps } = happened(acts);
      const runs = steps.filter((step) => step.act.type === "run");
      expect(runs.length).toBeLessThanOrEqual(1);
      for (const run of runs) expect(steps[steps.indexOf(run) - 1]?.act.type).toBe("press");
    }),
    { numRuns: 2000 },
  );
});

test("an end is an end, and only what ran has an outcome", () => {
  fc.assert(
    fc.property(fc.array(act(), { maxLength: 40 }), (acts) => {
      const { steps, state } = happened(acts);
      for (const { before } of steps) expect(isOver(before)).toBe(false);
      const ran = steps.some((step) => step.act.type === "run");
      const outcomes = ["released", "committed", "failed", "unknown"];
      expect(outcomes.includes(state.status)).toBe(ran);
    }),
    { numRuns: 2000 },
  );
});

test("every state can be left but the ends", () => {
  const all: Act[] = fc.sample(act(), { numRuns: 500, seed: 1 });
  const states = [
    HELD,
    ...all.map((one) => next(next(HELD, { type: "press" }) as State, one)).filter(Boolean),
  ] as State[];
  for (const state of states) {
    const leads = all.some((one) => next(state, one));
    expect(leads, state.status).toBe(isOpen(state) || state.status === "released");
  }
});

test("what moved and why it was refused is kept", () => {
  const checking = next(HELD, { type: "press" }) as State;
  const moved = [{ what: "cost" as const, before: "1", after: "2" }];
  expect(next(checking, { type: "moved", moved })).toEqual({ status: "held", moved });
  expect(next(HELD, { type: "refuse", reason: "Too dear" })).toEqual({ status: "refused", reason: "Too dear" });
  expect(next(checking, { type: "refuse", reason: "Too late" }), "a press is being checked").toBeUndefined();
});
