// Exact decimals: whole numbers of 10^-12. No price, amount or cost goes through a float.

const PLACES = 12;
export const ONE = 10n ** BigInt(PLACES);

/** Decimal text as units. */
export function units(text) {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(text);
  return BigInt(sign + whole + fraction.padEnd(PLACES, "0"));
}

export const times = (one, other) => (one * other) / ONE;
export const over = (one, other) => (one * ONE) / other;
export const sum = (values) => values.reduce((all, value) => all + value, 0n);
export const least = (one, other) => (one < other ? one : other);

/** Units as decimal text with this many places, rounded to the nearest. */
export function text(value, places = 2) {
  const step = 10n ** BigInt(PLACES - places);
  const size = value < 0n ? -value : value;
  const digits = String((size + step / 2n) / step).padStart(places + 1, "0");
  const cut = digits.length - places;
  return `${value < 0n ? "-" : ""}${digits.slice(0, cut)}${places > 0 ? `.${digits.slice(cut)}` : ""}`;
}

/** The same with the zeros at its end cut off: an amount of pieces. */
export const pieces = (value) => text(value, 6).replace(/\.?0+$/, "");

/** A share in per cent, as text. */
export const percent = (part, whole, places = 2) => text(over(part * 100n, whole), places);

/** The same with as many places as two digits of it take: what is small is not rounded to nothing. */
export function share(part, whole) {
  const exact = over(part * 100n, whole);
  const size = exact < 0n ? -exact : exact;
  const places = size === 0n ? 2 : [2, 3, 4, 5].find((few) => size >= 10n ** BigInt(PLACES + 1 - few));
  return text(exact, places ?? 6);
}
