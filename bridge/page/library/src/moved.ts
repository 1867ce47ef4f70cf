// What moved between a preview as it was shown and the same preview at the release.
import { canonical, step } from "./canonical";
import { holds, total } from "./decimal";
import type { Cost, CostItem, Preview, PreviewAnswer } from "./preview";

/** One thing that is not as it was shown. */
export interface Moved {
  what: "preview" | "effect" | "cost" | "risk";
  before: string;
  after: string;
}

/** Everything that moved, prices within the tolerance that was shown left out. */
export const movedBetween = (before: Preview, now: Preview): Moved[] => {
  if (isAnswer(before) && isAnswer(now) && before.state === now.state) {
    return [...effects(before, now), ...prices(before.cost, now.cost), ...risks(before, now)];
  }
  const [one, other] = [inWords(before), inWords(now)];
  // A reason in other words is the same state all the same.
  const still = before.state === "unavailable" && now.state === "unavailable";
  return still || one === other ? [] : [{ what: "preview", before: one, after: other }];
};

const isAnswer = (preview: Preview): preview is Extract<Preview, PreviewAnswer> =>
  preview.state === "changes" || preview.state === "no-change";

const inWords = (preview: Preview): string => {
  switch (preview.state) {
    case "pending":
      return "not answered yet";
    case "unavailable":
      return `not measured: ${preview.why}`;
    case "would-fail":
      return `would fail: ${preview.message}`;
    case "no-change":
      return "no change";
    case "changes":
      return "changes";
  }
};

/** The leaves of a value, each by its JSON pointer. */
const leaves = (value: unknown, path = "", into = new Map<string, string>()): Map<string, string> => {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (inner.length === 0) return into.set(path, canonical(value));
  for (const [key, member] of inner) leaves(member, step(path, key), into);
  return into;
};

/** What would change, leaf by leaf: `before → after` by pointer. */
const changes = ({ before, after }: PreviewAnswer): Map<string, string> => {
  const [one, other] = [leaves(before), leaves(after)];
  const found = new Map<string, string>();
  for (const path of new Set([...one.keys(), ...other.keys()])) {
    const [was, is] = [one.get(path) ?? "absent", other.get(path) ?? "absent"];
    if (was !== is) found.set(path, `${path || "value"}: ${was} → ${is}`);
  }
  return found;
};

const effects = (before: PreviewAnswer, now: PreviewAnswer): Moved[] => {
  const [one, other] = [changes(before), changes(now)];
  const paths = [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
  const words = (change: string | undefined) => change ?? "no change";
  return paths.map((path) => ({ what: "effect", before: words(one.get(path)), after: words(other.get(path)) }));
};

const prices = (before: Cost | undefined, now: Cost | undefined): Moved[] => {
  const [shown, fresh] = [before?.items ?? [], now?.items ?? []];
  const moved: Moved[] = [];
  for (let place = 0; place < Math.max(shown.length, fresh.length); place += 1) {
    const [one, other] = [shown[place], fresh[place]];
    const still =
      one &&
      other &&
      one.label === other.label &&
      one.unit === other.unit &&
      holds(one.amount, other.amount, before?.tolerance) &&
      holds(one.of, other.of, before?.tolerance);
    if (!still) moved.push({ what: "cost", before: priced(one), after: priced(other) });
  }
  return moved.length > 0 ? moved : totals(shown, fresh, before?.tolerance);
};

/** Items of opposite sign can each keep within the tolerance while what is left of them does not. */
const totals = (shown: CostItem[], fresh: CostItem[], tolerance: string | undefined): Moved[] => {
  const of = (items: CostItem[], unit: string) =>
    total(items.filter((item) => item.unit === unit).map(({ amount }) => amount));
  return [...new Set(shown.map(({ unit }) => unit))]
    .map((unit) => ({ unit, before: of(shown, unit), after: of(fresh, unit) }))
    .filter(({ before, after }) => !holds(before, after, tolerance))
    .map(({ unit, before, after }) => ({
      what: "cost",
      before: `total ${before} ${unit}`,
      after: `total ${after} ${unit}`,
    }));
};

const priced = (item: CostItem | undefined): string => {
  if (!item) return "not priced";
  const of = item.of === undefined ? "" : ` of ${item.of}`;
  return `${item.label}: ${item.amount ?? "not measured"} ${item.unit}${of}`;
};

const risks = (before: PreviewAnswer, now: PreviewAnswer): Moved[] =>
  now.risks
    .filter(({ level, text }) => !before.risks.some((known) => known.level === level && known.text === text))
    .map(({ text }) => ({ what: "risk", before: "not named", after: text }));
