import fc from "fast-check";
import { expect, test } from "vitest";
import { BODY, canonical, NotCanonical } from "../src/canonical";

const json = () => fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<unknown>;
/** What the canonical form can hold. */
const sayable = () =>
  json().filter((value) => {
    try {
      canonical(value);
      return true;
    } catch {
      return false;
    }
  });

const fault = (value: unknown, limits?: Parameters<typeof canonical>[1]) => {
  try {
    canonical(value, limits);
  } catch (error) {
    if (error instanceof NotCanonical) return error.path;
    throw error;
  }
  return undefined;
};

test("the example of RFC 8785, section 3.2.2", () => {
  const value = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27],
    string: '\u20ac$\u000f\nA\'B"\\\\"/',
    literals: [null, true, false],
  };
  expect(canonical(value)).toBe(
    `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
  );
});

test("names are sorted by UTF-16 as in section 3.2.3", () => {
  const names = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\u{1f600}", "\ufb33"];
  const value = Object.fromEntries([...names].reverse().map((name) => [name, 0]));
  expect(canonical(value)).toBe(`{${names.map((name) => `${JSON.stringify(name)}:0`).join(",")}}`);
});

test("it reads back as the same value, and writes that the same again", () => {
  fc.assert(
    fc.property(sayable(), (value) => {
      const text = canonical(value);
      // Minus zero is written as zero.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonical(JSON.parse(text))).toBe(text);
    }),
  );
});

test("the order of names does not show", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), sayable()), (members) => {
      const turned = Object.fromEntries(Object.entries(members).reverse());
      expect(canonical(turned)).toBe(canonical(members));
    }),
  );
});

test("what has no one spelling is refused with its place", () => {
  expect(fault({ "a/b": [0, 2 ** 53] })).toBe("/a~1b/1");
  expect(fault([Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])).toBeUndefined();
  expect(fault([1e300])).toBeUndefined();
  expect(fault([1e16])).toBe("/0");
  expect(fault([Number.NaN])).toBe("/0");
  expect(fault([undefined])).toBe("/0");
  expect(fault({ a: "\ud800" })).toBe("/a");
  expect(fault({ a: () => 1 })).toBe("/a");
  expect(fault({ a: [0.5] }, BODY)).toBe("/a/0");
});

test("nesting has the limits of the desk", () => {
  const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
  expect(fault(nested(96))).toBeUndefined();
  expect(fault(nested(97))).toBeDefined();
  expect(fault(nested(120), BODY)).toBeUndefined();
  expect(fault(nested(121), BODY)).toBeDefined();
});
