// The official clients against a real desk and a real page: what every one of them can do, and what none of them can.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { KINDS, type AnyClient } from "./kinds.ts";
import { Rig } from "./rig.ts";

const OWN = ["check_proposal", "list_pages", "list_proposals", "wait_for_decision", "withdraw_proposal"];
const BASKET = { product: "espresso", quantity: 2 };

describe.each(Object.entries(KINDS))("%s", (kind, start) => {
  let rig: Rig;
  const open: AnyClient[] = [];

  beforeAll(async () => {
    rig = await Rig.start();
    await rig.example("shop");
  });
  afterAll(() => rig.end());
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });

  async function client(name: string) {
    const one = await start(rig, name);
    open.push(one);
    return one;
  }

  async function sees(one: AnyClient, tool: string, there = true) {
    await expect
      .poll(async () => (await one.list()).some(({ name }) => name === tool), { timeout: 20_000 })
      .toBe(there);
  }

  async function paired(name: string) {
    const one = await client(name);
    await one.list();
    await rig.pair(name);
    await sees(one, "t1_place_order");
    return one;
  }

  it("sees no page and calls none before it is paired, and is told of the tools then", async () => {
    const one = await client(`${kind}-new`);
    const before = await one.list();
    expect(before.map((tool) => tool.name).sort()).toEqual(OWN);
    const refused = await one.call("t1_list_products");
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("approval window");
    const changed = one.listChanged();
    await rig.pair(`${kind}-new`);
    await changed;
    await sees(one, "t1_place_order");
    const after = await one.list();
    const closes = after.find((tool) => tool.name === "t1_close_account");
    expect(closes?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    const adds = after.find((tool) => tool.name === "t1_add_to_basket");
    expect(adds?.annotations).toEqual({ readOnlyHint: false });
    expect(after.find((tool) => tool.name === "t1_list_products")?.annotations?.readOnlyHint).toBe(true);
    expect(after.some((tool) => tool.name.includes("preview"))).toBe(false);
    const pages = await one.call("list_pages");
    expect(pages.data).toMatchObject({ pages: [{ handle: "t1", title: expect.stringContaining("Harbour") }] });
    const { clients } = await rig.state();
    const known = clients.find((other) => other.who.name === `${kind}-new`);
    expect(known?.who).toMatchObject({ version: "1.0", program: expect.stringMatching(/node|python/) });
  });

  it("reads at once; a write is held, and runs once when it is released", async () => {
    const one = await paired(`${kind}-writes`);
    const read = await one.call("t1_list_products");
    expect(read.isError).toBe(false);
    expect(read.text).toContain("espresso");
    const held = await one.call("t1_add_to_basket", BASKET);
    expect(held.isError).toBe(false);
    expect(held.data).toMatchObject({ status: "held", settled: false, changed: "nothing yet" });
    expect(held.text).toContain("neither success nor failure");
    const id = String(held.data["proposal"]);
    expect((await one.call("t1_get_basket")).text).not.toContain("espresso");
    expect((await one.call("check_proposal", { proposal: id })).data).toMatchObject({ status: "held" });

    let beats = 0;
    const waits = one.call("wait_for_decision", { proposal: id, seconds: 30 }, { onProgress: () => (beats += 1) });
    await rig.release(id);
    const done = await waits;
    expect(done.data).toMatchObject({ proposal: id, status: "committed", settled: true });
    expect(beats).toBeGreaterThan(0);
    expect((await one.call("t1_get_basket")).text).toContain("espresso");
    expect((await one.call("list_proposals")).data["proposals"]).toHaveLength(1);
  });

  it("is told with its next answer what became of a write it did not wait for", async () => {
    const one = await paired(`${kind}-late`);
    const held = await one.call("t1_set_delivery_note", { note: "At the back" });
    const id = String(held.data["proposal"]);
    await rig.refuse(id, "Ring the bell instead.");
    const read = await one.call("t1_list_products");
    expect(read.more.join(" ")).toContain("Ring the bell instead.");
    expect((await one.call("t1_list_products")).more).toEqual([]);
    expect((await one.call("check_proposal", { proposal: id })).data).toMatchObject({
      status: "refused",
      changed: "nothing",
    });
  });

  it("takes a write back, and no other client can", async () => {
    const [one, other] = [await paired(`${kind}-one`), await paired(`${kind}-other`)];
    const id = String((await one.call("t1_add_to_basket", BASKET)).data["proposal"]);
    expect((await other.call("withdraw_proposal", { proposal: id })).isError).toBe(true);
    expect((await other.call("check_proposal", { proposal: id })).isError).toBe(true);
    expect((await other.call("list_proposals")).data["proposals"]).toEqual([]);
    expect((await one.call("withdraw_proposal", { proposal: id })).data).toMatchObject({ status: "withdrawn" });
    const { proposals } = await rig.state();
    expect(proposals.find((card) => card.id === id)?.state.state).toBe("withdrawn");
    expect(proposals.find((card) => card.id === id)?.caller.name).toMatch(
      new RegExp(`^${kind}-one 1.0 \\(process \\d+\\)$`),
    );
  });

  it("gives up waiting, and the write stays held", async () => {
    const one = await paired(`${kind}-gives-up`);
    const id = String((await one.call("t1_add_to_basket", BASKET)).data["proposal"]);
    const gone = new AbortController();
    const onProgress = () => gone.abort();
    const waits = one.call("wait_for_decision", { proposal: id, seconds: 50 }, { signal: gone.signal, onProgress });
    await expect(waits).rejects.toThrow();
    await expect(one.call("wait_for_decision", { proposal: id, seconds: 50 }, { timeout: 1_000 })).rejects.toThrow();
    expect((await one.call("check_proposal", { proposal: id })).data).toMatchObject({ status: "held" });
    await one.call("withdraw_proposal", { proposal: id });
  });

  it("goes, comes back, and finds what it asked for", async () => {
    const name = `${kind}-returns`;
    const first = await paired(name);
    const id = String((await first.call("t1_add_to_basket", BASKET)).data["proposal"]);
    open.splice(open.indexOf(first), 1);
    await first.close();
    const second = await client(name);
    expect((await second.call("check_proposal", { proposal: id })).data).toMatchObject({ status: "held" });
    await rig.release(id);
    const done = await second.call("wait_for_decision", { proposal: id });
    expect(done.data).toMatchObject({ status: "committed" });
  });

  it("is told why a tool is not there any more", async () => {
    const one = await paired(`${kind}-gone`);
    const changed = one.listChanged();
    await rig.do({ do: "writes", revoked: true });
    await changed;
    await sees(one, "t1_place_order", false);
    const gone = await one.call("t1_place_order");
    expect(gone.isError).toBe(true);
    expect(gone.text).toContain("the person withdrew every tool that changes something");
    expect((await one.call("t9_nothing")).text).toContain("There is no tool `t9_nothing`");
    await rig.do({ do: "writes", revoked: false });
  });

  it("has no tool that decides, and cannot call a preview or anything by another name", async () => {
    const one = await paired(`${kind}-decides`);
    const id = String((await one.call("t1_add_to_basket", BASKET)).data["proposal"]);
    for (const name of [
      "release",
      "approve",
      "approval_release",
      "release_proposal",
      "add_to_basket",
      "t1_place_order.preview",
    ]) {
      const refused = await one.call(name, { proposal: id });
      expect(refused.isError, name).toBe(true);
    }
    expect((await one.call("check_proposal", { proposal: id })).data).toMatchObject({ status: "held" });
    await one.call("withdraw_proposal", { proposal: id });
  });
});
