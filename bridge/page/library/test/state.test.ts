import { expect, test } from "vitest";
import { type Act, HELD, isOpen, isOver, next, type State } from "../src/state";

const MOVED = [{ what: "cost" as const, before: "1", after: "2" }];
const ACTS: Act[] = [
  { type: "press" },
  { type: "run" },
  { type: "expire" },
  { type: "withdraw" },
  { type: "leave" },
  { type: "moved", moved: MOVED },
  { type: "ran", result: "done" },
  { type: "threw", message: "sold out" },
  { type: "refuse", reason: "too dear" },
];

interface Step {
  before: State;
  act: Act["type"];
  after: State;
}

/** Every life of a proposal of so many acts, and every part of one. */
const lives = function* (length: number, life: Step[] = []): Generator<Step[]> {
  yield life;
  if (life.length === length) return;
  const before = life.at(-1)?.after ?? HELD;
  for (const act of ACTS) {
    const after = next(before, act);
    if (after) yield* lives(length, [...life, { before, act: act.type, after }]);
  }
};
const ALL = [...lives(8)];

test("it runs at most once, right after a press", () => {
  expect(ALL.some((life) => life.some(({ act }) => act === "run"))).toBe(true);
  for (const life of ALL) {
    const acts = life.map(({ act }) => act);
    expect(acts.filter((act) => act === "run").length).toBeLessThanOrEqual(1);
    if (acts.includes("run")) expect(acts[acts.indexOf("run") - 1]).toBe("press");
  }
});

test("what moved is pressed again before it runs", () => {
  for (const life of ALL) {
    const acts = life.map(({ act }) => act);
    if (acts.includes("run")) expect(acts.lastIndexOf("moved")).toBeLessThan(acts.lastIndexOf("press"));
  }
});

test("an end is an end, and only what ran has an outcome", () => {
  const outcomes = ["released", "committed", "failed", "unknown"];
  for (const life of ALL) {
    for (const { before } of life) expect(isOver(before)).toBe(false);
    const ran = life.some(({ act }) => act === "run");
    expect(outcomes.includes(life.at(-1)?.after.status ?? "held")).toBe(ran);
  }
});

test("every state is reached, and every one but an end can be left", () => {
  const reached = new Map(ALL.flatMap((life) => life.map(({ after }) => [after.status, after])));
  const statuses = [
    "held",
    "checking",
    "released",
    "committed",
    "failed",
    "refused",
    "expired",
    "withdrawn",
    "page-gone",
  ];
  expect([...reached.keys()].sort()).toEqual([...statuses, "unknown"].sort());
  for (const state of reached.values()) {
    const leads = ACTS.some((act) => next(state, act));
    expect(leads, state.status).toBe(isOpen(state) || state.status === "released");
  }
});

test("what moved and why it was refused is kept", () => {
  const checking = next(HELD, { type: "press" }) as State;
  expect(next(checking, { type: "moved", moved: MOVED })).toEqual({ status: "held", moved: MOVED });
  expect(next(HELD, { type: "refuse", reason: "Too dear" })).toEqual({ status: "refused", reason: "Too dear" });
  expect(next(checking, { type: "refuse", reason: "Too late" }), "a press is being checked").toBeUndefined();
});
