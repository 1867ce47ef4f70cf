// Calls a second, from an MCP client over stdio to a page and back: through Countersign (bridge program, local socket, desk, ledger,
// mcp-b door) and through @mcp-b/webmcp-local-relay, with the same client and the same page, in turns. Linux.
// `node bench.mjs FOLDER-OF-PROGRAMS`

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "./client.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const RELAY = path.join(HERE, "node_modules/@mcp-b/webmcp-local-relay/dist/cli.js");
const ORIGIN = "http://localhost:8080";
const ROUNDS = 7;
const WARM_UP = 500;
const SERIAL = 1500;
const TOGETHER = 6000;
const IN_FLIGHT = 32;

const programs = process.argv[2];
const ends = [];

async function page(port) {
  const child = spawn(process.execPath, [path.join(HERE, "page.mjs"), String(port), ORIGIN], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(() => child.kill());
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("exit", () => reject(new Error("the page could not connect")));
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function countersign() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "countersign-bench-"));
  const rig = spawn(path.join(programs, "desk_rig"), [folder], { stdio: ["pipe", "pipe", "ignore"] });
  ends.push(async () => {
    const ended = new Promise((resolve) => rig.once("exit", resolve));
    rig.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  const lines = createInterface({ input: rig.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  await next();
  const tell = async (command) => {
    rig.stdin.write(`${JSON.stringify(command)}\n`);
    const { ok, error } = await next();
    if (error) throw new Error(error);
    return ok;
  };
  const address = await tell({ do: "mcp-b", origin: ORIGIN });
  const client = new Client(path.join(programs, "countersign-bridge"), ["mcp"], {
    COUNTERSIGN_DATA: folder,
    COUNTERSIGN_APP: "/nowhere",
  });
  ends.push(() => client.end());
  await client.begin("bench");
  await tell({ do: "pair", name: "bench" });
  await page(address.split(":")[1]);
  return { name: "Countersign", client, tool: await client.listed("look_up") };
}

async function otherRelay() {
  const port = await freePort();
  const args = [RELAY, "--port", String(port), "--widget-origin", ORIGIN];
  const client = new Client(process.execPath, args, {});
  ends.push(() => client.end());
  await client.begin("bench");
  await page(port);
  return { name: "webmcp-local-relay", client, tool: await client.listed("look_up") };
}

async function call({ client, tool }, number) {
  const result = await client.ask("tools/call", { name: tool, arguments: { number } });
  const text = result.content?.[0]?.text;
  if (result.isError || text !== "The answer, which takes no time.") throw new Error(`a call failed: ${text}`);
}

async function measure(bridge, calls, inFlight) {
  const times = [];
  let left = calls;
  const began = performance.now();
  const one = async () => {
    while (left > 0) {
      const number = left--;
      const at = performance.now();
      await call(bridge, number);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  const rate = calls / ((performance.now() - began) / 1000);
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(times.length * part)];
  return { rate, p50: at(0.5), p95: at(0.95) };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function report(name, kind, rounds) {
  const of = (what) => median(rounds.map((round) => round[what]));
  const rates = rounds.map((round) => Math.round(round.rate));
  const spread = `${Math.min(...rates)} to ${Math.max(...rates)}`;
  const times = `p50 ${of("p50").toFixed(2)} ms, p95 ${of("p95").toFixed(2)} ms`;
  console.log(`${name}, ${kind}: ${Math.round(of("rate"))} calls/s (${spread}), ${times}`);
}

try {
  const bridges = [await countersign(), await otherRelay()];
  for (const bridge of bridges) {
    await measure(bridge, WARM_UP, 1);
    await measure(bridge, WARM_UP * 4, IN_FLIGHT);
    bridge.serial = [];
    bridge.together = [];
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const turn = round % 2 === 0 ? bridges : [...bridges].reverse();
    for (const bridge of turn) bridge.serial.push(await measure(bridge, SERIAL, 1));
    for (const bridge of turn) bridge.together.push(await measure(bridge, TOGETHER, IN_FLIGHT));
  }
  console.log(`${os.cpus().length} cores (${os.cpus()[0].model}), Linux ${os.release()}, Node ${process.version}`);
  console.log(`${ROUNDS} rounds in turns; medians of rounds\n`);
  for (const bridge of bridges) {
    report(bridge.name, "one after the other", bridge.serial);
    report(bridge.name, `${IN_FLIGHT} in flight`, bridge.together);
    const { now, most } = bridge.client.memory();
    console.log(
      `${bridge.name}, memory of the process the client starts: ${now.toFixed(1)} MB (${most.toFixed(1)} MB at most)\n`,
    );
  }
  const ratio = (kind) => {
    const ratios = bridges[0][kind].map((round, at) => round.rate / bridges[1][kind][at].rate);
    return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
  };
  console.log(
    `times as many calls, round by round: one after the other ${ratio("serial")}, in flight ${ratio("together")}`,
  );
} finally {
  for (const end of ends.reverse()) await end();
}
