// The browsers the cases run in.
import { type Browser } from "./tab";
import { openChromium } from "./chromium";
import { miniBrowser, openWebKit } from "./webkit";

/** Each with what its pages load before the library. */
export const BROWSERS: { name: string; scripts: string[]; open(): Promise<Browser> }[] = [
  { name: "Chromium with WebMCP", scripts: [], open: () => openChromium({ webmcp: true }) },
  { name: "Chromium with a polyfill", scripts: ["polyfill"], open: () => openChromium({ webmcp: false }) },
];

const webkit = miniBrowser();
if (webkit) BROWSERS.push({ name: "WebKitGTK with a polyfill", scripts: ["polyfill"], open: () => openWebKit(webkit) });
