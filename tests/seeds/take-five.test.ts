// What Take Five says of itself, tried on our room. docs/seeds.md has the claims that other tests hold.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Entry } from "../../bridge/page/library/src/index";
import { DESK, openSite, type Site } from "./site";

const READS = ["current_phase", "get_artefact", "list_seats", "read_ledger", "verify_receipt"];
const ASKING = ["check_proposal", "list_proposals"];
/** A tool of the page that the room does not offer itself: the library's, for what waits. */
const own = (names: string[]) => names.filter((name) => !ASKING.includes(name) && !name.endsWith(".preview")).sort();

interface Row {
  seq: number;
  kind: string;
  grade: string;
  seat: string;
  ref?: string;
  data: Record<string, unknown>;
  hash: string;
}

let site: Site;
beforeAll(async () => {
  site = await openSite("room");
});
afterAll(() => site.close());

const ready = () => site.tab.run(() => until(async () => document.querySelector("#advance:enabled")));
beforeEach(async () => {
  await site.open();
  await ready();
});

const names = () => site.tab.run(async () => Object.keys(await listed()));
const ask = (name: string, args: object = {}) => site.tab.run((name, args) => asked(name, args), name, args);

/** Goes on by the host's button until the room is in the phase. */
const goTo = async (phase: string) => {
  const now = () => site.tab.run(() => document.querySelector("[aria-current]")?.textContent);
  for (let steps = 0; steps < 5 && (await now()) !== phase; steps += 1) {
    const before = await now();
    await site.press("#advance");
    await site.tab.run(
      (before) => until(() => document.querySelector("[aria-current]")?.textContent !== before),
      before,
    );
  }
  expect(await now()).toBe(phase);
  await site.tab.run((phase) => until(async () => (await asked("current_phase"))["phase"] === phase), phase);
};

/** Waits for the tools of a phase, which come when those of the one before have answered. */
const toolsOf = (wanted: string[]) =>
  expect.poll(async () => own(await names()), { timeout: 10_000 }).toEqual([...READS, ...wanted].sort());

/** The whole record, read as an agent reads it. */
const record = () =>
  site.tab.run(async () => {
    const rows: unknown[] = [];
    let cursor: unknown = 0;
    do {
      const part = await asked("read_ledger", { cursor, limit: 20 });
      rows.push(...(part["rows"] as unknown[]));
      cursor = part["next_cursor"];
    } while (cursor !== null);
    return rows;
  }) as Promise<Row[]>;

const released = async (id: string) => {
  await site.press(`[data-proposal="${id}"] button.main`);
  await expect.poll(async () => (await ask("check_proposal", { proposal: id }))["status"]).toMatch(/committed|failed/);
};

const sealAndRelease = async (position: string, id: string) => {
  const { nonce, commitment } = await ask("prepare_commitment", { position });
  await ask("commit_to_round", { commitment });
  await released(id);
  return { nonce: String(nonce), commitment: String(commitment) };
};

describe("the phase", () => {
  test("the phase the room is in is the set of tools the page offers", async () => {
    await toolsOf(["add_artefact"]);
    await goTo("Commit");
    await toolsOf(["commit_to_round", "prepare_commitment"]);
    await goTo("Reveal");
    await toolsOf(["reveal_in_round"]);
    await goTo("Ruling");
    await toolsOf(["ratify"]);
    await goTo("Closed");
    await toolsOf([]);
  });

  test("a tool whose phase is over is gone, and a call of the one that was listed fails", async () => {
    await goTo("Commit");
    await toolsOf(["commit_to_round", "prepare_commitment"]);
    await site.tab.run(async () => {
      const { commit_to_round: kept } = await listed();
      Object.assign(window, { kept });
    });
    await goTo("Reveal");
    await toolsOf(["reveal_in_round"]);
    const late = await site.tab.run(async () => {
      const context = (
        document as unknown as { modelContext: { executeTool(tool: unknown, args: object): Promise<string> } }
      ).modelContext;
      const { kept } = window as unknown as { kept: unknown };
      return context.executeTool(kept, { commitment: "0".repeat(64) }).then(String, () => "failed");
    });
    expect(late).toBe("failed");
    expect((await record()).filter(({ kind }) => kind === "sealed" || kind === "asked")).toEqual([]);
  });

  test("only the next phase is legal, and only the host goes on", async () => {
    const faults = await site.tab.run(async () => {
      const { createProceeding } = await load("/proceeding.js");
      const { createRecord } = await load("/shared/record.js");
      const room = createProceeding(createRecord());
      const host = { door: "screen", seat: "host" };
      const tried = (to: string, by: object) =>
        room.advance(to, by).then(
          () => room.phase,
          ({ why }: { why: string }) => why,
        );
      return [
        await tried("Reveal", host),
        await tried("Open", host),
        await tried("Commit", { door: "tool", seat: "agent" }),
        await tried("Commit", host),
        await tried("Open", host),
      ];
    });
    expect(faults).toEqual([
      "not-the-next-phase",
      "not-the-next-phase",
      "not-the-host",
      "Commit",
      "not-the-next-phase",
    ]);
    // And no tool does it: going through all phases offers none but those of the first test.
  });

  test("the tools change where no toolchange event arrives, too, and the page shows the new ones", async () => {
    await site.open("/", [
      `const { addEventListener } = EventTarget.prototype;
       EventTarget.prototype.addEventListener = function (type, ...rest) {
         return type === "toolchange" ? undefined : addEventListener.call(this, type, ...rest);
       };`,
    ]);
    await ready();
    await goTo("Commit");
    await toolsOf(["commit_to_round", "prepare_commitment"]);
    await expect
      .poll(() => site.tab.run(() => document.querySelector(".tools")?.textContent))
      .toContain("commit_to_round");
  });
});

describe("the record", () => {
  test("every row has seat, way in and grade, and the grade comes from the door and never from who appends", async () => {
    const seen = await site.tab.run(async () => {
      const { createRecord } = await load("/shared/record.js");
      const record = createRecord();
      const fault = (draft: object) => {
        try {
          record.append(draft);
          return "taken";
        } catch (error) {
          return (error as Error).name;
        }
      };
      const forged = await record.append({
        ...{ door: "tool", seat: "agent", kind: "x", grade: "server-observed", ingress: "approval" },
        data: { grade: "server-observed" },
      });
      const partner = await record.append({ door: "partner", seat: "https://partner.example", kind: "claim" });
      const faults = [
        { kind: "x", seat: "agent" },
        { door: "attested", kind: "x", seat: "a" },
        { door: "tool", kind: "x" },
      ];
      return { forged, partner, faults: faults.map(fault), rows: record.rows().length };
    });
    expect(seen.forged).toMatchObject({ grade: "client-asserted", ingress: "page", seat: "agent" });
    expect(seen.partner).toMatchObject({ grade: "inherited", ingress: "partner" });
    expect(seen.faults).toEqual(["TypeError", "TypeError", "TypeError"]);
    expect(seen.rows).toBe(2);
  });

  test("nobody reads the room by its tools without leaving a mark", async () => {
    await ask("list_seats");
    await ask("read_ledger", { limit: 2 });
    await ask("get_artefact", { hash: "0".repeat(64) });
    const looks = (await record()).filter(({ kind }) => kind === "looked");
    expect(looks.slice(0, 4).map(({ data, seat, grade }) => [data["tool"], seat, grade])).toEqual(
      ["list_seats", "read_ledger", "get_artefact", "read_ledger"].map((tool) => [tool, "agent", "client-asserted"]),
    );
  });

  test("verification re-derives every row and fails for altered content, a severed link and one row that was rehashed", async () => {
    const found = await site.tab.run(async () => {
      const { createRecord, hashOf } = await load("/shared/record.js");
      const record = createRecord();
      for (const kind of ["a", "b", "c"])
        await record.append({ door: "screen", seat: "host", kind, data: { text: "ä €" } });
      const [one, two, three] = record.rows() as [Entry, Entry, Entry];
      const altered = { ...two, data: { ...(two.data as object), text: "other" } };
      const rehashed = { ...altered, hash: await hashOf(altered) };
      const chains = [
        [one, two, three],
        [one, altered, three],
        [one, three],
        [one, rehashed, three],
      ];
      const verdicts = await Promise.all(chains.map((chain) => Countersign.verify(chain)));
      return verdicts.map(({ rows, fault }) => [rows, fault?.line, fault?.reason]);
    });
    expect(found).toEqual([
      [3, null, null],
      [1, 2, "hash-mismatch"],
      [1, 2, "bad-sequence"],
      [2, 3, "broken-link"],
    ]);
    await site.press("#check");
    await expect
      .poll(() => site.tab.run(() => document.querySelector<HTMLElement>("#checked")?.dataset["fault"]))
      .toBe("no");
  });

  test("acts that overlap never fork the record", async () => {
    const found = await site.tab.run(async () => {
      const { createRecord } = await load("/shared/record.js");
      const record = createRecord();
      const acts = Array.from({ length: 30 }, (_, n) =>
        record.append({ door: "tool", seat: "agent", kind: "x", data: { text: "long ".repeat(30 - n) } }),
      );
      await Promise.all(acts);
      return Countersign.verify(record.rows());
    });
    expect(found).toMatchObject({ rows: 30 });
    await site.tab.run(() => Promise.all(Array.from({ length: 30 }, () => call("current_phase"))));
    const rows = await record();
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
    await site.press("#check");
    await expect
      .poll(() => site.tab.run(() => document.querySelector("#checked")?.textContent))
      .toMatch(/^Rows 1 to \d+ follow/);
  });

  test("an answer holds 1500 characters of rows or text, and says what it leaves out", async () => {
    await site.tab.run(() => Promise.all(Array.from({ length: 12 }, () => call("list_seats"))));
    const part = await ask("read_ledger", { limit: 20 });
    expect(JSON.stringify(part["rows"]).length).toBeLessThanOrEqual(1500);
    expect(part).toMatchObject({ truncated: true, note: expect.stringContaining(`${part["left"]} more rows`) });
    expect((part["rows"] as Row[]).length + Number(part["left"])).toBe(part["total"]);
    const more = await ask("read_ledger", { cursor: part["next_cursor"], limit: 1 });
    expect((more["rows"] as Row[])[0]?.seq).toBe(Number(part["next_cursor"]) + 1);

    await ask("add_artefact", { name: "long.txt", text: "word ".repeat(500) });
    await released("p1");
    const { hash } = (await record()).filter(({ kind }) => kind === "artefact").at(-1)?.data ?? {};
    const first = await ask("get_artefact", { hash });
    expect(first).toMatchObject({ truncated: true, characters: 2500, left: 1000, next_offset: 1500 });
    const rest = await ask("get_artefact", { hash, offset: 1500 });
    expect(rest).toMatchObject({ truncated: false, left: 0 });
    expect(`${first["text"]}${rest["text"]}`).toBe("word ".repeat(500));
  });

  test("a receipt is verified by working its hash out anew", async () => {
    const [, row] = await record();
    const { hash, seq } = row as Row;
    expect(await ask("verify_receipt", { hash })).toMatchObject({
      ...{ found: true, seq, recomputed: hash, content_matches_hash: true, links_to_predecessor: true },
    });
    expect(await ask("verify_receipt", { hash: "0".repeat(64) })).toMatchObject({ found: false });
  });

  test("the room is per visit and in memory", async () => {
    await goTo("Commit");
    await site.tab.go(site.url());
    await ready();
    expect(await ask("current_phase")).toMatchObject({ phase: "Open" });
    expect((await record()).some(({ kind }) => kind === "phase")).toBe(false);
  });
});

describe("sealed positions", () => {
  test("a sealed position is not in the room before it is opened, and only its own text and nonce open it", async () => {
    await goTo("Commit");
    const position = "Open from ten, said nobody else";
    const { nonce, commitment } = await sealAndRelease(position, "p1");
    const recomputed = await site.tab.run(async (text) => {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    }, `${position}|${nonce}`);
    expect(commitment).toBe(recomputed);
    const everything = () => site.tab.run(() => document.body.textContent ?? "");
    expect(await everything()).not.toContain(position);
    expect(JSON.stringify(await record())).not.toContain(position);

    await goTo("Reveal");
    await ask("reveal_in_round", { position: "Something else", nonce });
    await released("p2");
    expect((await record()).find(({ kind }) => kind === "not-opened")?.data).toMatchObject({ matches: false });
    await ask("reveal_in_round", { position, nonce });
    // Asking does not open it yet.
    expect(JSON.stringify(await record())).not.toContain(position);
    await released("p3");
    // The check runs in the page, so nothing stronger is claimed for it.
    expect((await record()).find(({ kind }) => kind === "opened")).toMatchObject({
      ...{ grade: "client-asserted", seat: "agent", ref: "p3" },
      data: { commitment, position, matches: true },
    });
    expect(await everything()).toContain(position);
  });

  test("a position can be sealed and opened by hand as well", async () => {
    await goTo("Commit");
    await site.tab.run(() => {
      (document.querySelector("#position") as HTMLTextAreaElement).value = "By hand";
    });
    await site.press("#seal-form button");
    await site.tab.run(() => until(() => document.querySelector(".position")));
    await goTo("Reveal");
    await site.press("#open-form button");
    await site.tab.run(() => until(() => document.querySelector(".position[data-open]")));
    expect((await record()).find(({ kind }) => kind === "opened")).toMatchObject({
      ...{ seat: "host", data: { position: "By hand", matches: true } },
    });
  });
});

describe("the ask and the answer", () => {
  beforeEach(async () => {
    await goTo("Ruling");
    await toolsOf(["ratify"]);
  });

  test("ratify cannot ratify: it raises a request and rules nothing", async () => {
    expect(await ask("ratify", { ruling: "It opens." })).toMatchObject({ status: "held", changed: "nothing yet" });
    expect((await record()).some(({ kind }) => kind === "ruled")).toBe(false);
    expect(await site.tab.run(() => document.querySelector<HTMLElement>("#ruling")?.hidden)).toBe(true);
  });

  test("the ask and the answer are two rows, each by its own door", async () => {
    await ask("ratify", { ruling: "It opens." });
    await released("p1");
    const rows = (await record()).filter(({ ref }) => ref === "p1");
    expect(rows.map(({ kind, seat, data }) => [kind, seat, data["door"]])).toEqual([
      ["asked", "agent", "tool"],
      ["answered", "host", "screen"],
      ["ruled", "agent", "tool"],
    ]);
    expect(rows[0]?.data).toMatchObject({ tool: "ratify", ruling: "It opens." });
    expect(rows[1]?.data).toMatchObject({ decision: "released", event: "click", isTrusted: true });
  });

  test("a declined ratification stays in the record, and the reason reaches the agent", async () => {
    await ask("ratify", { ruling: "It opens." });
    await site.tab.run(() => {
      (document.querySelector("#reason-p1") as HTMLInputElement).value = "Not before spring.";
    });
    await site.press('[data-proposal="p1"] .buttons button:last-child');
    await expect
      .poll(() => ask("check_proposal", { proposal: "p1" }))
      .toMatchObject({ status: "refused", changed: "nothing", reason: "Not before spring." });
    await goTo("Closed");
    const rows = (await record()).filter(({ ref }) => ref === "p1");
    expect(rows.map(({ kind, data }) => [kind, data["decision"]])).toEqual([
      ["asked", undefined],
      ["answered", "refused"],
    ]);
  });

  test("a button that a script pressed is recorded as one, and the page never claims to know who pressed", async () => {
    await ask("ratify", { ruling: "It opens." });
    await site.tab.run(async () => {
      await until(() => document.querySelector('[data-proposal="p1"] button.main:enabled'));
      document.querySelector<HTMLElement>('[data-proposal="p1"] button.main')?.click();
      await until(async () => (await asked("check_proposal", { proposal: "p1" }))["status"] === "committed");
    });
    const rows = await record();
    expect(rows.find(({ kind }) => kind === "answered")?.data).toMatchObject({ event: "click", isTrusted: false });
    const said = await site.tab.run(async () =>
      JSON.stringify([
        document.body.textContent,
        Object.values(await listed()).map(({ name, description }) => [name, description]),
      ]),
    );
    expect(`${said}${JSON.stringify(rows)}`).not.toMatch(/human/i);
  });

  test("the browser offers no requestUserInteraction, and the room relies on none", async () => {
    const there = await site.tab.run(
      () => "requestUserInteraction" in (document as unknown as { modelContext: object }).modelContext,
    );
    expect(there).toBe(false);
  });
});

describe("the partner", () => {
  /** The partner's origin, as soon as its page has answered. */
  const partner = async () => {
    await site.tab.run(() => until(() => document.querySelector("#partner-state")?.textContent?.includes("runs on")));
    return site.tab.run(() => new URL(document.querySelector("iframe")?.src ?? "").origin);
  };

  test("a claim of another origin is carried word for word with its SHA-256, graded inherited", async () => {
    const origin = await partner();
    expect(origin).not.toBe(new URL(site.url()).origin);
    const claim = 'The ferry lands on Sundays: "yes", for 12 €\u0000 a head.';
    const frame = await site.frame(origin);
    await frame.run((claim) => {
      (document.querySelector("#claim") as HTMLTextAreaElement).value = claim;
      document.querySelector<HTMLElement>("#send")?.click();
    }, claim);
    await site.tab.run(() => until(() => document.querySelector('[data-kind="claim"]')));
    expect((await record()).find(({ kind }) => kind === "claim")).toMatchObject({
      ...{ grade: "inherited", seat: origin },
      data: { claim, origin, door: "partner", sha256: createHash("sha256").update(claim).digest("hex") },
    });
  });

  test("the partner's origin is shown the one tool that is exposed to it, and the page's own agent still has it", async () => {
    const frame = await site.frame(await partner());
    const seen = await frame.run(async () => {
      document.querySelector<HTMLElement>("#look")?.click();
      const said = () => document.querySelector("#seen")?.textContent ?? "";
      for (let tries = 0; tries < 500 && said() === ""; tries += 1) await new Promise((go) => setTimeout(go, 10));
      return said();
    });
    expect(seen).toBe("Of the room's tools this origin is shown current_phase, which says: Open.");
    expect((await record()).find(({ kind }) => kind === "looked")?.data).toMatchObject({ tool: "current_phase" });
    expect(await names()).toContain("current_phase");
    const policy = await site.tab.run(() =>
      Countersign.toolsPolicy(document.querySelector("iframe") as HTMLIFrameElement),
    );
    expect(policy).toBe("allowed");
  });

  test("no tool and no script of the page itself can make an inherited row", async () => {
    const origin = await partner();
    await site.tab.run((origin) => {
      const data = { type: "countersign:claim", claim: "forged" };
      dispatchEvent(new MessageEvent("message", { data, origin }));
      postMessage(data, "*");
    }, origin);
    for (const phase of ["Commit", "Reveal", "Ruling", "Closed"]) {
      expect((await names()).filter((name) => /claim|attest|partner/.test(name))).toEqual([]);
      await goTo(phase);
    }
    expect((await record()).filter(({ grade }) => grade === "inherited")).toEqual([]);
  });

  test("a partner that is not there is said, and no claim is made of it", async () => {
    await site.open("/?partner=http://localhost:9");
    await expect
      .poll(() => site.tab.run(() => document.querySelector("#partner-state")?.textContent), { timeout: 15_000 })
      .toContain("did not answer");
    expect(await site.tab.run(() => document.querySelector<HTMLElement>("iframe")?.hidden)).toBe(true);
  });
});

describe("with the desk", () => {
  test("the desk decides, the page says so and asks nothing, and the ask and the answer are two rows all the same", async () => {
    await site.open("/", [DESK]);
    await ready();
    expect(await site.tab.run(() => document.querySelector("#waiting")?.textContent)).toContain("Countersign is here");
    await goTo("Ruling");
    await toolsOf(["ratify"]);
    expect(await ask("ratify", { ruling: "It opens." })).toEqual({ ruling: "It opens." });
    const rows = (await record()).filter(({ ref }) => ref === "d1");
    expect(rows.map(({ kind, seat, grade }) => [kind, seat, grade])).toEqual([
      ["asked", "agent", "client-asserted"],
      ["answered", "desk", "client-asserted"],
      ["ruled", "agent", "client-asserted"],
    ]);
  });
});
