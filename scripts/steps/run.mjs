// Running other programs, and stopping in a way a person can act on.

import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** Something a person has to do, or a check that failed. Printed without a stack. */
export class Stop extends Error {}

/** One calm line about what is going on. */
export const say = (text) => console.log(`· ${text}`);

const children = new Set();

/** Ends what this program started, by process id; a child that leads its own group is ended with all of it. */
export function endChildren() {
  for (const child of children) end(child);
}

/** Ends one child. */
export function end(child, signal = "SIGTERM") {
  try {
    process.kill(child.ownGroup ? -child.pid : child.pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Starts a program that is ended with this one. */
export function start(command, args, { ownGroup = false, ...options } = {}) {
  const child = spawn(command, args, { cwd: ROOT, stdio: "inherit", detached: ownGroup, ...options });
  child.ownGroup = ownGroup;
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** Resolves with the exit code; a signal counts as 128 + 15. */
export function ended(child) {
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(error.code === "ENOENT" ? new Stop(`${child.spawnfile} was not found on this computer.`) : error),
    );
    // Not "exit": what it printed has been read only now.
    child.once("close", (code) => resolve(code ?? 143));
  });
}

/** Runs a program to its end; `quiet` shows its output only when it fails. */
export async function run(command, args, { quiet = false, ...options } = {}) {
  const child = start(command, args, { ...options, ...(quiet && { stdio: ["ignore", "pipe", "pipe"] }) });
  const output = [];
  for (const stream of quiet ? [child.stdout, child.stderr] : []) stream.on("data", (bytes) => output.push(bytes));
  const code = await ended(child);
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  throw new Stop(`${[command, ...args].join(" ")} failed with exit code ${code}.`);
}

/** Runs a program to its end and gives what it printed; its errors are shown as they come. */
export async function printed(command, args) {
  const child = start(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const output = [];
  child.stdout.on("data", (bytes) => output.push(bytes));
  const code = await ended(child);
  if (code !== 0) throw new Stop(`${command} ${args[0]} failed with exit code ${code}.`);
  return Buffer.concat(output).toString();
}

/** What a program prints, or undefined when it is missing or fails. */
export function ask(command, args, options = {}) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
    ...options,
  });
  return status === 0 ? stdout : undefined;
}

/** npm as a program: a script on Windows, which is started through the shell there. */
export const npm = (args, options = {}) => run("npm", args, { shell: process.platform === "win32", ...options });

/** A program that npm installed here. */
export const tool = (name, args, options = {}) => npm(["exec", "--offline", "--", name, ...args], options);

/** Runs a script's main function and turns what it throws into a line and an exit code. */
export async function main(body) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      endChildren();
      process.exitCode = 130;
      setTimeout(() => process.exit(130), 3_000).unref();
    });
  }
  try {
    process.exitCode = (await body(process.argv.slice(2))) ?? process.exitCode ?? 0;
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error);
    process.exitCode = 1;
  } finally {
    endChildren();
  }
}
