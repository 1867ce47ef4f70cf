// npm run test:hostile:prove: switches off one defence at a time in a copy of the repository, and demands that every hostile page
// that names it fails then. With names of defences it does so for these only.
//
//   npm run test:hostile:prove -- wrap-tools network-hold

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DEFENCES } from "../tests/hostile/defences.mjs";
import { cases, defenceFaults } from "./steps/hostile.mjs";
import { ask, end, ended, main, npm, ROOT, run, say, start, Stop } from "./steps/run.mjs";
import { TARGET } from "./steps/stamps.mjs";

/** Seconds a page waits for something; with everything switched on the same pages must pass within it. */
const PATIENCE = "8";

/** A copy of what is tracked here, as it is now. */
async function copied(folder) {
  const here = ask("git", ["stash", "create"])?.trim() || "HEAD";
  await run("git", ["worktree", "add", "--detach", "--force", folder, here], { quiet: true });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
}

/** Builds the pages' runner in the copy and gives its program. */
async function built(folder) {
  await npm(["run", "--silent", "build:interceptor"], { cwd: folder, quiet: true });
  const args = ["test", "--locked", "-p", "countersign-scenarios", "--test", "hostile", "--no-run"];
  const child = start("cargo", [...args, "--message-format=json-render-diagnostics"], {
    cwd: folder,
    // A folder of its own: cargo does not tell two copies of one workspace apart.
    env: { ...process.env, CARGO_TARGET_DIR: path.join(TARGET, "prove") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors] = [[], []];
  child.stdout.on("data", (bytes) => output.push(bytes));
  child.stderr.on("data", (bytes) => errors.push(bytes));
  if ((await ended(child)) !== 0) throw new Stop(`The copy could not be built.\n${Buffer.concat(errors)}`);
  const made = Buffer.concat(output)
    .toString()
    .split("\n")
    .filter((line) => line.includes('"executable":"'))
    .map((line) => JSON.parse(line))
    .find(({ target }) => target.name === "hostile");
  return made.executable;
}

/** What came of the cases that name a defence, or of all the given ones. */
async function seen(program, folder, args) {
  const report = path.join(folder, "hostile-report.json");
  rmSync(report, { force: true });
  const child = start(program, [...args, "--report", report], {
    env: { ...process.env, COUNTERSIGN_HOSTILE_PATIENCE: PATIENCE },
    stdio: ["ignore", "ignore", "inherit"],
    ownGroup: true,
  });
  const clock = setTimeout(() => end(child, "SIGKILL"), 1_800_000);
  await ended(child);
  clearTimeout(clock);
  if (!existsSync(report)) throw new Stop("The pages did not come to an end.");
  return JSON.parse(readFileSync(report, "utf8"));
}

/** Makes the changes of a defence, and gives what undoes them. */
function switchedOff(folder, edits) {
  const before = new Map();
  for (const { file, find, replace } of edits) {
    const place = path.join(folder, file);
    const text = readFileSync(place, "utf8");
    if (!before.has(place)) before.set(place, text);
    writeFileSync(
      place,
      text.replace(find, () => replace),
    );
  }
  return () => before.forEach((text, place) => writeFileSync(place, text));
}

function line(key, { case: slug, passed, gotThrough, words }) {
  const how = passed ? "STILL HELD" : gotThrough ? "got through" : "seen not to be held";
  console.log(`| ${key} | ${slug} | ${how} | ${(words ?? "").replaceAll("\n", " ").slice(0, 160)} |`);
}

async function proved(folder, key) {
  const { what, edits } = DEFENCES[key];
  const back = switchedOff(folder, edits);
  try {
    say(`${key} off: ${what}`);
    const outcomes = await seen(await built(folder), folder, ["--defence", key]);
    for (const outcome of outcomes) line(key, outcome);
    return outcomes.map((outcome) => ({ key, ...outcome }));
  } finally {
    back();
  }
}

async function prove(asked) {
  const unknown = asked.filter((key) => !(key in DEFENCES));
  if (unknown.length > 0) throw new Stop(`There is no defence ${unknown.join(", ")}.`);
  const faults = defenceFaults();
  if (faults.length > 0) throw new Stop(faults.join("\n"));
  const keys = asked.length > 0 ? asked : Object.keys(DEFENCES);
  const folder = path.join(mkdtempSync(path.join(tmpdir(), "countersign-")), "copy");
  const [outcomes, unbuilt] = [[], []];
  try {
    await copied(folder);
    say("every defence on");
    const slugs = cases(folder).filter((one) => one.keys.some((key) => keys.includes(key)));
    const program = await built(folder);
    const tried = (some) =>
      seen(
        program,
        folder,
        some.map((slug) => `=${slug}`),
      );
    let whole = await tried(slugs.map(({ slug }) => slug));
    // A busy machine may be too slow for one; none may fail twice.
    const again = whole.filter(({ passed }) => !passed).map((outcome) => outcome.case);
    if (again.length > 0) whole = await tried(again);
    const broken = whole.filter(({ passed }) => !passed);
    for (const outcome of broken) console.log(`  ${outcome.case}: ${outcome.words}`);
    if (broken.length > 0) throw new Stop("With every defence on these pages fail already, so they prove nothing.");
    for (const key of keys) {
      try {
        outcomes.push(...(await proved(folder, key)));
      } catch (error) {
        if (!(error instanceof Stop)) throw error;
        console.log(`${key}: ${error.message}`);
        unbuilt.push(key);
      }
    }
  } finally {
    ask("git", ["worktree", "remove", "--force", folder]);
    rmSync(path.dirname(folder), { recursive: true, force: true });
  }
  const held = outcomes.filter(({ passed }) => passed);
  const through = outcomes.filter(({ gotThrough }) => gotThrough).length;
  console.log(`\n${keys.length} defences switched off one by one, ${outcomes.length} pages: ${through} got through, `);
  console.log(
    `${outcomes.length - through - held.length} were seen not to be held, ${held.length} passed all the same.`,
  );
  const unproved = [
    ...held.map(({ key, case: slug }) => `${slug} passes although ${key} is off.`),
    ...unbuilt.map((key) => `${key} could not be tried.`),
  ];
  if (unproved.length > 0) throw new Stop(unproved.join("\n"));
}

await main(prove);
