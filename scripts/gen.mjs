// npm run gen: the TypeScript of the contract. With --check it writes nothing and fails when what is there is stale.

import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { main, ROOT, run, Stop, tool } from "./steps/run.mjs";
import { TARGET } from "./steps/stamps.mjs";

const FOLDERS = ["ui/src/gen", "bridge/page/interceptor/src/gen"];

async function exportTo(root, exporter) {
  // A file of a type that is gone must not stay.
  for (const folder of FOLDERS) rmSync(path.join(root, folder), { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  if (exporter) await run(exporter, [root]);
  else await run("cargo", ["run", "-q", "-p", "countersign-contract", "--bin", "export-types", "--", root]);
  const files = FOLDERS.flatMap((folder) => filesIn(root, folder).map((file) => path.join(root, file)));
  const config = path.join(ROOT, ".prettierrc.json");
  await tool("prettier", ["--write", "--log-level", "warn", "--ignore-path", "none", "--config", config, ...files]);
}

function filesIn(root, folder) {
  const full = path.join(root, folder);
  if (!existsSync(full)) return [];
  const entries = readdirSync(full, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

/** Throws when an exported file is missing, left over or different. `exporter` is the built program, if there is one. */
export async function checkTypes(exporter) {
  const fresh = path.join(TARGET, "setup", "gen");
  rmSync(fresh, { recursive: true, force: true });
  await exportTo(fresh, exporter);
  const text = (root, file) =>
    existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), "utf8") : undefined;
  const files = new Set(FOLDERS.flatMap((folder) => [...filesIn(fresh, folder), ...filesIn(ROOT, folder)]));
  const stale = [...files].filter((file) => text(fresh, file) !== text(ROOT, file));
  if (stale.length > 0)
    throw new Stop(`The contract has changed and its TypeScript has not. Run: npm run gen\n  ${stale.join("\n  ")}`);
}

/** Writes the exported files. */
async function writeTypes() {
  const fresh = path.join(TARGET, "setup", "gen");
  await exportTo(fresh);
  for (const folder of FOLDERS) {
    rmSync(path.join(ROOT, folder), { recursive: true, force: true });
    cpSync(path.join(fresh, folder), path.join(ROOT, folder), { recursive: true });
  }
}

if (process.argv[1] === path.join(ROOT, "scripts", "gen.mjs")) {
  await main(([flag]) => (flag === "--check" ? checkTypes() : writeTypes()));
}
