// What may know what. Cargo cannot say these things, and a review forgets them.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { ask, main, ROOT, Stop } from "./steps/run.mjs";

/** Which of our own crates a crate may stand on. The order of the lines is the order of the house. */
const MAY_KNOW = {
  "countersign-contract": [],
  "countersign-vault": ["contract"],
  "countersign-ledger": ["contract"],
  "countersign-model": ["contract", "vault"],
  "countersign-gate": ["contract", "ledger"],
  "countersign-bridge": ["contract", "ledger", "gate"],
  "countersign-desk": ["contract", "ledger", "gate", "bridge"],
  "countersign-agent": ["contract", "model"],
};

/** Toolkits of the desktop, which nothing but the shell may have in its tree. */
const DESKTOP = /^(tauri|wry|tao|webkit2gtk|gtk)(-|\b)/;

function cargo(args) {
  const output = ask("cargo", args);
  if (output === undefined) throw new Stop(`cargo ${args.join(" ")} failed.`);
  return output;
}

function rustFaults() {
  const { packages } = JSON.parse(cargo(["metadata", "--no-deps", "--format-version", "1", "--locked"]));
  const inside = packages.filter(({ manifest_path }) =>
    /^(src-tauri[/\\]crates|bridge)[/\\]/.test(path.relative(ROOT, manifest_path)),
  );
  const faults = [];
  for (const { name, dependencies } of inside) {
    const allowed = MAY_KNOW[name]?.map((short) => `countersign-${short}`);
    if (!allowed) faults.push(`${name} has no line in scripts/check-boundaries.mjs: say there what it may know.`);
    for (const other of dependencies.filter(
      ({ kind, name: other }) => kind !== "dev" && other.startsWith("countersign-"),
    )) {
      if (allowed && !allowed.includes(other.name)) faults.push(`${name} must not know ${other.name}.`);
    }
    const tree = cargo(["tree", "--locked", "-p", name, "-e", "normal,build", "--prefix", "none", "-f", "{p}"]);
    const found = new Set(tree.split("\n").filter((line) => DESKTOP.test(line)));
    for (const line of found) faults.push(`${name} must not have ${line} in its dependency tree.`);
  }
  const features = cargo(["tree", "--locked", "--workspace", "-e", "features", "-i", "serde_json"]);
  // With it a number of any size passes as itself, and two readers of one row could disagree.
  if (features.includes("arbitrary_precision")) faults.push("serde_json must not be built with arbitrary_precision.");
  return faults;
}

function pageFaults() {
  const sources = readdirSync(path.join(ROOT, "ui/src"), { recursive: true }).filter((name) =>
    /\.(ts|js|svelte)$/.test(name),
  );
  return sources.flatMap((name) => {
    const text = readFileSync(path.join(ROOT, "ui/src", name), "utf8");
    const faults = [];
    if (text.includes("@tauri-apps/") && !/^host[/\\]/.test(name)) {
      faults.push(`ui/src/${name} must not import @tauri-apps/*: ui/src/host is the only door to the desktop.`);
    }
    // What a page says is shown as text, never as markup.
    if (text.includes("{@html")) faults.push(`ui/src/${name} must not use {@html}.`);
    return faults;
  });
}

/** Where promises are made, and from which heading on. */
const PROMISES = { "docs/ARCHITECTURE.md": "## Invariants", "docs/security.md": "## What is promised" };

/** A promise that names a test which is not there holds nothing. */
function promiseFaults() {
  const rust = ask("git", ["ls-files", "*.rs"]).split("\n").filter(Boolean);
  const code = rust.map((file) => readFileSync(path.join(ROOT, file), "utf8")).join("\n");
  return Object.entries(PROMISES).flatMap(([file, heading]) => {
    const page = readFileSync(path.join(ROOT, file), "utf8");
    const promises = page.slice(page.indexOf(heading));
    const named = [...promises.matchAll(/`([a-z0-9]+(?:_[a-z0-9]+){2,})`/g)].map(([, name]) => name);
    const missing = named.filter((name) => !code.includes(`fn ${name}(`));
    return missing.map((name) => `${file} names the test ${name}, which does not exist.`);
  });
}

/** A page that points at a file which is not there misleads. */
function linkFaults() {
  const pages = ask("git", ["ls-files", "*.md"]).split("\n").filter(Boolean);
  return pages.flatMap((file) => {
    const links = [...readFileSync(path.join(ROOT, file), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)];
    const missing = links.filter(([, target]) => !existsSync(path.join(ROOT, path.dirname(file), target)));
    return missing.map(([, target]) => `${file} points at ${target}, which does not exist.`);
  });
}

/** Throws with every fault there is. */
export function checkBoundaries() {
  const faults = [...rustFaults(), ...pageFaults(), ...promiseFaults(), ...linkFaults()];
  if (faults.length > 0) throw new Stop(faults.join("\n"));
}

if (process.argv[1] === path.join(ROOT, "scripts", "check-boundaries.mjs")) await main(checkBoundaries);
