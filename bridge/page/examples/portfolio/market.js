// A simulated market: assets, venues with depth, and time. The same seed and the same acts give the same market.

import { ONE, over, times, units } from "./decimal.js";

export const ASSETS = [
  { id: "ORE", name: "Ore", price: "103.40" },
  { id: "TIDE", name: "Tide", price: "4.18" },
  { id: "MOSS", name: "Moss", price: "0.2384" },
  { id: "GLIM", name: "Glim" },
];

/** An order book has levels; a pool has two reserves whose product stays. */
export const VENUES = [
  { id: "quay", name: "Quay", kind: "order book", fee: "0.0004" },
  { id: "lock", name: "Lock", kind: "pool", fee: "0.003" },
  { id: "ferry", name: "Ferry", kind: "order book", fee: "0.001" },
];

const LEVELS = 24;

/** How much of an asset a level holds and how far apart levels are, or how much a pool holds. */
const DEPTH = {
  ORE: { quay: { size: "900", step: "0.00005" }, lock: { reserve: "42000" }, ferry: { size: "240", step: "0.0002" } },
  TIDE: { quay: { size: "2600", step: "0.0004" }, lock: { reserve: "210000" }, ferry: { size: "900", step: "0.0012" } },
  MOSS: { lock: { reserve: "180000" }, ferry: { size: "6000", step: "0.006" } },
};

/** Whole numbers from -1000 to 1000 (a linear congruential generator). */
function dice(seed) {
  let state = BigInt(seed) & 0xffffffffn;
  return () => {
    state = (state * 1664525n + 1013904223n) & 0xffffffffn;
    return ((state >> 8n) % 2001n) - 1000n;
  };
}

export function createMarket(seed) {
  const roll = dice(seed);
  const prices = new Map(ASSETS.filter(({ price }) => price).map(({ id, price }) => [id, units(price)]));
  const places = [...prices.keys()].flatMap((asset) => Object.keys(DEPTH[asset]).map((venue) => `${asset} ${venue}`));
  /** How much of its usual depth a venue has now. */
  const factors = new Map(places.map((place) => [place, ONE]));
  const shape = Array.from({ length: LEVELS }, () => ONE + (roll() * ONE) / 2500n);
  let ticks = 0;

  const move = (asset, part, of) => prices.set(asset, prices.get(asset) + (prices.get(asset) * part) / of);

  /** The levels of an order book, the best first. */
  function levels(asset, venue, side) {
    const { size, step } = DEPTH[asset][venue.id];
    const factor = factors.get(`${asset} ${venue.id}`);
    return shape.map((form, level) => {
      const away = units(step) * BigInt(level + 1);
      const price = times(prices.get(asset), side === "sell" ? ONE - away : ONE + away);
      return { price, size: times(times(units(size), form), factor) };
    });
  }

  function reserves(asset, venue) {
    const held = times(units(DEPTH[asset][venue.id].reserve), factors.get(`${asset} ${venue.id}`));
    return { asset: held, money: times(held, prices.get(asset)) };
  }

  return {
    seed,
    get ticks() {
      return ticks;
    },
    /** The price in the middle; `undefined` where nobody trades. */
    price: (asset) => prices.get(asset),
    trades: (asset, venue) => factors.has(`${asset} ${venue.id}`),
    levels,
    reserves,
    /** Time goes on: prices wander, and depth comes back. */
    tick() {
      ticks += 1;
      for (const asset of prices.keys()) move(asset, roll(), 400_000n);
      for (const [place, factor] of factors) {
        factors.set(place, factor + (ONE - factor) / 20n + (ONE * roll()) / 250_000n);
      }
    },
    /** Every price moves by 4 to 9 per cent. */
    jump() {
      for (const asset of prices.keys()) {
        const by = roll();
        move(asset, by < 0n ? by / 20n - 40n : by / 20n + 40n, 1000n);
      }
    },
    /** Half of the depth leaves. */
    drain() {
      for (const [place, factor] of factors) factors.set(place, factor / 2n);
    },
    /** A trade leaves less for the next one. */
    spend(asset, venue, amount) {
      const place = `${asset} ${venue.id}`;
      const { size, reserve } = DEPTH[asset][venue.id];
      const usual = reserve ? units(reserve) : units(size) * BigInt(LEVELS);
      factors.set(place, times(factors.get(place), over(usual, usual + amount)));
    },
  };
}
