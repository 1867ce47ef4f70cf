import type { Client, ClientStanding, ClientWho, DeskState } from "../gen/contract";

/** A client that waits to be let in. */
export type Asking = Client & { standing: Extract<ClientStanding, { state: "asking" }> };

/** What it calls itself. Its own word, as its version is. */
export const clientName = (who: ClientWho) => (who.name.trim() === "" ? "A program without a name" : who.name);

const isAsking = (client: Client): client is Asking => client.standing.state === "asking";

/** Every client that waits to be let in, in the gate’s order. */
export const asking = (desk: DeskState): Asking[] => desk.clients.filter(isAsking);

/** Those that are paired under the name this one gives itself. */
export const namesakes = (client: Client, desk: DeskState): Client[] =>
  desk.clients.filter(
    (other) => other.id !== client.id && other.standing.state === "paired" && other.who.name === client.who.name,
  );

/** A path with its middle left out when it is long: the file at its end says the most. */
export function ends(path: string): string {
  const chars = Array.from(path);
  return chars.length <= 120 ? path : `${chars.slice(0, 40).join("")}…${chars.slice(-70).join("")}`;
}

/** The command that a program starts to get to the pages’ tools. */
export function command(program: string): string {
  return `${/^[\w@%+=:,./\\-]+$/.test(program) ? program : `"${program}"`} mcp`;
}
