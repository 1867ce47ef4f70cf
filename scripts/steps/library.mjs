// The library for site authors, as it is built, in the browsers that are here.

import path from "node:path";
import { npm, ROOT, Stop } from "./run.mjs";
import { library } from "./setup.mjs";
import { withDisplay } from "./with-display.mjs";

const FOLDER = path.join(ROOT, "bridge/page/library");
const CONFIG = path.join(FOLDER, "vitest.browser.config.ts");

/** Runs its tests, or those with one of the words in their names; on Linux on a screen of their own, which WebKitGTK needs. */
export async function libraryInBrowsers(filter) {
  await library();
  const names = filter.length > 0 ? ["--testNamePattern", filter.join("|")] : [];
  const args = ["exec", "--offline", "--", "vitest", "run", "--root", FOLDER, "--config", CONFIG, ...names];
  if (process.platform !== "linux") return npm(args);
  const code = await withDisplay(["npm", ...args]);
  if (code !== 0) throw new Stop(`The library's tests failed with exit code ${code}.`);
}
