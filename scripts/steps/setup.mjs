// From a fresh clone to something that can be built, and from there to the programs in target/debug.

import { existsSync } from "node:fs";
import path from "node:path";
import { npm, printed, ROOT, run, say } from "./run.mjs";
import { rememberTests } from "./rust-tests.mjs";
import { digest, done, isDone, TARGET } from "./stamps.mjs";

/** Node packages, exactly as locked. */
export async function nodePackages() {
  const pages = ["ui", "bridge/page/interceptor", "bridge/page/library"].map((folder) => `${folder}/package.json`);
  const manifests = ["package.json", ...pages, "package-lock.json"];
  const input = digest(manifests);
  if (existsSync(path.join(ROOT, "node_modules")) && isDone("node-packages", input)) return;
  const locked = existsSync(path.join(ROOT, "package-lock.json"));
  say("installing the Node packages");
  await npm([locked ? "ci" : "install"], { quiet: true });
  done("node-packages", digest(manifests));
}

/** What the Rust build takes in from TypeScript: the interceptor, the library that the examples load, and the windows. */
export async function pages() {
  const shared = ["package-lock.json", "package.json"];
  await page("interceptor", "bridge/page/interceptor", shared);
  await library();
  await page("ui", "ui", shared);
}

/** What site authors get. */
export const library = () => page("library", "bridge/page/library", ["package-lock.json", "package.json"]);

async function page(name, folder, shared) {
  const input = digest([folder, ...shared]);
  // Written again, even with the same bytes, it would make cargo build what embeds it again.
  if (existsSync(path.join(ROOT, folder, "dist")) && isDone(name, input)) return;
  say(`building ${folder}`);
  await npm(["run", "--silent", `build:${name}`], { quiet: true });
  done(name, input);
}

const SOURCES = ["Cargo.toml", "Cargo.lock", "tauri.conf.json", "src-tauri", "bridge", "ui"];

/** One of the programs that cargo built. */
export const program = (name) => path.join(TARGET, "debug", process.platform === "win32" ? `${name}.exe` : name);

/** The app and the bridge, unless the last build (of the app or of everything) was of these very files. */
export async function app() {
  const input = digest(SOURCES);
  if (existsSync(program("countersign")) && isDone("app", input)) return;
  say("building the app; the first time this takes some minutes");
  await run("cargo", ["build", "--locked", "-p", "countersign", "-p", "countersign-bridge", "--bins"]);
  done("app", input);
}

/** Every program and every test, in one build: built apart, the same crates would be built again with other features. */
export async function everything() {
  const input = digest(SOURCES);
  const messages = await printed("cargo", [
    "build",
    "--locked",
    "--workspace",
    "--all-targets",
    "--message-format=json-render-diagnostics",
  ]);
  done("app", input);
  rememberTests(messages);
}
