import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

const TARGET = fileURLToPath(new URL("../../target/debug/", import.meta.url));

/** The program that clients start. */
export const BRIDGE = path.join(TARGET, "countersign-bridge");

interface Answer {
  ok?: unknown;
  error?: string;
  ready?: { http?: string };
}

export interface Card {
  id: string;
  caller: { name: string; client?: string };
  state: { state: string };
}

export interface State {
  proposals: Card[];
  clients: { id: string; who: { name: string; version: string; program?: string; process?: number } }[];
}

/** The app without its windows, with a real browser; see `tests/src/bin/desk_rig.rs`. */
export class Rig {
  http = "";
  private constructor(
    readonly folder: string,
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    private readonly reader: Interface,
  ) {}

  static async start(folder = mkdtempSync(path.join(tmpdir(), "countersign-clients-")), port = 0): Promise<Rig> {
    const args = port === 0 ? [folder] : [folder, String(port)];
    const child = spawn(path.join(TARGET, "desk_rig"), args, { stdio: ["pipe", "pipe", "inherit"] });
    const reader = createInterface({ input: child.stdout });
    const rig = new Rig(folder, child, reader[Symbol.asyncIterator](), reader);
    const { ready } = await rig.next();
    rig.http = ready?.http ?? "";
    return rig;
  }

  /** What a client needs to find this desk and no other. */
  get environment(): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", COUNTERSIGN_DATA: this.folder, COUNTERSIGN_APP: "/nowhere" };
  }

  private async next(): Promise<Answer> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error("The desk ended.");
    return JSON.parse(value) as Answer;
  }

  async do(command: Record<string, unknown>): Promise<unknown> {
    this.child.stdin?.write(`${JSON.stringify(command)}\n`);
    const answer = await this.next();
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.ok;
  }

  readonly example = (name: string) => this.do({ do: "example", name });
  readonly pair = (name: string) => this.do({ do: "pair", name });
  readonly release = (proposal: string) => this.do({ do: "release", proposal });
  readonly refuse = (proposal: string, reason: string) => this.do({ do: "refuse", proposal, reason });
  readonly state = async () => (await this.do({ do: "state" })) as State;

  /** Ends the app as a crash would. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await ended;
    this.reader.close();
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdin?.end();
    await ended;
    this.reader.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }
}
