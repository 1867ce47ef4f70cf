// What is lost by how much is sold at once: a line for each route. Floats are for the pixels only.

import { over, percent, times, units } from "./decimal.js";
import { ROUTES, routed } from "./routing.js";

const SVG = "http://www.w3.org/2000/svg";
const SHARES = ["0.02", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"];
const FRAME = { left: 62, right: 630, top: 18, bottom: 212 };
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

function draw(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function pointsOf(market, asset, held, route) {
  const points = SHARES.map((share) => {
    const amount = times(held, units(share));
    if (amount === 0n) return undefined;
    const found = routed(market, { asset, side: "sell", amount, route });
    const worth = times(amount, market.price(asset));
    return found.fails ? undefined : { share: Number(share), lost: Number(percent(worth - found.got, worth, 4)) };
  });
  return points.filter(Boolean);
}

/** Draws the curves of an asset; `chosen` is the share of the position that is looked at, from 0 to 1. */
export function drawCurve(svg, { market, asset, held, chosen }) {
  const lines = ROUTES.map(({ id }) => ({ id, points: pointsOf(market, asset, held, id) }));
  const most = Math.max(0.1, ...lines.flatMap(({ points }) => points.map(({ lost }) => lost)));
  const step = STEPS.find((one) => most / one <= 5) ?? 100;
  const top = Math.min(100, Math.ceil(most / step) * step);
  const x = (share) => FRAME.left + share * (FRAME.right - FRAME.left);
  const y = (lost) => FRAME.bottom - (lost / top) * (FRAME.bottom - FRAME.top);
  const parts = [];
  for (let mark = 0; mark <= top + step / 2; mark += step) {
    parts.push(draw("line", { class: "axis", x1: FRAME.left, x2: FRAME.right, y1: y(mark), y2: y(mark) }));
    const said = `${step < 1 ? mark.toFixed(1) : Math.round(mark)} %`;
    parts.push(draw("text", { x: FRAME.left - 6, y: y(mark) + 4, "text-anchor": "end" }, said));
  }
  for (const share of [0.25, 0.5, 0.75, 1]) {
    const at = { x: x(share), y: FRAME.bottom + 18, "text-anchor": share === 1 ? "end" : "middle" };
    parts.push(draw("text", at, `${share * 100} %`));
  }
  parts.push(draw("line", { class: "chosen", x1: x(chosen), x2: x(chosen), y1: FRAME.top, y2: FRAME.bottom }));
  for (const { id, points } of lines) {
    if (points.length === 0) continue;
    const path = points.map(({ share, lost }) => `${x(share).toFixed(1)},${y(lost).toFixed(1)}`).join(" ");
    parts.push(draw("polyline", { class: `line ${id}`, points: path }));
    const last = points.at(-1);
    parts.push(draw("circle", { class: `dot ${id}`, cx: x(last.share), cy: y(last.lost), r: 3.5 }));
  }
  svg.replaceChildren(...parts);
}

/** The share of a position as a number from 0 to 1, for the picture. */
export const shareOf = (amount, held) => (held === 0n ? 0 : Math.min(1, Number(percent(amount, held, 2)) / 100));

/** The amount that a whole number of per cent of a position is, cut to six places. */
export const amountOf = (held, hundredths) => {
  const amount = over(held * BigInt(hundredths), units("100"));
  return amount - (amount % 1_000_000n);
};
