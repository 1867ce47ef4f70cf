// The app ends in the middle, and comes back.

import { afterEach, expect, it } from "vitest";
import { KINDS, type AnyClient } from "./kinds.ts";
import { Rig } from "./rig.ts";

let rig: Rig | undefined;
let client: AnyClient | undefined;

const sees = (ending: string) =>
  expect
    .poll(async () => (await client?.list())?.some(({ name }) => name.endsWith(ending)), { timeout: 20_000 })
    .toBe(true);

afterEach(async () => {
  await client?.close();
  await rig?.end();
});

it.each(Object.entries(KINDS))(
  "%s: the app is killed while a write is held, and the client learns that it expired",
  async (kind, start) => {
    rig = await Rig.start();
    await rig.example("shop");
    client = await start(rig, kind);
    await client.list();
    await rig.pair(kind);
    await sees("_add_to_basket");
    const held = await client.call("t1_add_to_basket", { product: "espresso", quantity: 1 });
    const id = String(held.data["proposal"]);

    const gone = client.listChanged();
    await rig.kill();
    await gone;
    const away = await client.call("t1_list_products");
    expect(away.isError).toBe(true);
    expect(away.text).toContain("Countersign does not answer");

    const back = client.listChanged();
    rig = await Rig.start(rig.folder);
    await back;
    const told = await client.call("check_proposal", { proposal: id });
    expect(told.data).toMatchObject({ proposal: id, status: "expired", settled: true, changed: "nothing" });
    expect(told.text).toContain("cannot be released any more");
    const { clients } = await rig.state();
    expect(clients.map((one) => one.who.name)).toEqual([kind]);
    // Its pairing was in the ledger.
    await rig.example("shop");
    await sees("_add_to_basket");
  },
);
