// Calls a second, from an MCP client over stdio to a page and back: through Countersign (bridge program, local socket, desk, ledger,
// mcp-b door) and through @mcp-b/webmcp-local-relay, with the same client and the same page, in turns. Linux.
// `node bench.mjs FOLDER-OF-PROGRAMS`

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const RELAY = path.join(HERE, "node_modules/@mcp-b/webmcp-local-relay/dist/cli.js");
const ORIGIN = "http://localhost:8080";
const ROUNDS = 7;
const WARM_UP = 1000;
const SERIAL = 2000;
const TOGETHER = 8000;
const IN_FLIGHT = 32;

const programs = process.argv[2];
const ENDS = path.join(programs, "bridge_bench");
const ends = [];

/** A program that is told what to do by lines of JSON, and answers each. */
class Told {
  constructor(program, args, environment = {}) {
    const env = { ...process.env, ...environment };
    this.child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], env });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    ends.push(() => this.end());
  }

  async hear() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`${this.child.spawnfile} ended`);
    return value;
  }

  async do(task) {
    this.child.stdin.write(`${JSON.stringify(task)}\n`);
    const answer = JSON.parse(await this.hear());
    if (answer?.error) throw new Error(answer.error);
    return answer?.ok === undefined ? answer : answer.ok;
  }

  async end() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdin.end();
    await ended;
  }
}

async function page(port) {
  const child = spawn(ENDS, ["page", String(port), ORIGIN], { stdio: ["ignore", "pipe", "inherit"] });
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
  ends.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const desk = new Told(path.join(programs, "desk_rig"), [folder]);
  await desk.hear();
  const address = await desk.do({ do: "mcp-b", origin: ORIGIN });
  const environment = { COUNTERSIGN_DATA: folder, COUNTERSIGN_APP: "/nowhere" };
  const client = new Told(ENDS, ["client", path.join(programs, "countersign-bridge"), "mcp"], environment);
  await client.do({ do: "begin" });
  await desk.do({ do: "pair", name: "bench" });
  await page(address.split(":")[1]);
  return { name: "Countersign", client, others: [["the desk", desk.child.pid]] };
}

async function otherRelay() {
  const port = await freePort();
  const args = [RELAY, "--port", String(port), "--widget-origin", ORIGIN];
  const client = new Told(ENDS, ["client", process.execPath, ...args]);
  await client.do({ do: "begin" });
  await page(port);
  return { name: "webmcp-local-relay", client, others: [] };
}

/** Resident memory now and at most in MB, and the processor's time so far in ms. */
function uses(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (what) => (Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024).toFixed(1);
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13);
  return { now: of("VmRSS"), most: of("VmHWM"), busy: (Number(user) + Number(system)) * 10 };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function report(name, kind, rounds) {
  const of = (what) => median(rounds.map((round) => round[what]));
  const rates = rounds.map((round) => Math.round(round.rate));
  const spread = `${Math.min(...rates)} to ${Math.max(...rates)}`;
  const times = `p50 ${of("p50").toFixed(3)} ms, p95 ${of("p95").toFixed(3)} ms`;
  console.log(`${name}, ${kind}: ${Math.round(of("rate"))} calls/s (${spread}), ${times}`);
}

try {
  const bridges = [await countersign(), await otherRelay()];
  for (const bridge of bridges) {
    bridge.measure = (calls, inFlight) => bridge.client.do({ do: "measure", calls, in_flight: inFlight });
    await bridge.client.do({ do: "find", end: "look_up" });
    await bridge.measure(WARM_UP, 1);
    await bridge.measure(WARM_UP * 4, IN_FLIGHT);
    bridge.serial = [];
    bridge.together = [];
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const turn = round % 2 === 0 ? bridges : [...bridges].reverse();
    for (const bridge of turn) bridge.serial.push(await bridge.measure(SERIAL, 1));
    for (const bridge of turn) bridge.together.push(await bridge.measure(TOGETHER, IN_FLIGHT));
  }
  const calls = WARM_UP * 5 + ROUNDS * (SERIAL + TOGETHER);
  console.log(`${os.cpus().length} cores (${os.cpus()[0].model}), Linux ${os.release()}, Node ${process.version}`);
  console.log(`${ROUNDS} rounds in turns; medians of rounds\n`);
  for (const bridge of bridges) {
    report(bridge.name, "one after the other", bridge.serial);
    report(bridge.name, `${IN_FLIGHT} in flight`, bridge.together);
    const processes = [["what the client starts", await bridge.client.do({ do: "process" })], ...bridge.others];
    for (const [what, pid] of processes) {
      const { now, most, busy } = uses(pid);
      const each = ((busy / calls) * 1000).toFixed(0);
      console.log(`${bridge.name}, ${what}: ${now} MB (${most} MB at most), ${each} µs of processor a call`);
    }
    console.log();
  }
  const ratio = (kind) => {
    const ratios = bridges[0][kind].map((round, at) => round.rate / bridges[1][kind][at].rate);
    return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
  };
  console.log(`times as many calls: one after the other ${ratio("serial")}, in flight ${ratio("together")}`);
} finally {
  for (const end of ends.reverse()) await end();
}
