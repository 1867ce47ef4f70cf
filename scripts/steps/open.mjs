// The app, made ready and opened.

import { ended, say, start, Stop } from "./run.mjs";
import { app, nodePackages, pages, program } from "./setup.mjs";
import { browser, systemPackages } from "./system.mjs";
import { checkToolchain } from "./toolchain.mjs";

function checkDisplay(command) {
  if (process.platform !== "linux" || process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return;
  throw new Stop(`Countersign opens windows, and this session has no display (neither DISPLAY nor WAYLAND_DISPLAY is set).

Start it from a desktop session, or over SSH with "ssh -X", or without any screen on a virtual one:

  sudo apt-get install -y xvfb xauth
  xvfb-run -a ${command}`);
}

/** Makes ready what is missing, opens the app and gives its exit code when it ends. `command` is what was typed to get here. */
export async function openApp(command, env = {}) {
  checkToolchain();
  checkDisplay(command);
  await systemPackages();
  await nodePackages();
  await pages();
  await app();
  await browser();
  say("opening Countersign");
  return ended(start(program("countersign"), [], { env: { ...process.env, ...env } }));
}
