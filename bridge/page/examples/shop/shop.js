// The page: shows the shop, lets a person shop by hand, and offers the same to agents.

import { send, state } from "./api.js";
import { callTool, offerTools } from "./tools.js";
import { noteTyped, show, showNotice, showWebmcp } from "./view.js";

const $ = (id) => document.getElementById(id);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function act(path, params) {
  try {
    const { state: now } = await send(path, params);
    showNotice();
    show(now, add);
  } catch (error) {
    showNotice(error.message);
  }
}

const add = (product, quantity) => act("/api/basket", { product, quantity });

function listenToThePerson() {
  $("order-basket").addEventListener("click", () => act("/api/orders", { basket: true }));
  $("note").addEventListener("input", noteTyped);
  $("note-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void act("/api/note", { note: $("note").value });
  });
  $("monthly").addEventListener("change", (event) => act("/api/subscribe", { on: event.target.checked }));
  $("raise-prices").addEventListener("click", () => act("/api/prices", { percent: 5 }));
  $("start-over").addEventListener("click", () => act("/api/reset"));
  $("helper").addEventListener("click", letTheHelperOrder);
}

async function letTheHelperOrder() {
  const answer = $("helper-answer");
  answer.textContent = "The helper has called place_order and waits for its answer…";
  try {
    answer.textContent = inWords(await callTool("place_order", { product: "filter", quantity: 2 }));
  } catch (error) {
    answer.textContent = `The call failed: ${error.message}`;
  }
}

/** The answer of place_order, or whatever text came in its place. */
function inWords(answer) {
  try {
    const { order, message } = JSON.parse(answer);
    if (order) return `Done: order no. ${order.number}, ${order.total} EUR.`;
    return message ?? answer;
  } catch {
    return answer;
  }
}

async function offerToAgents() {
  const taken = await offerTools();
  if (taken > 0) {
    showWebmcp(true, `WebMCP is on: this page offers ${taken} tools to agents.`);
  } else {
    showWebmcp(false, "WebMCP is off in this browser. You can shop by hand; agents see no tools here.");
    $("helper").closest("section").hidden = true;
  }
}

async function keepUpToDate() {
  let revision;
  for (;;) {
    try {
      const now = await state(revision);
      revision = now.revision;
      show(now, add);
      await pause(50);
    } catch {
      showNotice("The shop’s server does not answer. Start Countersign again and reopen the example.");
      return;
    }
  }
}

listenToThePerson();
void offerToAgents();
void keepUpToDate();
