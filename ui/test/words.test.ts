import { describe, expect, it } from "vitest";
import type { JsonValue } from "../src/gen/serde_json/JsonValue";
import { Prelude } from "../src/approval/fingerprint";
import { build, draftOf, fieldsOf, type Field } from "../src/form/fields";
import { readObject } from "../src/words/json";
import type { CostItem, MemberPattern } from "../src/gen/contract";
import { threes } from "../src/words/figure";
import { jsonDiff, textDiff } from "../src/words/diff";
import { sentence, type Told } from "../src/words/rule";
import { costLine, toleranceLine } from "../src/words/phrases";
import { span, until } from "../src/words/time";
import { cut, label, visible } from "../src/words/visible";

const schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    count: { type: "integer", minimum: 1, maximum: 10 },
    ratio: { type: "number" },
    sure: { type: "boolean" },
    size: { enum: ["s", "m", 3, null] },
    tags: { type: "array", items: { type: "string" } },
    more: { type: ["object", "null"] },
  },
  required: ["name", "count"],
};

const fields = (): Field[] => fieldsOf(schema) ?? [];
const filled = (draft: Record<string, string>) => build(fields(), { name: "n", count: "1", ...draft });

describe("a form from a schema", () => {
  it("knows the kinds", () => {
    expect(fields().map((field) => field.kind)).toEqual([
      "text",
      "integer",
      "number",
      "boolean",
      "choice",
      "json",
      "json",
    ]);
  });

  it("builds values of the right type and leaves out what is empty", () => {
    expect(filled({ ratio: "2.5", sure: "false", size: "2", tags: '["a"]', more: "" })).toEqual({
      value: { name: "n", count: 1, ratio: 2.5, sure: false, size: 3, tags: ["a"] },
    });
  });

  it.each([
    ["count", "", "Needed."],
    ["count", "1.5", "A whole number, such as 3."],
    ["count", "11", "At most 10."],
    ["count", "0", "At least 1."],
    ["count", "99999999999999999999", "Too large to be exact."],
    ["ratio", "0x10", "A number, such as 2.5."],
    ["ratio", "1e999", "A number, such as 2.5."],
  ])("refuses %s = %j", (name, typed, fault) => {
    expect(filled({ [name]: typed })).toEqual({ faults: { [name]: fault } });
  });

  it("refuses broken JSON for a list", () => {
    expect(filled({ tags: "[1," })).toHaveProperty("faults.tags");
  });

  it("goes there and back without loss, and keeps members it has no field for", () => {
    const value: Record<string, JsonValue> = {
      name: "n",
      count: 3,
      size: null,
      sure: true,
      tags: ["x"],
      more: { a: 1 },
      other: [1],
    };
    expect(build(fields(), draftOf(fields(), value), value)).toEqual({ value });
  });

  it("has no form for a schema without an object", () => {
    expect(fieldsOf({})).toBeUndefined();
    expect(fieldsOf("x")).toBeUndefined();
    expect(fieldsOf({ type: "object" })).toEqual([]);
  });
});

describe("words", () => {
  it("draws what would not show, and leaves writing systems and emoji alone", () => {
    expect(visible("a\u0000b\tc\u007f\r\n")).toBe("a[NUL]b[TAB]c[DEL][CR]\n");
    expect(visible("\u202eevil\u2066\u200b\ufeff\u00ad\u{e0041}")).toBe(
      "[U+202E]evil[U+2066][U+200B][U+FEFF][U+00AD][U+E0041]",
    );
    expect(visible("\ud800 é ع 日本 👩‍🚀 ❤️")).toBe("[U+D800] é ع 日本 👩‍🚀 ❤️");
    expect(visible("a\u200db")).toBe("a[U+200D]b");
  });

  it("never turns a missing amount into a number", () => {
    expect(costLine(undefined)).toBe("cost not measured");
    expect(costLine({ items: [{ label: "x", unit: "EUR", basis: "not-measured" }], totals: [], notMeasured: 1 })).toBe(
      "cost not measured",
    );
  });

  it("says of how much, when one thing is counted", () => {
    const items: CostItem[] = [{ label: "x", amount: "7", of: "52", unit: "things", basis: "measured" }];
    const totals = [{ amount: "7", unit: "things" }];
    expect(costLine({ items, totals, notMeasured: 0 })).toBe("costs 7 of 52 things");
    expect(costLine({ items: [...items, ...items], totals, notMeasured: 0 })).toBe("costs 7 things");
  });

  it("sets long numbers in groups, and nothing else", () => {
    expect(threes("1499300.00")).toEqual(["1", "499", "300.00"]);
    expect(threes("-12345")).toEqual(["-12", "345"]);
    expect(["1234.56", "0.123456789", "12,345", "1e99999", "", "12345 EUR"].map(threes)).toEqual(
      Array(6).fill(undefined),
    );
  });

  it("says how far a price may move", () => {
    expect(toleranceLine("0.015")).toContain("more than 1.5 %");
    expect(toleranceLine(undefined)).toContain("moves at all");
    expect(toleranceLine("0")).toContain("moves at all");
  });

  it("says spans of time", () => {
    expect([span(900), span(200_000), span(7_500_000)]).toEqual(["1 s", "3 min 20 s", "2 h 5 min"]);
    expect(until("2026-01-01T00:00:00.000Z", Date.parse("2026-01-02T00:00:00Z"))).toBe("now");
  });

  it("refuses numbers that would be rounded, but not inside text", () => {
    expect(readObject('{"a": 9007199254740993}')).toHaveProperty("fault");
    expect(readObject('{"a": "9007199254740993", "b": 0.12345678901234567890, "c": 1e300}')).toHaveProperty("value");
  });
});

describe("what changed between two texts", () => {
  const whole = (kind: "gone" | "come", before: string, after: string) =>
    textDiff(before, after)
      .filter((run) => run.kind === "same" || run.kind === kind)
      .map((run) => run.text)
      .join("");

  it.each([
    ["", ""],
    ["", "new"],
    ["a b c", "a b c"],
    ["pay 10 EUR now", "pay 10000 EUR now"],
    ["one two three four", "two one four three five"],
    ["line\none\n", "line\n\ntwo"],
    ["w ".repeat(900), "v ".repeat(900)],
  ])("loses nothing of %j and %j", (before, after) => {
    expect(whole("gone", before, after)).toBe(before);
    expect(whole("come", before, after)).toBe(after);
  });

  it("finds one word in a long text, and a character that does not show", () => {
    const long = "The basket is kept for two weeks. ".repeat(200);
    const runs = textDiff(`${long}Nothing is bought. ${long}`, `${long}It is bought. ${long}`);
    expect(runs.filter(({ kind }) => kind !== "same").map(({ text }) => text)).toEqual(["Nothing", "It"]);
    expect(textDiff("pay now", "pay\u200b now").filter(({ kind }) => kind === "come")).toEqual([
      { kind: "come", text: "pay\u200b" },
    ]);
  });

  it("goes through JSON leaf by leaf, and not deeper than it can", () => {
    expect(jsonDiff({ a: 1, b: { c: [1, 2] }, d: "x" }, { b: { c: [1, 3] }, d: "x", e: null })).toEqual([
      { path: "a", before: 1 },
      { path: "b.c[1]", before: 2, after: 3 },
      { path: "e", after: null },
    ]);
    const deep = (leaf: number) => Array.from({ length: 400 }).reduce<JsonValue>((inner) => [inner], leaf);
    expect(jsonDiff(deep(1), deep(2))).toHaveLength(1);
  });
});

describe("a rule in words", () => {
  const words = (rule: Partial<Told>) =>
    sentence({ effect: "allow", origin: "o", tool: "t", arguments: { covers: "any" }, lasts: "always", ...rule })
      .map((part) => (typeof part === "string" ? part : part.said))
      .join("");

  it("tells arguments from free ones, and texts from numbers", () => {
    const members: MemberPattern[] = [
      { name: "n", test: { is: "same", value: 3 } },
      { name: "s", test: { is: "same", value: "3" } },
      { name: "x", test: { is: "any" } },
      { name: "y", test: { is: "any" } },
    ];
    expect(words({ arguments: { covers: "members", members } })).toBe(
      "Until you revoke it, t of o runs without asking when n is 3 and s is “3”, whatever x and y are.",
    );
    const many = Array.from({ length: 30 }, (_, at) => ({ name: `m${at}`, test: { is: "any" } }) as MemberPattern);
    expect(words({ arguments: { covers: "members", members: many } })).toContain(", m7 and 22 more as chosen are.");
  });

  it.each([
    [{ lasts: "session" }, "Until Countersign ends, t of o runs without asking, whatever its arguments are."],
    [{ lasts: "task", ingress: "page" }, "Until the page is left or reloaded, t of o runs"],
    [{ effect: "hide" }, "Until you revoke it, agents do not see t of o."],
    [{ arguments: { covers: "exactly", canonical: "{}" } }, "runs without asking when it is called without arguments."],
    [{ effect: "refuse" }, "Until you revoke it, t of o is refused without asking, whatever its arguments are."],
  ] as [Partial<Told>, string][])("of %j", (rule, said) => {
    expect(words(rule)).toContain(said);
  });
});

describe("a capped text", () => {
  it("says how much is left out, and counts a character once", () => {
    expect(cut("abc", 3)).toEqual({ text: "abc", more: 0, words: "" });
    expect(cut("😀".repeat(5), 3)).toEqual({ text: "😀😀😀", more: 2, words: "… and 2 more characters" });
    expect(label("a\u202eb".repeat(100), 4)).toBe("a[U+202E]ba… and 296 more characters");
  });
});

describe("the prelude of a press", () => {
  it("names what came before and forgets the press before it", () => {
    const prelude = new Prelude();
    const click = new MouseEvent("click");
    prelude.note(new KeyboardEvent("keydown", { key: "a" }));
    prelude.note(new MouseEvent("mousedown"));
    expect(prelude.take(click)).toBe("mousedown:untrusted");
    expect(prelude.take(click)).toBe("none");
    const enter = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true });
    prelude.note(new KeyboardEvent("keydown", { key: "Control" }));
    prelude.note(enter);
    expect(prelude.take(enter)).toBe("keydown:untrusted");
  });
});
