// npm start: makes ready what is missing, then opens the app.

import { ended, main, say, start, Stop } from "./steps/run.mjs";
import { app, nodePackages, pages, program } from "./steps/setup.mjs";
import { browser, systemPackages } from "./steps/system.mjs";
import { checkToolchain } from "./steps/toolchain.mjs";

function checkDisplay() {
  if (process.platform !== "linux" || process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return;
  throw new Stop(`Countersign opens windows, and this session has no display (neither DISPLAY nor WAYLAND_DISPLAY is set).

Start it from a desktop session, or over SSH with "ssh -X", or without any screen on a virtual one:

  sudo apt-get install -y xvfb xauth
  xvfb-run -a npm start`);
}

await main(async () => {
  checkToolchain();
  checkDisplay();
  await systemPackages();
  await nodePackages();
  await pages();
  await app();
  await browser();
  say("opening Countersign");
  return ended(start(program("countersign"), []));
});
