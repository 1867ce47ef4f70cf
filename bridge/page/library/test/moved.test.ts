import fc from "fast-check";
import { expect, test } from "vitest";
import { holds, total } from "../src/decimal";
import { movedBetween } from "../src/moved";
import { answered, type Cost, type Preview, type PreviewDraft, shown } from "../src/preview";

const AT = "2027-01-01T00:00:00.000Z";
const preview = (draft: PreviewDraft) => shown(answered(draft, AT));
const priced = (...items: Cost["items"]) => preview({ before: 0, after: 1, cost: { items, tolerance: "0.01" } });
const euro = (amount?: string) => ({ label: "Tea", amount, unit: "EUR" });

test("a price within the tolerance that was shown has not moved", () => {
  expect(movedBetween(priced(euro("100.00")), priced(euro("100.9")))).toEqual([]);
  expect(movedBetween(priced(euro("100.00")), priced(euro("101.01")))).toEqual([
    { what: "cost", before: "Tea: 100.00 EUR", after: "Tea: 101.01 EUR" },
  ]);
  const dearer = preview({ before: 0, after: 1, cost: { items: [euro("150")], tolerance: "1" } });
  expect(movedBetween(priced(euro("100")), dearer), "the new tolerance does not count").toHaveLength(1);
});

test("not measured is not zero, nor is gone", () => {
  expect(movedBetween(priced(euro("0")), priced(euro()))).toHaveLength(1);
  expect(movedBetween(priced(euro()), priced(euro()))).toEqual([]);
  expect(movedBetween(priced(euro("0")), priced())).toEqual([
    { what: "cost", before: "Tea: 0 EUR", after: "not priced" },
  ]);
});

test("totals of opposite items are held to the tolerance, too", () => {
  const at = (plus: string, minus: string) =>
    preview({ before: 0, after: 1, cost: { items: [euro(plus), euro(minus)], tolerance: "0.1" } });
  expect(movedBetween(at("100", "-99"), at("105", "-95"))).toEqual([
    { what: "cost", before: "total 1 EUR", after: "total 10 EUR" },
  ]);
});

test("another effect is named by its place", () => {
  const at = (stock: number) => preview({ before: { stock, name: "mug" }, after: { stock: stock - 1, name: "mug" } });
  expect(movedBetween(at(5), at(4))).toEqual([{ what: "effect", before: "/stock: 5 → 4", after: "/stock: 4 → 3" }]);
  expect(movedBetween(at(5), at(5))).toEqual([]);
});

test("a risk that was not shown has moved, one that is gone has not", () => {
  const at = (...texts: string[]) =>
    preview({ before: 0, after: 1, risks: texts.map((text) => ({ level: "caution" as const, text })) });
  expect(movedBetween(at(), at("The last one"))).toEqual([
    { what: "risk", before: "not named", after: "The last one" },
  ]);
  expect(movedBetween(at("The last one"), at())).toEqual([]);
});

test("a descriptor goes along to the desk and moves nothing here", () => {
  const descriptor = { descriptor: 1, arguments: { "/x": { label: "X" } } };
  const draft = { before: 0, after: 1 };
  expect(answered({ ...draft, descriptor }, AT).descriptor).toEqual(descriptor);
  expect(movedBetween(preview(draft), preview({ ...draft, descriptor }))).toEqual([]);
  expect(() => answered({ ...draft, descriptor: "words" as never }, AT)).toThrow("/descriptor");
});

test("another state has moved", () => {
  const fails = preview({ fails: "Sold out" });
  const gone: Preview = { state: "unavailable", why: "The server is away" };
  expect(movedBetween(priced(euro("1")), fails)).toEqual([
    { what: "preview", before: "changes", after: "would fail: Sold out" },
  ]);
  expect(movedBetween(priced(euro("1")), gone)).toHaveLength(1);
  expect(movedBetween(fails, fails)).toEqual([]);
  expect(movedBetween(gone, { state: "unavailable", why: "It is still away" })).toEqual([]);
});

test("the same preview has not moved, whatever it says", () => {
  const side = fc.jsonValue().filter((value) => !/\d{16,}|e\+|\\ud/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(side, side, (before, after) => {
      expect(movedBetween(preview({ before, after }), preview({ before, after }))).toEqual([]);
    }),
  );
});

test("a preview that is not in the agreed form names every fault", () => {
  const draft = { before: 0, after: 1, cost: { items: [{ label: "Tea", amount: "1e2" }] }, risk: [] };
  expect(() => answered(draft as unknown as PreviewDraft, AT)).toThrow(
    /\/risk is not allowed|\/cost\/items\/0\/amount must match/,
  );
  expect(() => answered({ before: 0, after: 2 ** 53 }, AT), "a number readers disagree on").toThrow("/after");
  expect(() => answered(undefined as unknown as PreviewDraft, AT)).toThrow("must be an object");
});

test("an answer has everything the desk reads", () => {
  expect(answered({ before: { a: 1 }, after: { a: 2 }, cost: { items: [euro("1")] } }, AT)).toEqual({
    before: { a: 1 },
    after: { a: 2 },
    cost: { items: [{ label: "Tea", amount: "1", unit: "EUR" }], asOf: AT },
    risks: [],
  });
  expect(answered({ fails: "Sold out" }, AT)).toEqual({ fails: "Sold out", before: null, after: null, risks: [] });
});

const amount = () =>
  fc
    .tuple(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.integer({ min: 0, max: 12 }))
    .map(([whole, places]) => {
      const digits = (whole < 0n ? -whole : whole).toString().padStart(places + 1, "0");
      const cut = digits.length - places;
      return `${whole < 0n ? "-" : ""}${digits.slice(0, cut)}${places > 0 ? `.${digits.slice(cut)}` : ""}`;
    });

test("sums are exact", () => {
  expect(total(["0.1", "0.2", undefined])).toBe("0.3");
  expect(total(["-1.50", "1.5"])).toBe("0");
  fc.assert(
    fc.property(fc.array(amount()), (amounts) => {
      const turned = amounts.map((one) => (one.startsWith("-") ? one.slice(1) : `-${one}`));
      expect(total([...amounts, ...turned])).toBe("0");
    }),
  );
});

test("an amount holds against itself, and against anything only within the tolerance", () => {
  fc.assert(
    fc.property(amount(), (one) => {
      expect(holds(one, one)).toBe(true);
    }),
  );
  expect(holds("-100", "-99", "0.01")).toBe(true);
  expect(holds("0", "0.01", "1")).toBe(false);
  expect(holds("5", "5.00")).toBe(true);
  expect(holds("5", "5.01")).toBe(false);
});
