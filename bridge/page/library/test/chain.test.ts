import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, createChain, type Draft, type Entry, GENESIS } from "../src/chain";
import { sha256 } from "../src/digest";
import { verify } from "../src/verify";

const AT = Date.parse("2027-01-02T03:04:05.678Z");

const chainOf = async (drafts: Draft[]) => {
  const chain = createChain(() => AT);
  await Promise.all(drafts.map((draft) => chain.append(draft)));
  return chain;
};
const drafts = () =>
  fc.array(
    fc.record<Draft>(
      {
        kind: fc.constantFrom("proposed", "released", "outcome", "claim"),
        ingress: fc.constantFrom("page", "partner"),
        seat: fc.string(),
        ref: fc.string(),
        data: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.boolean()))),
      },
      { requiredKeys: ["kind", "data"] },
    ),
    { minLength: 1, maxLength: 8 },
  );

test("an entry's bytes are those the desk's ledger would write", async () => {
  const facts = {
    seq: 7,
    prev: GENESIS.hash,
    at: "2027-01-02T03:04:05.678Z",
    kind: "proposed",
    grade: "client-asserted" as const,
    ingress: "page" as const,
    seat: 'a "page"',
    ref: "p3",
    data: { b: 1, a: ["é", null] },
  };
  // The same row as in the tests of the crate `ledger`.
  expect(bodyOf({ hash: "", ...facts })).toBe(
    `{"at":"2027-01-02T03:04:05.678Z","data":{"a":["é",null],"b":1},"grade":"client-asserted","ingress":"page",` +
      `"kind":"proposed","prev":"${"0".repeat(64)}","ref":"p3","seat":"a \\"page\\"","seq":7,"v":1}`,
  );
  expect(await sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

test("the lines are the hash and the body, and an entry without a reference says so", async () => {
  const chain = await chainOf([{ kind: "opened", data: {} }]);
  const [entry] = chain.entries() as [Entry];
  const body = bodyOf(entry);
  expect(body).toContain('"ref":null');
  expect(await chain.lines()).toBe(`${await sha256(body)} ${body}\n`);
});

test("entries stand in the order in which they were given, each linked to the one before", async () => {
  await fc.assert(
    fc.asyncProperty(drafts(), async (list) => {
      const chain = await chainOf(list);
      const entries = chain.entries();
      expect(entries.map(({ kind }) => kind)).toEqual(list.map(({ kind }) => kind));
      expect(entries.map(({ prev }) => prev)).toEqual([GENESIS.hash, ...entries.slice(0, -1).map(({ hash }) => hash)]);
      expect(await verify(entries)).toEqual({ rows: list.length, head: chain.head().hash });
    }),
    { numRuns: 30 },
  );
});

test("what was given can no longer be changed", async () => {
  const data = { inner: { amount: "1" } };
  const chain = createChain();
  const appended = chain.append({ kind: "proposed", data });
  data.inner.amount = "2";
  const entry = await appended;
  expect(entry.data).toEqual({ inner: { amount: "1" } });
  expect(() => Object.assign(entry.data as object, { more: 1 })).toThrow(TypeError);
  expect(() => (chain.entries() as Entry[]).push(entry)).not.toThrow();
  expect(chain.entries()).toHaveLength(1);
});

test("a body that cannot be is refused, and the next one still stands", async () => {
  const chain = createChain();
  const float = chain.append({ kind: "proposed", data: { price: 0.5 } });
  const next = chain.append({ kind: "proposed", data: { price: "0.5" } });
  await expect(float).rejects.toThrow("/price");
  expect((await next).seq).toBe(1);
});

describe("a chain that was changed", () => {
  test("is found at the entry, whatever was changed", async () => {
    await fc.assert(
      fc.asyncProperty(
        drafts(),
        fc.nat(),
        fc.constantFrom("seq", "prev", "at", "kind", "seat", "data", "hash"),
        async (list, place, member) => {
          const entries = [...(await chainOf(list)).entries()];
          const index = place % entries.length;
          const entry = entries[index] as Entry;
          const other = {
            seq: entry.seq + 1,
            prev: "1".repeat(64),
            at: "2028-01-01T00:00:00.000Z",
            hash: "1".repeat(64),
          };
          const value = { kind: `${entry.kind}x`, seat: `${entry.seat}x`, data: [entry.data], ...other }[member];
          entries[index] = { ...entry, [member]: value };
          expect(await verify(entries)).toMatchObject({
            rows: index,
            fault: { line: index + 1, reason: "hash-mismatch" },
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  test("is found when an entry was changed and hashed anew", async () => {
    const entries = [...(await chainOf([1, 2, 3].map((n) => ({ kind: "proposed", data: { n } })))).entries()];
    const changed = { ...(entries[1] as Entry), data: { n: 9 } };
    entries[1] = { ...changed, hash: await sha256(bodyOf(changed)) };
    expect((await verify(entries)).fault).toMatchObject({ line: 3, reason: "broken-link" });
  });

  test("is found when entries are missing, doubled or swapped", async () => {
    const [one, two, three] = (await chainOf([1, 2, 3].map((n) => ({ kind: "proposed", data: { n } })))).entries() as [
      Entry,
      Entry,
      Entry,
    ];
    for (const entries of [
      [one, three],
      [two, three],
      [one, one, two],
      [one, three, two],
    ]) {
      expect((await verify(entries)).fault?.reason).toBe("bad-sequence");
    }
  });

  test("is found when an entry claims a grade its way in cannot have", async () => {
    const [entry] = (await chainOf([{ kind: "released", data: {} }])).entries() as [Entry];
    const raised = { ...entry, grade: "attested" as const };
    const hashed = { ...raised, hash: await sha256(bodyOf(raised)) };
    expect((await verify([hashed])).fault?.reason).toBe("malformed");
  });

  test("is found when an entry has a member more", async () => {
    const [entry] = (await chainOf([{ kind: "released", data: {} }])).entries() as [Entry];
    expect((await verify([{ ...entry, more: 1 } as Entry])).fault?.reason).toBe("malformed");
  });
});
