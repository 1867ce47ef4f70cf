// The pages that try to get round the hold: running them, and checking that what is said of them can be.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DEFENCES } from "../../tests/hostile/defences.mjs";
import { ROOT, run, Stop } from "./run.mjs";
import { testProgram } from "./rust-tests.mjs";

const PAGES = "tests/pages/hostile";

/** Which defences each case names; a page that shows what is not held names none. */
export function cases(root = ROOT) {
  const folder = path.join(root, PAGES);
  // `slug.part.html` belongs to the case `slug`.
  const names = readdirSync(folder).filter((name) => /^[a-z0-9-]+\.html$/.test(name));
  return names.map((name) => {
    const text = readFileSync(path.join(folder, name), "utf8");
    const comment = text.slice(0, text.indexOf("-->"));
    const keys =
      /^defence: (.*)$/m
        .exec(comment)?.[1]
        .split(",")
        .map((key) => key.trim()) ?? [];
    return { slug: name.replace(".html", ""), end: /^end: (.*)$/m.exec(comment)?.[1], keys };
  });
}

/** What is wrong with the list of defences: one that nothing tries, one that is not there, a change that fits nowhere. */
export function defenceFaults() {
  const all = cases();
  const faults = [];
  for (const { slug, end, keys } of all) {
    const unknown = keys.filter((key) => !(key in DEFENCES));
    if (end === "not-held" ? keys.join() !== "none" : unknown.length > 0 || keys.length === 0) {
      faults.push(`${PAGES}/${slug}.html names the defence ${keys.join(", ") || "(none)"}, which there is not.`);
    }
  }
  for (const [key, { edits }] of Object.entries(DEFENCES)) {
    if (!all.some(({ keys }) => keys.includes(key))) faults.push(`No hostile page tries the defence ${key}.`);
    for (const { file, find } of edits) {
      const times = existsSync(path.join(ROOT, file))
        ? readFileSync(path.join(ROOT, file), "utf8").split(find).length - 1
        : 0;
      if (times !== 1)
        faults.push(`The defence ${key} is to be switched off in ${file}, where its text stands ${times} times.`);
    }
  }
  return faults;
}

/** Runs the pages whose names hold one of the words, or all of them. */
export async function hostilePages(filter) {
  const faults = defenceFaults();
  if (faults.length > 0) throw new Stop(faults.join("\n"));
  await run(testProgram("hostile"), filter);
}
