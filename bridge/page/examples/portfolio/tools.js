// What the portfolio offers to agents. All amounts and prices are decimal text.

import { over, pieces, share, text, units } from "./decimal.js";
import { ASSETS, VENUES } from "./market.js";
import { CannotTrade } from "./positions.js";
import { depthWithin, routed, ROUTES } from "./routing.js";

/** How far an amount may move until the release. */
export const TOLERANCE = "0.02";
const CAUTION = "0.01";
const CRITICAL = "0.05";

const ASSET = { type: "string", enum: ASSETS.map(({ id }) => id), description: "The asset." };
const AMOUNT = {
  type: "string",
  pattern: "^\\d{1,12}(\\.\\d{1,6})?$",
  description: "How many pieces, as decimal text.",
};
const ROUTE = {
  type: "string",
  enum: ROUTES.map(({ id }) => id),
  description: `Where it is traded: ${ROUTES.map(({ id, about }) => `${id} (${about})`).join(", ")}.`,
};
const LEAST = {
  type: "string",
  pattern: "^\\d{1,12}(\\.\\d{1,6})?$",
  description: "The least it must bring, as decimal text; it fails rather than bring less.",
};
const schema = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const legsOf = ({ legs }) =>
  legs.map((leg) => ({ venue: leg.venue.id, amount: pieces(leg.amount), brings: `${text(leg.got)} USD` }));

/** Without figures: a figure that moves within its tolerance is no new risk. */
function risks({ cost, worth, to }, { least }) {
  const part = over(cost, worth);
  const found = [];
  if (part > units("0.5")) found.push({ level: "critical", text: "More than half of what is given away is lost." });
  if (part > units(CRITICAL)) {
    const about = "The price impact is beyond 5 %: the route has too little depth for this amount.";
    found.push({ level: "critical", text: about });
  } else if (part > units(CAUTION)) {
    found.push({ level: "caution", text: "The price impact is beyond 1 %." });
  }
  if (least === undefined) {
    found.push({
      level: "note",
      text: `No least amount was named; it takes what the market gives at the release.`,
    });
  }
  if (to) found.push({ level: "note", text: "It trades twice, through USD, and pays the fees of both." });
  return found;
}

/** Before and after of what the arguments fix; what the market decides is in the cost, where it has a tolerance. */
function preview(positions, wanted) {
  try {
    const quoted = positions.quote(wanted);
    const { asset, to, amount, got, worth, cost, position } = quoted;
    const lost = `${text(cost)} USD is lost, ${share(cost, worth)} % of what is given and ${share(cost, position)} % of the position`;
    const unit = to ?? "USD";
    const bring = to ? pieces(got) : text(got);
    const had = to ? pieces(positions.held(to)) : text(positions.cash());
    const sum =
      wanted.least &&
      (to ? pieces(positions.held(to) + units(wanted.least)) : text(positions.cash() + units(wanted.least)));
    return {
      summary: `${to ? "Swap" : "Sell"} ${pieces(amount)} ${asset} for about ${bring} ${unit}; ${lost}`,
      before: { [asset]: pieces(positions.held(asset)), [unit]: had },
      after: {
        [asset]: pieces(positions.held(asset) - amount),
        [unit]: wanted.least ? `at least ${sum}` : `${had} and what it brings`,
      },
      cost: {
        // What it brings is what is given less this, so it moves with the two; in a swap also with the price of the other asset.
        items: [
          { label: "Lost to price impact and fees", amount: text(cost), unit: "USD", of: text(position) },
          ...(to ? [{ label: `Paid for each ${to}`, amount: text(over(worth, got), 6), unit: `USD a ${to}` }] : []),
        ],
        asOf: new Date().toISOString(),
        tolerance: TOLERANCE,
      },
      risks: risks(quoted, wanted),
    };
  } catch (error) {
    if (error instanceof CannotTrade) return { fails: error.message };
    throw error;
  }
}

function spoken(positions, wanted) {
  try {
    const { asset, amount, sale, got, worth, cost, position } = positions.quote(wanted);
    return {
      simulated: true,
      asset,
      amount: pieces(amount),
      brings: `${text(got)} USD`,
      legs: legsOf(sale),
      cost: `${text(cost)} USD`,
      ofWhatIsSold: `${share(cost, worth)} %`,
      ofThePosition: `${share(cost, position)} %`,
      asOf: new Date().toISOString(),
    };
  } catch (error) {
    if (error instanceof CannotTrade) return { simulated: true, fails: error.message };
    throw error;
  }
}

function positionsNow(market, positions) {
  const { sum, notMeasured } = positions.total();
  return {
    simulated: true,
    asOf: new Date().toISOString(),
    cash: `${text(positions.cash())} USD`,
    positions: ASSETS.map(({ id, name }) => {
      const [price, value] = [market.price(id), positions.value(id)];
      return {
        asset: id,
        name,
        amount: pieces(positions.held(id)),
        price: price === undefined ? "not measured" : text(price, 6),
        value: value === undefined ? "not measured" : `${text(value)} USD`,
      };
    }),
    total: `${text(sum)} USD`,
    notInTheTotal: notMeasured,
  };
}

function depthNow(market, { asset }) {
  const venues = VENUES.filter((venue) => market.trades(asset, venue));
  if (venues.length === 0) return { simulated: true, asset, fails: `No venue trades ${asset}.` };
  return {
    simulated: true,
    asset,
    price: text(market.price(asset), 6),
    venues: venues.map((venue) => ({
      venue: venue.id,
      kind: venue.kind,
      fee: `${text(units(venue.fee) * 100n, 2)} %`,
      sellableBeforeThePriceFallsBy: Object.fromEntries(
        ["0.01", "0.05"].map((part) => [
          `${text(units(part) * 100n, 0)} %`,
          pieces(depthWithin(market, asset, venue, units(part))),
        ]),
      ),
    })),
  };
}

const routesNow = (market) => ({
  routes: ROUTES.map(({ id, about }) => ({
    route: id,
    about,
    trades: ASSETS.filter(
      (asset) => !routed(market, { asset: asset.id, side: "sell", amount: 0n, route: id }).fails,
    ).map((asset) => asset.id),
  })),
});

/** Offers what only reads. */
export function offerReads(page, { market, positions }) {
  return [
    page.read({
      name: "list_positions",
      title: "List the positions",
      description:
        "Lists the positions with amount, price and value, the cash, and the total. What has no price is not in the total.",
      execute: () => positionsNow(market, positions),
    }),
    page.read({
      name: "quote",
      title: "Quote a sale",
      description: "Tells what selling an amount on a route would bring and cost now. Sells nothing.",
      inputSchema: schema({ asset: ASSET, amount: AMOUNT, route: ROUTE }),
      execute: (args) => spoken(positions, args),
    }),
    page.read({
      name: "market_depth",
      title: "Look at the depth",
      description: "Tells how much of an asset each venue takes before its price has fallen by 1 % and by 5 %.",
      inputSchema: schema({ asset: ASSET }),
      execute: (args) => depthNow(market, args),
    }),
    page.read({
      name: "list_routes",
      title: "List the routes",
      description: "Lists the routes and the assets that each one trades.",
      execute: () => routesNow(market),
    }),
  ];
}

/** Offers what trades; `changed` is called after a trade. */
export function offerWrites(page, { positions, changed }) {
  const write = (name, title, description, inputSchema, wanted = (args) => args) =>
    page.propose({
      name,
      title,
      description,
      inputSchema,
      consequential: true,
      preview: (args) => preview(positions, wanted(args)),
      commit: (args) => {
        const done = positions.trade(wanted(args));
        changed();
        return done;
      },
    });
  return [
    write(
      "sell",
      "Sell",
      "Sells an amount of an asset for USD on a route. Ask quote first: the same call can be cheap or lose most of a position.",
      schema({ asset: ASSET, amount: AMOUNT, route: ROUTE, least: LEAST }, ["asset", "amount", "route"]),
    ),
    write(
      "swap",
      "Swap",
      "Sells an amount of one asset and buys another with it, both on one route.",
      schema({ from: ASSET, to: ASSET, amount: AMOUNT, route: ROUTE, least: LEAST }, ["from", "to", "amount", "route"]),
      ({ from, ...rest }) => ({ asset: from, ...rest }),
    ),
  ];
}
