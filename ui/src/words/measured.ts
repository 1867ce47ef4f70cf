import type { Promise } from "../gen/contract";

/** How many of the promised changes were found, in one line that leaves nothing out. */
export function promisesLine(promises: Promise[]): string {
  const count = (found: Promise["found"]) => promises.filter((promise) => promise.found === found).length;
  const [kept, broken, untold] = [count("as-promised"), count("otherwise"), count("not-told")];
  const parts = [
    kept > 0 && `${kept} as promised`,
    broken > 0 && `${broken} not as promised`,
    untold > 0 && `${untold} not measured`,
  ];
  const all = promises.length === 1 ? "1 promised change" : `${promises.length} promised changes`;
  return `${all}: ${parts.filter((part) => part !== false).join(", ")}`;
}
