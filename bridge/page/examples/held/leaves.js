// A structure before and after, as the lines in which the two differ.

const isBranch = (value) => typeof value === "object" && value !== null && Object.keys(value).length > 0;

function leaves(value, path = [], into = new Map()) {
  if (isBranch(value)) for (const [key, member] of Object.entries(value)) leaves(member, [...path, key], into);
  else into.set(JSON.stringify(path), value);
  return into;
}

const said = (value) => {
  if (value === undefined) return undefined;
  if (typeof value === "string") return value;
  if (Array.isArray(value) || (value !== null && typeof value === "object")) return "none";
  return value === null ? "none" : String(value);
};

/** `{path, before, after}` of every difference; `undefined` is what is not there, which is not zero. */
export function differences(before, after) {
  const [one, other] = [leaves(before), leaves(after)];
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((key) => one.get(key) !== other.get(key) || one.has(key) !== other.has(key))
    .map((key) => ({ path: JSON.parse(key), before: said(one.get(key)), after: said(other.get(key)) }));
}
