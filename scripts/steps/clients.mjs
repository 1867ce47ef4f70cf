// The official MCP clients, of other people's making, against a real desk and a real page.

import { existsSync } from "node:fs";
import path from "node:path";
import { ask, npm, ROOT, run, say, tool } from "./run.mjs";
import { digest, done, isDone, TARGET } from "./stamps.mjs";
import { debianPackages } from "./system.mjs";

const FOLDER = path.join(ROOT, "tests/clients");
const PYTHON = path.join(TARGET, "setup/python");

async function nodePackages() {
  const input = digest(["tests/clients/package.json", "tests/clients/package-lock.json"]);
  if (existsSync(path.join(FOLDER, "node_modules")) && isDone("clients-node", input)) return;
  say("installing the MCP clients for Node");
  await npm(["ci", "--prefix", FOLDER, "--ignore-scripts", "--no-audit", "--no-fund"], { quiet: true });
  done("clients-node", input);
}

async function pythonPackages() {
  const input = digest(["tests/clients/requirements.txt"]);
  const python = path.join(PYTHON, "bin/python");
  if (existsSync(python) && isDone("clients-python", input)) return;
  say("installing the MCP client for Python");
  if (ask("python3", ["-c", "import ensurepip, venv"]) === undefined) await debianPackages(["python3", "python3-venv"]);
  await run("python3", ["-m", "venv", "--clear", PYTHON], { quiet: true });
  const requirements = path.join(FOLDER, "requirements.txt");
  await run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements], {
    quiet: true,
  });
  done("clients-python", input);
}

/** Runs every test of `tests/clients`, or those with one of the words in their names. */
export async function clients(filter) {
  await nodePackages();
  await pythonPackages();
  await tool("tsc", ["--noEmit", "-p", FOLDER]);
  const names = filter.length > 0 ? ["--testNamePattern", filter.join("|")] : [];
  const config = path.join(FOLDER, "vitest.config.ts");
  await npm(["exec", "--offline", "--", "vitest", "run", "--root", FOLDER, "--config", config, ...names]);
}
