// A write that is held for longer than its client waits for anything: `COUNTERSIGN_HOLD=600 COUNTERSIGN_LIMIT=60` for ten minutes.

import { afterAll, beforeAll, expect, it } from "vitest";
import { KINDS } from "./kinds.ts";
import { Rig } from "./rig.ts";

const seconds = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const HOLD = seconds("COUNTERSIGN_HOLD", 6);
const LIMIT = seconds("COUNTERSIGN_LIMIT", 3);
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start();
  await rig.example("shop");
});
afterAll(() => rig.end());

it(
  `held for ${HOLD} s, asked for by clients that wait ${LIMIT} s at most, each runs exactly once and its client learns it`,
  { timeout: (HOLD + 120) * 1_000 },
  async () => {
    const timeout = LIMIT * 1_000;
    const each = Object.entries(KINDS).map(async ([kind, start], at) => {
      const client = await start(rig, kind);
      await client.list();
      return { kind, client, quantity: at + 1 };
    });
    const clients = await Promise.all(each);
    for (const { kind } of clients) await rig.pair(kind);
    const held = await Promise.all(
      clients.map(async ({ client, quantity }) => {
        const ask = () => client.call("t1_add_to_basket", { product: "espresso", quantity }, { timeout });
        let asked = await ask();
        // The list of tools may reach a client a moment after its pairing.
        while (asked.isError) asked = await ask();
        return String(asked.data["proposal"]);
      }),
    );
    const until = Date.now() + HOLD * 1_000;
    while (Date.now() < until) {
      const wait = Math.max(1, Math.floor(LIMIT * 0.75));
      const waits = clients.map(({ client }, at) =>
        client.call("wait_for_decision", { proposal: held[at], seconds: wait }, { timeout }),
      );
      for (const answer of await Promise.all(waits)) expect(answer.data).toMatchObject({ status: "held" });
    }
    for (const [at, { client }] of clients.entries()) {
      const proposal = held[at] ?? "";
      await rig.release(proposal);
      const done = await client.call("wait_for_decision", { proposal }, { timeout });
      expect(done.data).toMatchObject({ proposal, status: "committed", settled: true });
    }
    const basket = (await clients[0]?.client.call("t1_get_basket"))?.text ?? "";
    const quantity = clients.reduce((sum, one) => sum + one.quantity, 0);
    expect(JSON.parse(basket)).toMatchObject({ lines: [{ quantity }] });
    for (const { client } of clients) await client.close();
  },
);
