import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { read, type Kind, type Listed } from "./kinds.ts";
import { BRIDGE } from "./rig.ts";

/** Python of the environment that `npm run test:clients` makes, with the SDK in it. */
const PYTHON = path.join(fileURLToPath(new URL("../../target/setup/python/", import.meta.url)), "bin/python");
const SCRIPT = fileURLToPath(new URL("client.py", import.meta.url));

interface Said {
  id?: number;
  result?: Record<string, unknown>;
  error?: string;
  event?: "ready" | "changed" | "progress";
}

/** The Python SDK, in a process of its own that is told what to do line by line. */
export const python: Kind = async (rig, name) => {
  const child = spawn(PYTHON, [SCRIPT, BRIDGE, name], { env: rig.environment, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, { done: (said: Said) => void; progress: (() => void) | undefined }>();
  const hears = { ready: [] as (() => void)[], changed: [] as (() => void)[] };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const said = JSON.parse(line) as Said;
    if (said.event === "progress") waiting.get(said.id ?? 0)?.progress?.();
    else if (said.event) for (const wake of hears[said.event].splice(0)) wake();
    else waiting.get(said.id ?? 0)?.done(said);
  });
  const next = (event: "ready" | "changed") => new Promise<void>((resolve) => hears[event].push(resolve));
  let last = 0;
  const ask = (command: Record<string, unknown>, progress?: () => void, signal?: AbortSignal) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const id = ++last;
      waiting.set(id, {
        progress,
        done: (said) => (said.error === undefined ? resolve(said.result ?? {}) : reject(new Error(said.error))),
      });
      signal?.addEventListener("abort", () => child.stdin.write(`${JSON.stringify({ cancel: id })}\n`));
      child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    });
  await next("ready");
  return {
    list: async () => (await ask({ do: "list" }))["tools"] as Listed[],
    call: async (tool, args = {}, { timeout, signal, onProgress } = {}) =>
      read(
        await ask(
          { do: "call", tool, args, ...(timeout !== undefined && { timeout: timeout / 1000 }) },
          onProgress,
          signal,
        ),
      ),
    listChanged: () => next("changed"),
    close: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      await ended;
    },
  };
};
