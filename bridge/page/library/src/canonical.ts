// Canonical JSON, RFC 8785: the one spelling that is shown, hashed and run.

/** Something canonical JSON has no spelling for, with the JSON pointer to it. */
export class NotCanonical extends Error {
  constructor(
    readonly path: string,
    readonly fault: string,
  ) {
    super(`${path || "the value"} ${fault}`);
  }
}

/** What a text may hold: a body of the chain holds no floats, and arguments nest less deep than the bodies they go into. */
export interface Limits {
  floats: boolean;
  depth: number;
}

const ARGUMENTS: Limits = { floats: true, depth: 96 };
export const BODY: Limits = { floats: false, depth: 120 };

/** One step of a JSON pointer, RFC 6901. */
export const step = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/**
 * Canonical JSON of a value.
 *
 * @throws NotCanonical for what is not JSON, for whole numbers beyond 2^53 - 1, for half a surrogate pair, for floats where
 * there must be none, and for what nests too deep.
 */
export const canonical = (value: unknown, limits: Limits = ARGUMENTS): string => write(value, "", limits, 0);

const write = (value: unknown, path: string, limits: Limits, depth: number): string => {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return text(value, path);
  if (typeof value === "number") return number(value, path, limits);
  if (typeof value !== "object") throw new NotCanonical(path, `is ${typeof value}, which JSON does not have.`);
  if (depth === limits.depth) throw new NotCanonical(path, `is nested more than ${limits.depth} deep.`);
  const inner = (member: unknown, key: string | number) => write(member, step(path, key), limits, depth + 1);
  if (Array.isArray(value)) return `[${Array.from(value, inner).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${text(key, path)}:${inner(member, key)}`).join(",")}}`;
};

const LONE_SURROGATE = /\p{Surrogate}/u;

const text = (value: string, path: string): string => {
  if (LONE_SURROGATE.test(value)) throw new NotCanonical(path, "holds half a surrogate pair, which is no text.");
  return JSON.stringify(value);
};

const number = (value: number, path: string, { floats }: Limits): string => {
  if (!Number.isFinite(value)) throw new NotCanonical(path, `is ${value}, which JSON does not have.`);
  const written = JSON.stringify(value);
  if (Number.isSafeInteger(value)) return written;
  if (/^-?\d+$/.test(written)) throw new NotCanonical(path, "is a whole number beyond 2^53 - 1. Pass it as text.");
  if (!floats) throw new NotCanonical(path, "is no whole number. Pass it as text.");
  return written;
};
