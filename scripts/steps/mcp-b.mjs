// The relay package of mcp-b: its widget is tried with our door, and its relay is what the bridge is measured against.

import { existsSync } from "node:fs";
import path from "node:path";
import { npm, ROOT, say } from "./run.mjs";
import { digest, done, isDone } from "./stamps.mjs";

const FOLDER = path.join(ROOT, "tests/bench-bridge");

export async function mcpBPackages() {
  const input = digest(["tests/bench-bridge/package.json", "tests/bench-bridge/package-lock.json"]);
  if (existsSync(path.join(FOLDER, "node_modules")) && isDone("mcp-b", input)) return;
  say("installing the relay of mcp-b");
  await npm(["ci", "--prefix", FOLDER, "--ignore-scripts", "--no-audit", "--no-fund"], { quiet: true });
  done("mcp-b", input);
}
