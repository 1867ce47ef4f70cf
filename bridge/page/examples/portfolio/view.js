// Shows the portfolio, the market and the bench. Figures arrive as exact text.

import { grouped, make } from "../held/make.js";
import { amountOf, drawCurve, shareOf } from "./curve.js";
import { over, percent, pieces, text, units } from "./decimal.js";
import { ASSETS } from "./market.js";
import { CannotTrade } from "./positions.js";
import { ROUTES } from "./routing.js";

const $ = (id) => document.getElementById(id);
const FIGURES = { brings: "Brings, USD", lost: "Lost, USD", part: "Lost, %" };
const LIMIT = units("0.05");

export function showNotice(words = "") {
  $("notice").textContent = words;
  $("notice").hidden = words === "";
}

export function showClock(market, paused) {
  const time = paused ? "stands still" : "goes on";
  $("clock").textContent = `Seed ${market.seed}, tick ${market.ticks}; time ${time}. No price here is a real one.`;
  $("pause").textContent = paused ? "Go on" : "Pause";
  $("pause").setAttribute("aria-pressed", String(paused));
}

export function showPositions(market, positions) {
  const { sum, notMeasured } = positions.total();
  $("total").textContent = grouped(text(sum));
  $("cash").textContent = grouped(text(positions.cash()));
  $("not-measured").textContent = notMeasured.length > 0 ? `without ${notMeasured.join(", ")}: not measured` : "";
  $("positions").replaceChildren(
    ...ASSETS.map(({ id, name }) => {
      const [price, value] = [market.price(id), positions.value(id)];
      const cell = (words) => make("td", { class: "number" }, words);
      return make(
        "tr",
        {},
        make("th", { scope: "row" }, name, make("small", { class: "full" }, id)),
        cell(grouped(pieces(positions.held(id)))),
        cell(price === undefined ? make("span", { class: "quiet" }, "not measured") : grouped(text(price, 4))),
        cell(value === undefined ? make("span", { class: "quiet" }, "–") : grouped(text(value))),
      );
    }),
  );
}

export function showTrades(trades) {
  $("trades").replaceChildren(
    ...trades.map(({ given, got, cost, share, tick }) =>
      make(
        "li",
        {},
        make("span", {}, grouped(`${given} for ${got}`)),
        make("span", { class: "quiet" }, grouped(`${cost} lost, ${share}; tick ${tick}`)),
      ),
    ),
  );
  $("no-trades").hidden = trades.length > 0;
}

/** The bench: one amount on every route. `propose(args)` is asked for by a button. */
export function createBench(market, positions, { propose, canPropose }) {
  const rows = new Map();
  for (const { id, name } of ASSETS) $("asset").append(make("option", { value: id }, name));
  for (const { id, name, about } of ROUTES) {
    const figures = Object.entries(FIGURES).map(([what, label]) =>
      make("td", { class: `number ${what}`, "data-label": label }),
    );
    const fails = make("td", { class: "fails", colspan: "3", hidden: true });
    const click = () => propose({ asset: $("asset").value, amount: $("amount").value, route: id });
    const button = make("button", { type: "button", "aria-label": `Propose selling by ${name}`, click }, "Propose");
    const head = make("th", { scope: "row", title: about }, make("span", { class: `swatch ${id}` }), name);
    $("routes").append(make("tr", {}, head, figures, fails, make("td", { class: "number act" }, button)));
    rows.set(id, { figures, fails, button });
    $("legend").append(make("li", {}, make("span", { class: `swatch ${id}` }), name));
  }

  const wanted = () => {
    const given = $("amount").value.trim();
    return /^\d{1,12}(\.\d{1,6})?$/.test(given) ? units(given) : undefined;
  };

  function showRow(route, { figures: [brings, lost, part], fails, button }) {
    const asset = $("asset").value;
    let why = "An amount is digits, with up to six after the point.";
    let quoted;
    try {
      if (wanted() !== undefined) quoted = positions.quote({ asset, amount: $("amount").value.trim(), route });
    } catch (error) {
      if (!(error instanceof CannotTrade)) throw error;
      why = error.message;
    }
    fails.hidden = quoted !== undefined;
    fails.textContent = quoted ? "" : why;
    for (const cell of [brings, lost, part]) cell.hidden = quoted === undefined;
    button.disabled = !quoted || !canPropose();
    if (!quoted) return;
    brings.textContent = grouped(text(quoted.got));
    lost.textContent = grouped(text(quoted.cost));
    part.textContent = `${percent(quoted.cost, quoted.worth)} %`;
    part.classList.toggle("beyond-limit", over(quoted.cost, quoted.worth) > LIMIT);
  }

  function show() {
    const asset = $("asset").value;
    const amount = wanted() ?? 0n;
    const held = positions.held(asset);
    $("share-said").textContent = held === 0n ? "none is held" : `${percent(amount, held, 1)} %`;
    for (const [route, row] of rows) showRow(route, row);
    const priced = market.price(asset) !== undefined && held > 0n;
    $("curve").closest("figure").hidden = !priced;
    if (priced) drawCurve($("curve"), { market, asset, held, chosen: shareOf(amount, held) });
  }

  const takeShare = () => {
    $("amount").value = pieces(amountOf(positions.held($("asset").value), $("share").value));
    show();
  };
  $("bench").addEventListener("submit", (event) => event.preventDefault());
  $("share").addEventListener("input", takeShare);
  $("asset").addEventListener("change", takeShare);
  $("amount").addEventListener("input", show);
  takeShare();
  return show;
}

export function showAnswer(words) {
  $("answer").textContent = grouped(words);
}
