import type { ClientSetup, SetupClient } from "../gen/contract";

/** What each client is called. */
export const clientNames: Record<SetupClient, string> = {
  "claude-desktop": "Claude Desktop",
  "claude-code": "Claude Code",
  codex: "Codex",
  "vs-code": "VS Code",
  cursor: "Cursor",
  goose: "Goose",
};

/** What is to be done in a client before it knows of a change. */
export const afterwards: Record<SetupClient, string> = {
  "claude-desktop": "Quit Claude Desktop, from its menu and not only its window, and start it again.",
  "claude-code":
    "Start a new session of Claude Code; one that was open may write its file anew. In it, /mcp lists countersign.",
  codex: "Start Codex anew. In it, /mcp lists countersign.",
  "vs-code":
    "In VS Code, open the command palette and run “MCP: List Servers”. It asks whether you trust a new server before it starts it.",
  cursor: "Restart Cursor, and see in its settings for MCP that countersign is switched on.",
  goose: "Start a new session of Goose. It reads its file when a session begins.",
};

/** What comes next for a client that was set up. */
export const thenPair = "When it connects for the first time, Countersign asks you whether to let it in.";

export function standingWords({ standing }: ClientSetup): string {
  switch (standing.state) {
    case "absent":
      return "not set up";
    case "same":
      return "set up";
    case "other":
      return standing.program === "" ? "set up in another way" : "set up for another program";
    case "unreadable":
      return "cannot be set up from here";
  }
}
