// Rust and Node: never installed from here, only asked for.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { ask, Stop } from "./run.mjs";

const OLDEST = { Rust: [1, 90], Node: [20, 19] };

const older = (version, oldest) => {
  const [major, minor] = version.split(".").map(Number);
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
};

/** Stops when Rust or Node is missing or too old. */
export function checkToolchain() {
  const node = process.versions.node;
  if (older(node, OLDEST.Node)) {
    throw new Stop(
      `Node ${OLDEST.Node.join(".")} or newer is needed; this is ${node}. Get it from https://nodejs.org.`,
    );
  }
  const own = path.join(homedir(), ".cargo", "bin");
  if (!ask("cargo", ["--version"]) && existsSync(own)) process.env.PATH += path.delimiter + own;
  const rust = ask("rustc", ["--version"])?.split(" ")[1];
  if (!rust || !ask("cargo", ["--version"])) {
    throw new Stop(
      `Rust ${OLDEST.Rust.join(".")} or newer is needed, and there is none. Get it from https://rustup.rs.`,
    );
  }
  if (older(rust, OLDEST.Rust)) {
    throw new Stop(`Rust ${OLDEST.Rust.join(".")} or newer is needed; this is ${rust}. Run: rustup update stable`);
  }
}
