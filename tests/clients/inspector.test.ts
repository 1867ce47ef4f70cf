// The command line of the MCP inspector, as somebody would use it to look at a server: a new process for every call.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { read } from "./kinds.ts";
import { BRIDGE, Rig } from "./rig.ts";

const INSPECTOR = fileURLToPath(new URL("node_modules/.bin/mcp-inspector", import.meta.url));
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start();
  await rig.example("shop");
});
afterAll(() => rig.end());

async function inspect(...args: string[]): Promise<Record<string, unknown>> {
  const variables = Object.entries(rig.environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const env = { ...process.env, HOME: rig.folder };
  const called = ["--cli", ...args, ...variables, "--", BRIDGE, "mcp"];
  const { stdout } = await promisify(execFile)(INSPECTOR, called, { env });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const call = async (tool: string, ...pairs: string[]) =>
  read(await inspect("--method", "tools/call", "--tool-name", tool, ...pairs.flatMap((pair) => ["--tool-arg", pair])));

async function names() {
  const { tools } = (await inspect("--method", "tools/list")) as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
}

it("lists, reads, has a write held, and finds it again in other processes", async () => {
  expect(await names()).not.toContain("t1_list_products");
  // It has gone again already, and can be paired all the same.
  const [asking] = (await rig.state()).clients;
  await rig.pair(asking?.who.name ?? "");
  expect(await names()).toContain("t1_list_products");
  expect((await call("t1_list_products")).text).toContain("espresso");
  const held = await call("t1_add_to_basket", "product=espresso", "quantity=1");
  expect(held.data).toMatchObject({ status: "held" });
  const id = String(held.data["proposal"]);
  await rig.release(id);
  expect((await call("check_proposal", `proposal=${id}`)).data).toMatchObject({ status: "committed", settled: true });
  expect((await call("t1_get_basket")).text).toContain("espresso");
});
