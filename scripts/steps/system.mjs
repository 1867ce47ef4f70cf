// What the operating system has to bring. On Debian and its kin it is installed, elsewhere it is named.

import { existsSync, readFileSync } from "node:fs";
import { ask, run, say, Stop } from "./run.mjs";

/** To build and run the app. */
const TO_RUN = ["build-essential", "pkg-config", "libwebkit2gtk-4.1-dev"];
/** A display, a window manager, a keyring and a driver for the scenarios, and what photographs the screen. */
const TO_TEST = [
  "webkit2gtk-driver",
  "xvfb",
  "xauth",
  "xdotool",
  "openbox",
  "x11-utils",
  "dbus",
  "dbus-x11",
  "gnome-keyring",
  "libsecret-tools",
  "imagemagick",
  "fonts-dejavu-core",
];
/** The same where the packages have other names. */
const TEST_PROGRAMS = ["WebKitWebDriver", "Xvfb", "xdotool", "openbox", "xprop", "dbus-run-session"];

const BROWSERS = {
  linux: [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
    "vivaldi",
  ],
  darwin: ["Chromium", "Google Chrome", "Microsoft Edge", "Brave Browser", "Vivaldi"],
  win32: ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"],
};

function linuxKind() {
  if (!existsSync("/etc/os-release")) return "other";
  const text = readFileSync("/etc/os-release", "utf8");
  const ids = [...text.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, names]) => names.split(" "));
  if (ids.includes("ubuntu")) return "ubuntu";
  return ["debian", "fedora", "arch"].find((kind) => ids.includes(kind)) ?? "other";
}

const onPath = (program) => ask("sh", ["-c", `command -v "$1"`, "sh", program]) !== undefined;

function missingOf(packages) {
  const states = packages.map((name) => ask("dpkg-query", ["-W", "-f", "${db:Status-Status}", name]));
  return packages.filter((_, index) => states[index] !== "installed");
}

async function aptInstall(packages) {
  const install = ["-o", "DPkg::Lock::Timeout=500", "install", "-y", "--no-install-recommends", ...packages];
  const root = process.getuid() === 0;
  if (!root && ask("sudo", ["-n", "true"]) === undefined) {
    throw new Stop(`Some packages of the system are missing. Install them, then start again:

  sudo apt-get update
  sudo apt-get install -y --no-install-recommends ${packages.join(" ")}`);
  }
  say(`installing ${packages.join(" ")}`);
  const [command, ...before] = [...(root ? [] : ["sudo", "-n"]), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
  // An index that cannot be renewed may still be good enough.
  await run(command, [...before, "-o", "DPkg::Lock::Timeout=500", "update"], { quiet: true }).catch(() => undefined);
  await run(command, [...before, ...install], { quiet: true });
}

/** Installs those of these Debian packages that are missing. */
export async function debianPackages(packages) {
  if (!["debian", "ubuntu"].includes(linuxKind()))
    throw new Stop(`Something is missing here. Debian has it as: ${packages.join(" ")}`);
  const missing = missingOf(packages);
  if (missing.length > 0) await aptInstall(missing);
}

/** Sees to the packages of the system; `forTests` adds those of the scenarios. */
export async function systemPackages({ forTests = false } = {}) {
  if (process.platform === "darwin") {
    if (!ask("xcode-select", ["-p"]))
      throw new Stop("The command line tools of Xcode are needed. Run: xcode-select --install");
    return;
  }
  if (process.platform !== "linux") return;
  const kind = linuxKind();
  if (kind === "debian" || kind === "ubuntu") {
    await debianPackages([...TO_RUN, ...(forTests ? TO_TEST : [])]);
    return;
  }
  if (ask("pkg-config", ["--exists", "webkit2gtk-4.1"]) === undefined) {
    const how = {
      fedora: "sudo dnf install gcc gcc-c++ make pkgconf-pkg-config webkit2gtk4.1-devel chromium",
      arch: "sudo pacman -S --needed base-devel pkgconf webkit2gtk-4.1 chromium",
    }[kind];
    throw new Stop(
      how
        ? `The windows need WebKitGTK. Run: ${how}`
        : "The windows need a C compiler, pkg-config and the development package of WebKitGTK 4.1 (webkit2gtk-4.1).",
    );
  }
  const missing = forTests ? TEST_PROGRAMS.filter((program) => !onPath(program)) : [];
  if (missing.length > 0)
    throw new Stop(`The scenarios need these programs, which are not here: ${missing.join(", ")}.`);
}

function hasBrowser() {
  const names = BROWSERS[process.platform] ?? [];
  if (process.platform === "darwin") return names.some((name) => existsSync(`/Applications/${name}.app`));
  if (process.platform === "win32") {
    const folders = [process.env.ProgramFiles, process.env["ProgramFiles(x86)"], process.env.LOCALAPPDATA];
    return folders.filter(Boolean).some((folder) => names.some((name) => existsSync(`${folder}\\${name}`)));
  }
  return names.some(onPath);
}

/** A browser of the Chromium family. Without one the app still starts and says so itself; the scenarios do not run. */
export async function browser({ needed = false } = {}) {
  if (hasBrowser()) return;
  // Ubuntu's package of that name is a snap, whose sandbox keeps the browser from talking over a pipe.
  if (process.platform === "linux" && linuxKind() === "debian") {
    try {
      await aptInstall(["chromium"]);
      return;
    } catch (error) {
      if (needed) throw error;
    }
  }
  const message =
    "No browser of the Chromium family was found: install Chromium, Google Chrome, Microsoft Edge or Brave.";
  if (needed) throw new Stop(message);
  say(message);
}
