// The page: an organisation's access, what agents may ask about it, and what they may only propose.

import { callTool, hasWebmcp, inWords, showStatus } from "../held/agent.js";
import { showHeld } from "../held/cards.js";
import { writeSwitch } from "../held/writes.js";
import { endOverlaps, start } from "./state.js";
import { offerReads, offerWrites } from "./tools.js";
import { prepare, show, showAnswer, showNotice, showTrail } from "./view.js";

const { createPage } = globalThis.Countersign;
const $ = (id) => document.getElementById(id);
const page = createPage();

async function call(name, args) {
  showAnswer(`The page calls ${name} as an agent would…`);
  try {
    showAnswer(inWords(await callTool(name, args)));
  } catch (error) {
    showAnswer(`The call failed: ${error.message}`);
  }
}
const propose = hasWebmcp() ? call : undefined;

const held = {
  now: start(),
  set(state) {
    held.now = state;
    showAll();
  },
};

function showAll() {
  show(held.now, propose);
}

prepare({ propose, looked: showAll });
showAll();
const basis = "Counted by this page in its dependency map";
showHeld(page, $("held"), { basis, failed: showNotice });
for (const { offered } of offerReads(page, held)) offered.catch((error) => showNotice(error.message));
writeSwitch($("writes"), { offer: () => offerWrites(page, held), failed: showNotice });
showStatus($("status"), page);
$("end-overlaps").addEventListener("click", () => held.set(endOverlaps(held.now)));
$("start-over").addEventListener("click", () => held.set(start()));

// The record has no event of its own, and an entry may come a moment after what it records.
let shown = -1;
setInterval(() => {
  const entries = page.chain.entries();
  if (entries.length === shown) return;
  shown = entries.length;
  showTrail(entries);
}, 500);
