import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** An MCP client over stdio with nothing to it, so that what is measured is the server. */
export class Client {
  #last = 0;
  #waiting = new Map();

  constructor(command, args, environment) {
    const env = { ...process.env, ...environment };
    this.child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], env });
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      const wait = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) wait?.reject(new Error(message.error.message));
      else wait?.resolve(message.result);
    });
    this.child.on("exit", () => {
      for (const wait of this.#waiting.values()) wait.reject(new Error(`${command} ended`));
    });
  }

  #say(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  ask(method, params) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#say({ id, method, params });
    });
  }

  async begin(name) {
    const clientInfo = { name, version: "1" };
    await this.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.#say({ method: "notifications/initialized" });
  }

  /** Waits until a tool whose name ends so is listed, and returns its whole name. */
  async listed(end) {
    for (;;) {
      const { tools } = await this.ask("tools/list", {});
      const found = tools.find((tool) => tool.name.endsWith(end));
      if (found) return found.name;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Resident memory now and at most, in MB. */
  memory() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    const of = (what) => Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
    return { now: of("VmRSS"), most: of("VmHWM") };
  }

  end() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdin.end();
    // The other relay stays when its client has gone.
    this.child.kill("SIGTERM");
    return ended;
  }
}
