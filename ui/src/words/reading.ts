import type { Change, NamedBy, NamedChange, NamedMember, Reading } from "../gen/contract";

/** Whose descriptor made a card readable, after “named by”. */
export const namedBy: Record<NamedBy, string> = { person: "you", countersign: "Countersign", page: "the page itself" };

export const namedByMeans: Record<NamedBy, string> = {
  person: "By the descriptor you added in the settings",
  countersign: "By a descriptor that came with Countersign",
  page: "By a descriptor the page gave along with its preview; nobody else has looked at it",
};

/** Where a member stands, as RFC 6901 writes it. */
export const pointer = (at: string, key: string) => `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

export type Names = ReadonlyMap<string, NamedMember>;

export const names = (reading: Reading | undefined): Names =>
  new Map(reading?.members.map((member) => [member.pointer, member]));

/** What a descriptor says of one change. */
export const named = (reading: Reading | undefined, change: Change): NamedChange | undefined =>
  reading?.changes.find((one) => one.path === change.path);

/** Whether nobody names anything of what would be sent. Where there is nothing to name, nothing is missing. */
export const isBlind = (reading: Reading | undefined, canonical: string) =>
  canonical !== "{}" && (reading === undefined || reading.members.length === 0);
