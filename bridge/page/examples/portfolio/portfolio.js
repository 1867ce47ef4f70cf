// The page: a market that moves, a portfolio in it, and what agents may do with both.

import { callTool, hasWebmcp, inWords, showStatus } from "../held/agent.js";
import { showHeld } from "../held/cards.js";
import { writeSwitch } from "../held/writes.js";
import { over, share, text, times, units } from "./decimal.js";
import { createMarket } from "./market.js";
import { CannotTrade, createPositions } from "./positions.js";
import { offerReads, offerWrites, TOLERANCE } from "./tools.js";
import { createBench, showAnswer, showClock, showNotice, showPositions, showTrades } from "./view.js";

const { createPage } = globalThis.Countersign;
const $ = (id) => document.getElementById(id);
const TICK = 2000;

const query = new URLSearchParams(location.search);
const seed = /^\d{1,9}$/.exec(query.get("seed") ?? "7")?.[0] ?? "7";
const market = createMarket(seed);
const positions = createPositions(market);
const page = createPage();
let paused = query.has("still");

const isBeyond = (shown, now) => times(shown, units(TOLERANCE)) < (now > shown ? now - shown : shown - now);

/** How the price of a card stands to the market now. */
function live({ arguments: { from, ...rest }, preview }) {
  if (!preview.cost) return undefined;
  try {
    const { cost, position, worth, got } = positions.quote({ asset: from, ...rest });
    const [lost, paid] = preview.cost.items;
    const pairs = [[lost.amount, cost], [lost.of, position], ...(paid ? [[paid.amount, over(worth, got)]] : [])];
    const moved = pairs.some(([shown, now]) => isBeyond(units(shown), now));
    const words = `Now it would lose ${text(cost)} USD, ${share(cost, position)} % of the position`;
    return { moved, words: moved ? `${words}: beyond what may move. A release shows it again.` : `${words}.` };
  } catch (error) {
    if (!(error instanceof CannotTrade)) throw error;
    return { moved: true, words: `Now it would fail: ${error.message}` };
  }
}

async function propose(args) {
  showAnswer("The page calls sell as an agent would…");
  try {
    showAnswer(inWords(await callTool("sell", args)));
  } catch (error) {
    showAnswer(`The call failed: ${error.message}`);
  }
}

const basis = "Quoted by this page from the simulated depth";
const refreshCards = showHeld(page, $("held"), { basis, live, failed: showNotice });
const showBench = createBench(market, positions, { propose, canPropose: hasWebmcp });

function show() {
  showClock(market, paused);
  showPositions(market, positions);
  showTrades(positions.trades);
  showBench();
  refreshCards();
}

for (const { offered } of offerReads(page, { market, positions })) offered.catch((error) => showNotice(error.message));
const offer = () => offerWrites(page, { positions, changed: show });
writeSwitch($("writes"), { offer, failed: showNotice });
showStatus($("status"), page);

const listen = (id, act) =>
  $(id).addEventListener("click", () => {
    act();
    show();
  });
listen("pause", () => (paused = !paused));
listen("jump", () => market.jump());
listen("drain", () => market.drain());
setInterval(() => {
  if (paused) return;
  market.tick();
  show();
}, TICK);
show();
