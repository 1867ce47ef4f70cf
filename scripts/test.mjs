// npm test: every check, in the order in which they are cheap. With names of parts it runs only these, and a word that is
// not the name of a part picks the tests that have it in their names:
//
//   npm run test:e2e -- lying

import { fileURLToPath } from "node:url";
import { checkBoundaries } from "./check-boundaries.mjs";
import { checkTypes } from "./gen.mjs";
import { clients } from "./steps/clients.mjs";
import { hostilePages } from "./steps/hostile.mjs";
import { libraryInBrowsers } from "./steps/library.mjs";
import { mcpBPackages } from "./steps/mcp-b.mjs";
import { main, npm, run, say, Stop, tool } from "./steps/run.mjs";
import { seeds } from "./steps/seeds.mjs";
import { everything, library, nodePackages, pages, program } from "./steps/setup.mjs";
import { browser, systemPackages } from "./steps/system.mjs";
import { checkToolchain } from "./steps/toolchain.mjs";
import { withDisplay } from "./steps/with-display.mjs";

const rustTests = [process.execPath, fileURLToPath(new URL("steps/rust-tests.mjs", import.meta.url))];

async function format() {
  await run("cargo", ["fmt", "--all", "--", "--check", "-l"]);
  await tool("prettier", ["--check", "--log-level", "warn", "."]);
}

async function lint() {
  await tool("eslint", [".", "--max-warnings", "0"]);
  await npm(["run", "--silent", "check", "--workspaces", "--if-present"]);
  await run("cargo", ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]);
}

async function unit(filter) {
  const [node, script] = rustTests;
  await mcpBPackages();
  await run(node, [script, "unit", ...filter]);
  // What must not compile: leave to run that was not given by the gate.
  if (filter.length === 0) await run("cargo", ["test", "--quiet", "--locked", "--workspace", "--doc"]);
}

async function ui(filter) {
  await npm(["run", "--silent", "test", "--workspaces", "--if-present", "--", ...filter]);
}

async function e2e(filter) {
  if (process.platform !== "linux")
    throw new Stop("The scenarios need WebKitWebDriver and Xvfb, which exist on Linux only.");
  await library();
  const code = await withDisplay([...rustTests, "scenarios", ...filter]);
  if (code !== 0) throw new Stop(`The scenarios failed with exit code ${code}.`);
}

/** Each part, and what it stands on. */
const PARTS = {
  format: { body: format },
  build: { body: everything, needs: ["pages"] },
  types: { body: () => checkTypes(program("export-types")), needs: ["build"] },
  lint: { body: lint, needs: ["pages"] },
  boundaries: { body: checkBoundaries },
  unit: { body: unit, needs: ["build", "browser"] },
  ui: { body: ui },
  page: { body: libraryInBrowsers, needs: ["screen"] },
  seeds: { body: seeds, needs: ["screen"] },
  clients: { body: clients, needs: ["build", "browser"] },
  hostile: { body: hostilePages, needs: ["build", "browser"] },
  e2e: { body: e2e, needs: ["build", "screen"] },
};

async function setUp(names) {
  const needs = new Set(names.flatMap((name) => PARTS[name].needs ?? []));
  const building = needs.has("build") || needs.has("pages");
  checkToolchain();
  if (building || needs.has("screen")) await systemPackages({ forTests: needs.has("screen") });
  if (needs.has("screen") || needs.has("browser")) await browser({ needed: true });
  await nodePackages();
  if (building) await pages();
}

async function inTurn(names, filter) {
  const lines = [];
  let fault;
  for (const [index, name] of names.entries()) {
    const begun = Date.now();
    console.log(`\n== ${name}`);
    try {
      await PARTS[name].body(filter);
    } catch (error) {
      fault = error;
    }
    lines.push(`${name} ${fault ? "failed after " : ""}${Math.round((Date.now() - begun) / 1_000)} s`);
    if (fault) {
      const left = names.slice(index + 1);
      if (left.length > 0) lines.push(`not run: ${left.join(", ")}`);
      console.error(fault instanceof Stop ? `\n${name}: ${fault.message}` : fault);
      console.log(`\n${index} passed, 1 failed`);
      break;
    }
  }
  if (!fault) console.log(`\n${names.length} passed, 0 failed`);
  console.log(lines.join(" · "));
  return fault ? 1 : 0;
}

await main(async (args) => {
  const asked = args.filter((arg) => arg in PARTS);
  const filter = args.filter((arg) => !(arg in PARTS));
  const wanted = new Set(asked.length > 0 ? asked : Object.keys(PARTS));
  for (const name of asked) if (PARTS[name].needs?.includes("build")) wanted.add("build");
  const names = Object.keys(PARTS).filter((name) => wanted.has(name));
  say(`checking: ${names.join(", ")}`);
  await setUp(names);
  return inTurn(names, filter);
});
