import type { ClientSetup, SetupChange, SetupClient } from "../../gen/contract";
import { digest } from "./shop";

const program = "/usr/bin/countersign-bridge";
const json = (container: string) =>
  `{\n  "${container}": {\n    "countersign": {\n      "command": "${program}",\n      "args": ["mcp"]\n    }\n  }\n}\n`;

const change = (client: SetupClient, line: number, before: string, after: string): SetupChange => ({
  line,
  before,
  after,
  digest: digest(`${client} ${after}`),
});

const toml = `[mcp_servers.countersign]\ncommand = "${program}"\nargs = ["mcp"]\n`;
const goose = `extensions:\n  countersign:\n    enabled: true\n    type: stdio\n    name: countersign\n    cmd: "${program}"\n    args: ["mcp"]\n    timeout: 300\n`;

/** The clients of somebody who has some of them, each standing another way. */
export const setups = (): ClientSetup[] => [
  {
    client: "claude-desktop",
    file: "/home/ada/.config/Claude/claude_desktop_config.json",
    installed: false,
    standing: { state: "absent" },
    add: change("claude-desktop", 1, "", json("mcpServers")),
    byHand: json("mcpServers"),
  },
  {
    client: "claude-code",
    file: "/home/ada/.claude.json",
    installed: true,
    standing: { state: "other", program: "/home/ada/Downloads/countersign-bridge mcp" },
    add: change(
      "claude-code",
      40,
      `  "mcpServers": {\n    "countersign": { "command": "/home/ada/Downloads/countersign-bridge", "args": ["mcp"] },\n    "files": {\n`,
      `  "mcpServers": {\n    "countersign": {\n      "type": "stdio",\n      "command": "${program}",\n      "args": ["mcp"]\n    },\n    "files": {\n`,
    ),
    remove: change(
      "claude-code",
      40,
      `  "mcpServers": {\n    "countersign": { "command": "/home/ada/Downloads/countersign-bridge", "args": ["mcp"] },\n    "files": {\n`,
      `  "mcpServers": {\n    "files": {\n`,
    ),
    byHand: json("mcpServers"),
  },
  {
    client: "codex",
    file: "/home/ada/.codex/config.toml",
    installed: true,
    standing: { state: "absent" },
    add: change(
      "codex",
      11,
      '[mcp_servers.docs]\ncommand = "docs" # kept\n',
      `[mcp_servers.docs]\ncommand = "docs" # kept\n\n${toml}`,
    ),
    byHand: toml,
  },
  {
    client: "vs-code",
    file: "/home/ada/.config/Code/User/mcp.json",
    installed: true,
    standing: { state: "same" },
    remove: change("vs-code", 1, json("servers"), '{\n  "servers": {}\n}\n'),
    byHand: json("servers"),
  },
  {
    client: "cursor",
    file: "/home/ada/.cursor/mcp.json",
    installed: true,
    standing: {
      state: "unreadable",
      why: "The file cannot be understood: Trailing commas are not allowed on line 9 column 4. Mend it first; Countersign leaves it as it is.",
    },
    byHand: json("mcpServers"),
  },
  {
    client: "goose",
    file: "/home/ada/.config/goose/config.yaml",
    installed: true,
    standing: { state: "absent" },
    refused: "The file is left as it is: it is not written the way Goose writes it. You can change it by hand.",
    byHand: goose,
  },
];
