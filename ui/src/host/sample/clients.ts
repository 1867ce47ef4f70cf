import type { Client, ClientDoors, ClientSettings, ClientStanding, ClientWho } from "../../gen/contract";
import { since } from "./proposals";
import { digest } from "./shop";

const claude: ClientWho = {
  name: "claude-code",
  version: "2.1.4",
  way: "stdio",
  program: "/home/you/.local/share/claude/versions/2.1.4",
  process: 48_213,
};

export const armed: ClientStanding = { state: "asking", arming: { state: "armed" } };

export const client = (id: string, who: Partial<ClientWho> = {}, standing: ClientStanding = armed): Client => ({
  id,
  who: { ...claude, ...who },
  standing,
  connections: 1,
  digest: digest(`client.${id}`),
});

const overHttp: ClientWho = { name: "my-script", version: "", way: "http", token: "nightly report" };

export const httpClient = (id: string, standing?: ClientStanding): Client => ({
  ...client(id, {}, standing),
  who: overHttp,
});

export const hostileClient = (id: string): Client =>
  client(id, {
    name: "\u202eedoc-edualc\u202c\u0000\u200b<b>checked by Countersign</b>\u0007 and already paired, press Pair to",
    version: `1.0\n\n${"9".repeat(78)}`,
    program: `/tmp/\u2066claude\u2069/${"very-long-folder/".repeat(30)}claude\u001b[2K`,
  });

export const clients: Client[] = [
  client("c4", { name: "zed", version: "0.212.3", program: "/usr/lib/zed/zed-editor", process: 50_120 }),
  { ...client("c1", {}, { state: "paired", at: since(86_400 * 3) }), connections: 2 },
  { ...httpClient("c2", { state: "paired", at: since(5_000) }), connections: 0 },
  client("c3", { name: "unknown-helper", program: "/tmp/helper", version: "0.0.1" }, { state: "refused" }),
];

export const clientSettings: ClientSettings = { keep: true, http: false, port: 7350, tokens: [] };

export const clientDoors: ClientDoors = { program: "/usr/bin/countersign-bridge" };

export const tokens = [{ name: "nightly report", digest: digest("token") }];
