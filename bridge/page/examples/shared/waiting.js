// What waits for a decision, and the two buttons. With Countersign there nothing waits here, and the page says so.
import { $, clock, el, inOneLine } from "./dom.js";

const DESK = "Countersign is here: its window shows and decides every write. Nothing is decided in this page.";
const PAGE = "No Countersign here, so this page asks. Its buttons cannot tell who presses them.";

/**
 * Shows `page.proposals` in an element. `decided` hears a press before it acts: the proposal, `released` or `refused`, the
 * reason, and the event.
 */
export function showWaiting(page, element, decided = () => {}) {
  const cards = new Map();
  const list = el("ul", { className: "waiting" });
  const empty = el("p", { className: "quiet" }, page.desk ? DESK : "Nothing waits for you.");
  const note = el("p", { className: "quiet small" }, PAGE);
  const fault = el("p", { className: "fault", role: "alert", hidden: true });
  element.append(empty, list, fault);
  if (!page.desk) element.append(note);

  const act = async (proposal, decision, reason, event) => {
    fault.hidden = true;
    try {
      decided(proposal, decision, reason, event);
      if (decision === "released") await page.proposals.release(proposal.id, event);
      else await page.proposals.refuse(proposal.id, reason, event);
    } catch (error) {
      fault.textContent = error.message;
      fault.hidden = false;
    }
  };

  const show = () => {
    const open = page.proposals.list().filter(({ status }) => status === "held" || status === "checking");
    for (const [id, card] of cards) {
      if (open.some((proposal) => proposal.id === id)) continue;
      card.element.remove();
      cards.delete(id);
    }
    for (const proposal of open) {
      const card = cards.get(proposal.id) ?? cardOf(proposal, act);
      if (!cards.has(proposal.id)) list.append(card.element);
      cards.set(proposal.id, card);
      card.update(proposal);
    }
    empty.hidden = open.length > 0;
    // On a narrow screen what waits may be far down.
    const link = $("waiting-link");
    link.hidden = open.length === 0;
    link.textContent = open.length === 1 ? "One ask waits for your answer" : `${open.length} asks wait for your answer`;
  };
  page.proposals.onChange(show);
  show();
}

function cardOf({ id, title, tool, arguments: args, expiresAt }, act) {
  let latest;
  const effect = el("div", { className: "effect", role: "status" });
  const reason = el("input", { id: `reason-${id}`, maxLength: 200, autocomplete: "off", dir: "auto" });
  const release = el("button", { type: "button", className: "main" }, "Release");
  const refuse = el("button", { type: "button" }, "Refuse");
  release.addEventListener("click", (event) => void act(latest, "released", undefined, event));
  refuse.addEventListener(
    "click",
    (event) => void act(latest, "refused", reason.value.trim() || "No reason given.", event),
  );
  const element = el(
    "li",
    { "data-proposal": id, "aria-labelledby": `title-${id}` },
    el("h3", { id: `title-${id}` }, title),
    effect,
    facts("What was asked", { tool, ...args }),
    el("label", { htmlFor: reason.id }, "Reason, if you refuse"),
    reason,
    el("div", { className: "buttons" }, release, refuse),
    el("p", { className: "quiet small" }, `${id}, over at ${clock(expiresAt)} if nobody decides`),
  );
  const update = (proposal) => {
    latest = proposal;
    const { preview, status } = proposal;
    effect.replaceChildren(...effectOf(proposal));
    release.disabled = status === "checking" || preview.state === "pending" || preview.state === "would-fail";
    refuse.disabled = status === "checking";
  };
  return { element, update };
}

const facts = (heading, values) =>
  el(
    "dl",
    { className: "facts", "aria-label": heading },
    Object.entries(values).map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, inOneLine(value))),
    ),
  );

function effectOf({ preview, moved }) {
  switch (preview.state) {
    case "pending":
      return [el("p", { className: "quiet" }, "Working out what it would change…")];
    case "unavailable":
      return [el("p", { className: "fault" }, `What it would change is not known: ${preview.why}`)];
    case "would-fail":
      return [el("p", { className: "fault" }, `It would fail: ${preview.message}`)];
  }
  const { summary, before, after, cost, risks } = preview;
  return [
    moved.length > 0 && el("p", { className: "fault" }, "It has moved since you saw it. Look again."),
    summary && el("p", { dir: "auto", className: "summary" }, summary),
    change(before, after),
    cost && facts("What it costs", Object.fromEntries(cost.items.map((one) => [one.label, amountOf(one)]))),
    risks.map(({ level, text }) => el("p", { className: "risk", "data-level": level }, text)),
  ]
    .flat()
    .filter(Boolean);
}

const amountOf = ({ amount = "not measured", unit, of }) => (of ? `${amount} of ${of} ${unit}` : `${amount} ${unit}`);

function change(before, after) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const rows = names.map((name) => {
    const [was, is] = [before?.[name], after?.[name]].map((value) => (value == null ? "not there" : inOneLine(value)));
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      el("td", { dir: "auto" }, was),
      el("td", { dir: "auto" }, is),
    );
  });
  const head = el(
    "tr",
    {},
    ["", "now", "then"].map((text) => el("th", { scope: "col" }, text)),
  );
  return rows.length > 0 && el("table", { className: "change" }, el("thead", {}, head), el("tbody", {}, rows));
}
