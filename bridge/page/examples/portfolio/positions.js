// What is held, what a trade would make of it, and the trade itself.

import { pieces, share, sum, text, times, units } from "./decimal.js";
import { ASSETS } from "./market.js";
import { routed } from "./routing.js";

const START = { ORE: "14500", TIDE: "96000", MOSS: "2750000", GLIM: "1200" };

/** Why a trade cannot be, in words for whoever asked. */
export class CannotTrade extends Error {}

export function createPositions(market) {
  const held = new Map(Object.entries(START).map(([asset, amount]) => [asset, units(amount)]));
  const trades = [];
  let cash = units("48250.00");

  const value = (asset) => {
    const price = market.price(asset);
    return price === undefined ? undefined : times(held.get(asset), price);
  };

  const route = (leg) => {
    const found = routed(market, leg);
    if (found.fails) throw new CannotTrade(found.fails);
    return found;
  };

  /** What selling or swapping would bring now. @throws CannotTrade */
  function quote({ asset, to, amount: given, route: name, least }) {
    const amount = units(given);
    if (amount === 0n) throw new CannotTrade("An amount of zero trades nothing.");
    if (amount > held.get(asset)) throw new CannotTrade(`Only ${pieces(held.get(asset))} ${asset} are held.`);
    if (to === asset) throw new CannotTrade(`${asset} is what it would be swapped for.`);
    const sale = route({ asset, side: "sell", amount, route: name });
    const purchase = to && route({ asset: to, side: "buy", amount: sale.got, route: name });
    const got = purchase ? purchase.got : sale.got;
    if (got === 0n) throw new CannotTrade("So small an amount brings nothing.");
    if (least !== undefined && got < units(least)) {
      throw new CannotTrade(
        `It would bring ${to ? pieces(got) : text(got)} ${to ?? "USD"}, less than the ${least} asked for.`,
      );
    }
    const worth = times(amount, market.price(asset));
    const cost = worth - (to ? times(got, market.price(to)) : got);
    return { asset, to, amount, sale, purchase, got, worth, cost, position: value(asset) };
  }

  return {
    trades,
    held: (asset) => held.get(asset),
    cash: () => cash,
    value,
    /** What could be priced, added up, and what could not. */
    total() {
      const priced = ASSETS.filter(({ id }) => value(id) !== undefined);
      const rest = ASSETS.filter(({ id }) => value(id) === undefined && held.get(id) > 0n);
      return { sum: cash + sum(priced.map(({ id }) => value(id))), notMeasured: rest.map(({ id }) => id) };
    },
    quote,
    /** Trades at once, all or nothing. @throws CannotTrade */
    trade(wanted) {
      const quoted = quote(wanted);
      const { asset, to, amount, sale, purchase, got, cost, position } = quoted;
      held.set(asset, held.get(asset) - amount);
      for (const leg of sale.legs) market.spend(asset, leg.venue, leg.amount);
      if (to) {
        held.set(to, held.get(to) + got);
        for (const leg of purchase.legs) market.spend(to, leg.venue, leg.got);
      } else cash += got;
      const done = {
        given: `${pieces(amount)} ${asset}`,
        got: to ? `${pieces(got)} ${to}` : `${text(got)} USD`,
        cost: `${text(cost)} USD`,
        share: `${share(cost, position)} % of the ${asset} position`,
        tick: market.ticks,
      };
      trades.unshift(done);
      return done;
    },
  };
}
