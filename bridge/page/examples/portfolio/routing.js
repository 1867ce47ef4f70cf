// What a trade would bring on each route through the market's depth. Nothing here changes the market.

import { least, ONE, over, sum, times, units } from "./decimal.js";
import { VENUES } from "./market.js";

/** A route sends all to one venue, or parts it over all of them. */
export const ROUTES = [
  ...VENUES.map(({ id, name, kind }) => ({
    id,
    name,
    about: `all to ${name}, ${kind === "pool" ? "a pool" : "an order book"}`,
  })),
  { id: "split", name: "Split", about: "parted over all venues, the best price first" },
];

const PARTS = 30n;

function fromBook(levels, side, amount) {
  let [left, got] = [amount, 0n];
  for (const { price, size } of levels) {
    if (left === 0n) break;
    const taken = least(left, side === "sell" ? size : times(size, price));
    got += side === "sell" ? times(taken, price) : over(taken, price);
    left -= taken;
  }
  return left > 0n ? undefined : got;
}

/** What one venue gives for an amount (of the asset, or of money when buying); `undefined` when it has not so much. */
function fill(market, asset, venue, side, amount) {
  if (amount === 0n) return 0n;
  const fee = units(venue.fee);
  const given = side === "sell" && venue.kind !== "pool" ? amount : times(amount, ONE - fee);
  if (venue.kind === "pool") {
    const { asset: held, money } = market.reserves(asset, venue);
    const [into, out] = side === "sell" ? [held, money] : [money, held];
    return (out * given) / (into + given);
  }
  const got = fromBook(market.levels(asset, venue, side), side, given);
  return got === undefined || side === "buy" ? got : times(got, ONE - fee);
}

function split(market, asset, venues, side, amount) {
  // Whole millionths, so that the legs add up to the amount as it is written.
  const step = amount / PARTS - ((amount / PARTS) % 1_000_000n);
  const taken = new Map(venues.map((venue) => [venue, { amount: 0n, got: 0n }]));
  for (let part = 0n; part < PARTS; part += 1n) {
    const more = part === PARTS - 1n ? amount - step * part : step;
    const [best] = venues
      .map((venue) => ({ venue, got: fill(market, asset, venue, side, taken.get(venue).amount + more) }))
      .filter(({ got }) => got !== undefined)
      .map(({ venue, got }) => ({ venue, got, gain: got - taken.get(venue).got }))
      .sort((one, other) => (one.gain > other.gain ? -1 : 1));
    if (!best) return undefined;
    taken.set(best.venue, { amount: taken.get(best.venue).amount + more, got: best.got });
  }
  return [...taken].filter(([, leg]) => leg.amount > 0n).map(([venue, leg]) => ({ venue, ...leg }));
}

/**
 * The legs of a trade with what each brings: `{legs, got}`, or `{fails}` in words.
 * `side` is `sell` (the amount is of the asset) or `buy` (the amount is money).
 */
export function routed(market, { asset, side, amount, route }) {
  const venues = VENUES.filter((venue) => market.trades(asset, venue) && (route === "split" || route === venue.id));
  if (venues.length === 0) {
    const where =
      route === "split" ? "No venue trades" : `${ROUTES.find(({ id }) => id === route).name} does not trade`;
    return { fails: `${where} ${asset}.` };
  }
  const [only] = venues;
  const got = route === "split" ? undefined : fill(market, asset, only, side, amount);
  const legs =
    route === "split"
      ? split(market, asset, venues, side, amount)
      : got !== undefined && [{ venue: only, amount, got }];
  if (!legs) return { fails: `There is not enough depth for this amount of ${asset} on this route.` };
  return { legs, got: sum(legs.map((leg) => leg.got)) };
}

/** How much of an asset each venue takes before its price has fallen by a share. */
export function depthWithin(market, asset, venue, share) {
  const floor = times(market.price(asset), ONE - share);
  if (venue.kind === "pool") {
    const { asset: held } = market.reserves(asset, venue);
    // The marginal price falls with the square of the reserve; at small shares half of it is close and never too much.
    return times(held, share) / 2n;
  }
  return sum(
    market
      .levels(asset, venue, "sell")
      .filter(({ price }) => price >= floor)
      .map(({ size }) => size),
  );
}
