import type { HostBrowser, HostState, PanelState } from "../gen/contract";

/** What each browser is called. */
export const browserNames: Record<HostBrowser, string> = {
  chrome: "Chrome",
  chromium: "Chromium",
  edge: "Edge",
  brave: "Brave",
};

export function hostWords(standing: HostState): string {
  switch (standing.state) {
    case "none":
      return "not connected";
    case "ours":
      return "may start Countersign";
    case "stale":
      return "set up for another Countersign";
    case "foreign":
      return "another program’s file";
    case "unreadable":
      return "cannot be set up from here";
  }
}

/** What connecting is called, by what is there. */
export function connectWords(standing: HostState): string {
  return standing.state === "foreign" ? "Replace" : standing.state === "stale" ? "Connect this one" : "Connect";
}

/** The browsers that are connected through the extension. */
export interface ExtensionState {
  browsers: { name: string; version: string; tabs: number }[];
  problem?: string;
}

/** Until the desk tells of the extension, no browser is connected. */
export const extensionOf = (state: PanelState & { extension?: ExtensionState }): ExtensionState =>
  state.extension ?? { browsers: [] };
