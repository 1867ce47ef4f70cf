// What the four systems that this one unites say of themselves, tried on our example sites as they are built.

import path from "node:path";
import { npm, ROOT, Stop, tool } from "./run.mjs";
import { library } from "./setup.mjs";
import { withDisplay } from "./with-display.mjs";

const FOLDER = path.join(ROOT, "tests/seeds");
const CONFIG = path.join(FOLDER, "vitest.config.ts");

/** Runs every test of `tests/seeds`, or those with one of the words in their names; on Linux on a screen of their own. */
export async function seeds(filter) {
  await library();
  await tool("tsc", ["--noEmit", "-p", FOLDER]);
  const names = filter.length > 0 ? ["--testNamePattern", filter.join("|")] : [];
  const args = ["exec", "--offline", "--", "vitest", "run", "--root", FOLDER, "--config", CONFIG, ...names];
  if (process.platform !== "linux") return npm(args);
  const code = await withDisplay(["npm", ...args]);
  if (code !== 0) throw new Stop(`The tests of the seeds failed with exit code ${code}.`);
}
