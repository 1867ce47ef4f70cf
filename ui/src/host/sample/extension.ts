import type { ExtensionHost, HostBrowser, SetupChange } from "../../gen/contract";
import type { ExtensionState } from "../../words/extension";
import { digest } from "./shop";

const folders: Record<HostBrowser, string> = {
  chrome: "google-chrome",
  chromium: "chromium",
  edge: "microsoft-edge",
  brave: "BraveSoftware/Brave-Browser",
};

const manifest = (program: string) =>
  `{\n  "name": "dev.countersign.desk",\n  "description": "Countersign holds the writes of agents in this browser until you release them",\n  "path": "${program}",\n  "type": "stdio",\n  "allowed_origins": [\n    "chrome-extension://abcdefghijklmnopabcdefghijklmnop/"\n  ]\n}\n`;
const ours = manifest("/usr/bin/countersign-bridge");
const old = "/home/ada/a/folder/with/a/rather/long/name/Downloads/countersign-0.0.9/countersign-bridge";

const change = (before: string, after: string): SetupChange => ({
  line: 1,
  before,
  after,
  digest: digest(before + after),
});

const host = (browser: HostBrowser, given: Partial<ExtensionHost> = {}): ExtensionHost => ({
  browser,
  found: true,
  path: `/home/ada/.config/${folders[browser]}/NativeMessagingHosts/dev.countersign.desk.json`,
  standing: { state: "none" },
  ...given,
});

/** Four browsers, each standing another way. */
export const hosts = (): ExtensionHost[] => [
  host("chrome", { add: change("", ours) }),
  host("chromium", { standing: { state: "ours" }, remove: change(ours, "") }),
  host("edge", {
    standing: { state: "stale", program: old },
    add: change(manifest(old), ours),
    remove: change(manifest(old), ""),
  }),
  host("brave", {
    standing: { state: "foreign", program: "/opt/another/program" },
    add: change('{ "path": "/opt/another/program" }\n', ours),
  }),
];

export const noHosts = (): ExtensionHost[] =>
  (["chrome", "chromium", "edge", "brave"] as const).map((browser) => host(browser, { found: false }));

export const extensionFolder = "/usr/lib/Countersign/extension";

export const connected: ExtensionState = {
  browsers: [
    { name: "Chromium", version: "156.0.7702.3", tabs: 7 },
    { name: "Brave", version: "1.91.12", tabs: 1 },
  ],
};
