// A desktop of its own for whatever needs a screen: X server, window manager, session bus, unlocked keyring, empty folders.
// Everything in it ends with the command.
//
//   node scripts/steps/with-display.mjs COMMAND [ARGUMENT…]

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ask, end, ended, main, start, Stop } from "./run.mjs";

const HERE = fileURLToPath(import.meta.url);
const INSIDE = "--inside-the-session";

/** Runs a command on a desktop of its own and gives its exit code. */
export async function withDisplay(command, { env = {} } = {}) {
  const home = mkdtempSync(path.join(tmpdir(), "countersign-desktop-"));
  const folder = (name) => {
    const made = path.join(home, name);
    mkdirSync(made, { mode: 0o700 });
    return made;
  };
  const screen = start("Xvfb", ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-noreset"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  try {
    const DISPLAY = `:${await firstLine(screen, screen.stdio[3], "Xvfb")}`;
    const session = {
      ...process.env,
      ...env,
      DISPLAY,
      XDG_DATA_HOME: folder("data"),
      XDG_CONFIG_HOME: folder("config"),
      XDG_CACHE_HOME: folder("cache"),
      XDG_RUNTIME_DIR: folder("run"),
      // Software drawing and no accessibility bus: there is neither a graphics card nor a screen reader here.
      LIBGL_ALWAYS_SOFTWARE: "1",
      // Frames handed over through a graphics card that is emulated take seconds each on a busy machine.
      WEBKIT_DISABLE_DMABUF_RENDERER: "1",
      GTK_A11Y: "none",
      NO_AT_BRIDGE: "1",
    };
    delete session.WAYLAND_DISPLAY;
    delete session.DBUS_SESSION_BUS_ADDRESS;
    const manager = start("openbox", ["--sm-disable"], { env: session, stdio: "ignore" });
    const inner = ["--", process.execPath, HERE, INSIDE, ...command];
    const work = start("dbus-run-session", inner, { env: session, ownGroup: true });
    try {
      return await ended(work);
    } finally {
      end(work);
      end(manager);
    }
  } finally {
    end(screen);
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function firstLine(child, stream, name) {
  const gone = ended(child).then(() => {
    throw new Stop(`${name} did not start.`);
  });
  gone.catch(() => undefined);
  const line = new Promise((resolve) => {
    let text = "";
    stream.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\n")) resolve(text.trim());
    });
  });
  return Promise.race([line, gone]);
}

/** On the session bus already: the keyring first, then the command. */
async function insideTheSession(command) {
  const keyring = start("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  keyring.stdin.end("countersign");
  try {
    await untilOnTheBus("org.freedesktop.secrets", keyring);
    const [program, ...args] = command;
    return await ended(start(program, args));
  } finally {
    end(keyring);
  }
}

async function untilOnTheBus(name, child) {
  const question = ["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"];
  for (let tries = 0; tries < 200 && child.exitCode === null; tries += 1) {
    const answer = ask("dbus-send", [...question, "org.freedesktop.DBus.NameHasOwner", `string:${name}`]);
    if (answer?.includes("true")) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Stop("The keyring of the test desktop did not come up.");
}

if (process.argv[1] === HERE) {
  await main(([first, ...rest]) => (first === INSIDE ? insideTheSession(rest) : withDisplay([first, ...rest])));
}
