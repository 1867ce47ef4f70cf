// The same server over HTTP: who is let in at the door, and what the official clients do there.

import { request } from "node:http";
import { createServer } from "node:net";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { read } from "./kinds.ts";
import { Rig } from "./rig.ts";

let rig: Rig;
let token: string;

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

beforeAll(async () => {
  rig = await Rig.start(undefined, await freePort());
  token = String(await rig.do({ do: "token", name: "laptop" }));
  await rig.example("shop");
});
afterAll(() => rig.end());

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One request as it is on the wire; `fetch` would not send a foreign host. */
function raw(headers: Record<string, string>, path = "/mcp"): Promise<{ status: number; body: string }> {
  const url = new URL(rig.http);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } });
  const sent = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const one = request({ host: "127.0.0.1", port: url.port, path, method: "POST", headers: sent }, (answer) => {
      let text = "";
      answer.on("data", (part: Buffer) => (text += part.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    one.on("error", reject);
    one.end(body);
  });
}

it("listens on this computer only, and lets in nobody without a good token, from a page, or by another host", async () => {
  expect(rig.http).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const bearer = { authorization: `Bearer ${token}` };
  const good = await raw(bearer);
  expect(good.status).toBe(200);
  expect(good.body).toContain("check_proposal");
  const cases: [Record<string, string>, number][] = [
    [{}, 401],
    [{ authorization: "Bearer " }, 401],
    [{ authorization: `Bearer ${token}x` }, 401],
    [{ authorization: `Basic ${token}` }, 401],
    [{ ...bearer, host: "shop.example" }, 403],
    [{ ...bearer, host: "127.0.0.1:1" }, 403],
    [{ ...bearer, origin: "https://shop.example" }, 403],
    [{ ...bearer, origin: "null" }, 403],
    [{ ...bearer, origin: new URL(rig.http).origin }, 403],
  ];
  for (const [headers, status] of cases) expect((await raw(headers)).status, JSON.stringify(headers)).toBe(status);
  expect((await raw({}, "/")).status).toBe(401);
});

it("a token that was made anew or removed lets nobody in any more, and takes the pairing with it", async () => {
  const old = String(await rig.do({ do: "token", name: "spare" }));
  const bearer = { authorization: `Bearer ${old}` };
  expect((await raw(bearer)).status).toBe(200);
  await rig.do({ do: "token", name: "spare" });
  expect((await raw(bearer)).status).toBe(401);
});

const transports: [
  string,
  (
    name: string,
  ) => Promise<{ call: (tool: string, args?: object) => Promise<ReturnType<typeof read>>; close: () => Promise<void> }>,
][] = [
  [
    "typescript1",
    async (name) => {
      const client = new ClientV1({ name, version: "1.0" });
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      await client.connect(new HttpV1(new URL(rig.http), { requestInit }) as unknown as Transport);
      return {
        call: async (tool, args = {}) => read(await client.callTool({ name: tool, arguments: { ...args } })),
        close: () => client.close(),
      };
    },
  ],
  [
    "typescript2",
    async (name) => {
      const client = new ClientV2({ name, version: "1.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      await client.connect(new HttpV2(new URL(rig.http), { requestInit }));
      return {
        call: async (tool, args = {}) => read(await client.callTool({ name: tool, arguments: { ...args } })),
        close: () => client.close(),
      };
    },
  ],
];

it.each(transports)("%s: reads, and has a write held and released", async (kind, start) => {
  const client = await start(`${kind}-http`);
  expect((await client.call("t1_list_products")).text).toContain("approval window");
  const paired = (await rig.pair(`${kind}-http`)) as { who: object };
  expect(paired.who).toMatchObject({ way: "http", token: "laptop" });
  await expect.poll(async () => (await client.call("t1_list_products")).text).toContain("espresso");
  const held = await client.call("t1_add_to_basket", { product: "espresso", quantity: 1 });
  expect(held.data).toMatchObject({ status: "held" });
  const id = String(held.data["proposal"]);
  await rig.release(id);
  expect((await client.call("wait_for_decision", { proposal: id })).data).toMatchObject({ status: "committed" });
  await client.close();
});
