// A step that was done for exactly these files is not done again.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./run.mjs";

/** Cargo's target folder; the stamps live in it, so that removing it makes everything anew. */
export const TARGET = path.resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target");

const SKIPPED = new Set(["node_modules", "dist", "target", ".git"]);

function* filesIn(name) {
  const file = path.join(ROOT, name);
  if (!existsSync(file)) return;
  if (!statSync(file).isDirectory()) return yield name;
  for (const entry of readdirSync(file).sort()) if (!SKIPPED.has(entry)) yield* filesIn(`${name}/${entry}`);
}

/** SHA-256 over the names and bytes of files, and of all files below folders, that are not built. */
export function digest(names) {
  const hash = createHash("sha256");
  for (const name of names.flatMap((one) => [...filesIn(one)])) {
    const bytes = readFileSync(path.join(ROOT, name));
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

const stampFile = (step) => path.join(TARGET, "setup", step);

/** Whether the step was done last for this very input. */
export function isDone(step, input) {
  return existsSync(stampFile(step)) && readFileSync(stampFile(step), "utf8") === input;
}

/** Remembers that the step was done. */
export function done(step, input) {
  mkdirSync(path.dirname(stampFile(step)), { recursive: true });
  writeFileSync(stampFile(step), input);
}
