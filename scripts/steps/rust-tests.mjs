// Runs the Rust tests that one build of everything made, each in a process of its own: a test that sets an environment
// variable, opens a keyring or hangs does nothing to the next.
//
//   node scripts/steps/rust-tests.mjs (unit | scenarios) [FILTER]

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ask, end, ended, main, start, Stop } from "./run.mjs";
import { TARGET } from "./stamps.mjs";

const SCENARIOS = "countersign-scenarios";
const LIST = path.join(TARGET, "setup", "tests.json");
const LONGEST = { unit: 400, scenarios: 300 };

/** `…/tests#countersign-scenarios@0.1.0`, or `…/countersign#0.1.0` where the folder has the package's name. */
function packageName(id) {
  const [place, tail] = id.split("#");
  return tail.includes("@") ? tail.split("@")[0] : place.split("/").pop();
}

/** Keeps which test programs there are, from cargo's messages about the build. */
export function rememberTests(messages) {
  const programs = messages
    .split("\n")
    .filter((line) => line.startsWith('{"reason":"compiler-artifact"'))
    .map((line) => JSON.parse(line))
    .filter(({ executable, profile, target }) => executable && profile.test && !target.kind.includes("bench"))
    .map(({ executable, manifest_path, package_id, target }) => ({
      package: packageName(package_id),
      name: target.name,
      executable,
      folder: path.dirname(manifest_path),
    }));
  mkdirSync(path.dirname(LIST), { recursive: true });
  writeFileSync(LIST, JSON.stringify(programs, null, 2));
}

function testsOf(program, filter) {
  const list = ask(program.executable, ["--list", "--format", "terse"], { cwd: program.folder });
  if (list === undefined) throw new Stop(`${program.executable} does not list its tests.`);
  const names = list.split("\n").filter((line) => line.endsWith(": test"));
  return names
    .map((line) => ({ ...program, test: line.slice(0, -": test".length) }))
    .filter((one) => `${one.package} ${one.name} ${one.test}`.includes(filter));
}

async function runOne({ executable, folder, test }, seconds) {
  const child = start(executable, ["--exact", test, "--nocapture"], {
    cwd: folder,
    env: { ...process.env, CARGO_MANIFEST_DIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
    ownGroup: true,
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output.push(bytes));
  let late = false;
  const clock = setTimeout(() => {
    late = true;
    end(child, "SIGKILL");
  }, seconds * 1_000);
  const code = await ended(child);
  clearTimeout(clock);
  const text = Buffer.concat(output).toString();
  return {
    passed: code === 0,
    ignored: / 1 ignored;/.test(text),
    text: late ? `${text}\nIt did not end within ${seconds} s.` : text,
  };
}

/** A test program that is run as a whole. */
export function testProgram(name) {
  const found = JSON.parse(readFileSync(LIST, "utf8")).find((program) => program.name === name);
  if (!found) throw new Stop(`There is no test program ${name}.`);
  return found.executable;
}

/** Runs the tests of one kind whose names hold `filter`, and throws when one fails. */
async function runTests(kind, filter = "") {
  const programs = JSON.parse(readFileSync(LIST, "utf8")).filter(
    (one) => (one.package === SCENARIOS) === (kind === "scenarios"),
  );
  const waiting = programs.flatMap((program) => testsOf(program, filter));
  if (waiting.length === 0)
    throw new Stop(`There is no test of the kind ${kind}${filter && ` with "${filter}" in its name`}.`);
  const failed = [];
  let passed = 0;
  const worker = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const begun = Date.now();
      const result = await runOne(one, LONGEST[kind]);
      const title = `${one.package} ${one.name === one.package.replaceAll("-", "_") ? "" : `${one.name} `}${one.test}`;
      if (result.passed && !result.ignored) passed += 1;
      if (!result.passed) failed.push(title);
      if (!result.passed) console.log(`\n${result.text.trim()}\n`);
      if (!result.passed || kind === "scenarios") {
        const outcome = result.ignored ? "ignored" : result.passed ? "passed" : "FAILED";
        console.log(`  ${outcome}  ${title}  ${((Date.now() - begun) / 1_000).toFixed(1)} s`);
      }
    }
  };
  // The scenarios share one screen and one keyboard focus.
  await Promise.all(Array.from({ length: kind === "scenarios" ? 1 : availableParallelism() }, worker));
  console.log(`  tests: ${passed} passed, ${failed.length} failed`);
  if (failed.length > 0) throw new Stop(`These tests failed:\n  ${failed.join("\n  ")}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(([kind, filter]) => runTests(kind, filter));
