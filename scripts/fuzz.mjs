// npm run fuzz: feeds every parser that takes bytes from a page or a browser, guided by which code the bytes reach. An hour
// in all unless told otherwise, on one core, behind everything else the computer has to do.
//
//   npm run fuzz                 every target, an hour together
//   npm run fuzz -- 600          every target, ten minutes together
//   npm run fuzz -- page 60      one target, a minute
//
// What is found grows in target/fuzz/corpus. What crashes is kept in bridge/fuzz/crashes, where `npm test` replays it.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { ask, ended, main, ROOT, run, say, start, Stop } from "./steps/run.mjs";
import { debianPackages } from "./steps/system.mjs";
import { TARGET } from "./steps/stamps.mjs";
import { checkToolchain } from "./steps/toolchain.mjs";

const FOLDER = path.join(ROOT, "bridge", "fuzz");
const MADE = path.join(TARGET, "fuzz");
const HOUR = 3_600;

// The compiler's own coverage pass, by flags that a stable compiler takes.
const COVERAGE = ["level=4", "inline-8bit-counters", "pc-table", "trace-compares"];
const FLAGS = ["-Cpasses=sancov-module", ...COVERAGE.map((part) => `-Cllvm-args=-sanitizer-coverage-${part}`)];

/** How long an input may get. A session is drawn from few bytes; messages are long. */
const LONGEST = { session: 512, messages: 8_192, page: 4_096 };

const seeds = (target) => path.join(FOLDER, "seeds", target);
const targets = () => readdirSync(path.join(FOLDER, "seeds")).sort();

/** Builds the one program that feeds every target. */
async function build() {
  const host = ask("rustc", ["-vV"])?.match(/^host: (.*)$/m)?.[1];
  if (!host?.includes("linux")) throw new Stop("The fuzzer needs the linker of Linux.");
  // libFuzzer itself is C++.
  if (ask("c++", ["--version"]) === undefined) await debianPackages(["g++"]);
  say("building the fuzzer; the first time this takes some minutes");
  const env = { ...process.env, RUSTFLAGS: FLAGS.join(" "), CARGO_TARGET_DIR: MADE };
  // A named host keeps the flags off build scripts and macros.
  await run("cargo", ["build", "--locked", "--release", "--quiet", "--target", host], { cwd: FOLDER, env });
  return path.join(MADE, host, "release", "countersign-fuzz");
}

/** Feeds one target for a time, and gives what came of it. */
async function feed(program, target, seconds) {
  const corpus = path.join(MADE, "corpus", target);
  const crashes = path.join(FOLDER, "crashes", target);
  for (const folder of [corpus, crashes]) mkdirSync(folder, { recursive: true });
  const options = [
    `-max_total_time=${seconds}`,
    `-max_len=${LONGEST[target] ?? 4_096}`,
    "-timeout=10",
    "-rss_limit_mb=2048",
    "-print_final_stats=1",
    `-dict=${path.join(FOLDER, "words.dict")}`,
    `-artifact_prefix=${crashes}${path.sep}`,
  ];
  const child = start(program, [...options, corpus, seeds(target)], {
    env: { ...process.env, COUNTERSIGN_FUZZ_TARGET: target },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const last = [];
  const found = { runs: 0, covered: 0, written: [] };
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (last.push(line) > 60) last.shift();
    const units = line.match(/^stat::number_of_executed_units:\s*(\d+)/);
    if (units) found.runs = Number(units[1]);
    const covered = line.match(/^#\d+.* cov: (\d+)/);
    if (covered) found.covered = Number(covered[1]);
    const written = line.match(/Test unit written to (.*)$/);
    if (written) found.written.push(written[1]);
  });
  const began = Date.now();
  const code = await ended(child);
  if (code !== 0) process.stdout.write(`\n${last.join("\n")}\n\n`);
  if (code !== 0 && found.written.length === 0) throw new Stop(`The fuzzer ended with ${code} and kept no input.`);
  return { ...found, seconds: (Date.now() - began) / 1_000, corpus: readdirSync(corpus).length };
}

const COLUMNS = [12, 10, 14, 10, 10, 10, 8];
const row = (cells) => console.log(cells.map((cell, at) => String(cell).padStart(COLUMNS[at])).join(""));

async function feedAll(program, names, seconds) {
  const each = Math.max(1, Math.round(seconds / names.length));
  row(["target", "seconds", "executions", "per s", "edges", "corpus", "crashes"]);
  const total = { runs: 0, seconds: 0, crashes: 0 };
  for (const name of names) {
    const found = await feed(program, name, each);
    const crashes = found.written.length;
    const perSecond = Math.round(found.runs / found.seconds);
    row([name, Math.round(found.seconds), found.runs, perSecond, found.covered, found.corpus, crashes]);
    for (const file of found.written) console.log(`  ${path.relative(ROOT, file)}: ${readFileSync(file).length} bytes`);
    total.runs += found.runs;
    total.seconds += found.seconds;
    total.crashes += crashes;
  }
  row(["all", Math.round(total.seconds), total.runs, Math.round(total.runs / total.seconds), "", "", total.crashes]);
  return total.crashes === 0 ? 0 : 1;
}

await main(async (args) => {
  const known = targets();
  const seconds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? HOUR);
  const named = args.filter((arg) => !/^\d+$/.test(arg));
  for (const name of named)
    if (!known.includes(name)) throw new Stop(`There is no target ${name}: ${known.join(", ")}.`);
  checkToolchain();
  setPriority(constants.priority.PRIORITY_LOW);
  return feedAll(await build(), named.length > 0 ? named : known, seconds);
});
