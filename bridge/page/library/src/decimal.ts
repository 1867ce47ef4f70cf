// Exact decimals: money never goes through a float.

const SCALE = 12;

/** Decimal text of at most 12 places as a whole number of 10^-12. */
const units = (text: string): bigint => {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return BigInt(sign + whole + fraction.padEnd(SCALE, "0"));
};

const size = (value: bigint) => (value < 0n ? -value : value);

/**
 * Whether an amount is no further from the one that was shown than a fraction `tolerance` of it. Without a tolerance: whether it is
 * the same. What was not measured equals only what is not measured.
 */
export const holds = (shown: string | undefined, now: string | undefined, tolerance = "0"): boolean => {
  if (shown === undefined || now === undefined) return shown === now;
  const [before, after] = [units(shown), units(now)];
  return size(after - before) * 10n ** BigInt(SCALE) <= size(before) * units(tolerance);
};

/** The exact sum of the amounts that were measured. */
export const total = (amounts: readonly (string | undefined)[]): string => {
  const sum = amounts.reduce((sum, amount) => sum + (amount === undefined ? 0n : units(amount)), 0n);
  const digits = size(sum)
    .toString()
    .padStart(SCALE + 1, "0");
  const fraction = digits.slice(-SCALE).replace(/0+$/, "");
  return `${sum < 0n ? "-" : ""}${digits.slice(0, -SCALE)}${fraction && `.${fraction}`}`;
};
