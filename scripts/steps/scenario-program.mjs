// One of the programs of tests/, built with everything else and run on a desktop of its own.

import { main, Stop } from "./run.mjs";
import { everything, nodePackages, pages, program } from "./setup.mjs";
import { browser, systemPackages } from "./system.mjs";
import { checkToolchain } from "./toolchain.mjs";
import { withDisplay } from "./with-display.mjs";

/** Makes everything ready to run a program of tests/. */
export async function prepare() {
  if (process.platform !== "linux") throw new Stop("This needs WebKitWebDriver and Xvfb, which exist on Linux only.");
  checkToolchain();
  await systemPackages({ forTests: true });
  await browser({ needed: true });
  await nodePackages();
  await pages();
  await everything();
}

/** Runs it and gives its exit code. */
export const runProgram = (name, args, env) => withDisplay([program(name), ...args], { env });

/** A whole script: prepare, then run. */
export const scenarioProgram = (name) =>
  main(async (args) => {
    await prepare();
    return runProgram(name, args);
  });
