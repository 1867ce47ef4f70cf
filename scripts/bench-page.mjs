// npm run bench:page: the measurements of docs/page-library.md. Run it on a machine that does nothing else.

import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { main, ROOT, tool } from "./steps/run.mjs";
import { library, nodePackages } from "./steps/setup.mjs";
import { browser } from "./steps/system.mjs";

const FOLDER = path.join(ROOT, "bridge/page/library");

function sizes() {
  console.log("| file | bytes | gzip -9 |\n|---|---|---|");
  for (const name of ["index.js", "countersign.js"]) {
    const bytes = readFileSync(path.join(FOLDER, "dist", name));
    console.log(`| ${name} | ${bytes.length} | ${gzipSync(bytes, { level: 9 }).length} |`);
  }
  console.log();
}

await main(async () => {
  await browser({ needed: true });
  await nodePackages();
  await library();
  sizes();
  await tool("vitest", ["run", "--root", FOLDER, "--config", path.join(FOLDER, "vitest.measure.config.ts")]);
});
