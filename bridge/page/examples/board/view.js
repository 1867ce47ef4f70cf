// Shows the board. What anybody typed goes in as text only.
import { $, el } from "/shared/dom.js";
import { showRows } from "/shared/rows.js";
import { LONGEST } from "./board.js";

const KINDS = {
  list_items: "Looked at the board",
  add_item: "Put up an item",
  edit_item: "Edited an item",
  request_removal: "Let one removal happen",
  delete_item: "Removed an item",
  asked: "A tool asked",
  answered: "The ask was answered",
  "held-again": "It had moved, and waits again",
  unanswered: "The ask ended without an answer",
  denied: "Denied",
  granted: "delete_item exists, for one call",
  spent: "The grant was spent",
  "grant-ended": "The grant ended unused",
  added: "Put up an item",
  edited: "Edited an item",
  removed: "Removed an item",
};

/** Whose an item is, in words. */
const ownerOf = ({ seat, visit: of }, visit) => {
  if (seat === "person") return "put up at this screen";
  return of === visit ? "put up by an agent in this visit" : "put up by an agent in another visit";
};

/** Shows the items; an item that is being edited stays as it is. */
export function showBoard(items, visit, { edit, remove }) {
  const editing = document.activeElement?.closest?.("#items form")?.closest("li")?.dataset.item;
  const old = new Map([...$("items").children].map((one) => [one.dataset.item, one]));
  $("items").replaceChildren(
    ...items.map((item) => (item.id === editing && old.get(item.id)) || itemOf(item, visit, edit, remove)),
  );
  $("items-empty").hidden = items.length > 0;
}

function itemOf(item, visit, edit, remove) {
  const { id, text, by } = item;
  const name = `item ${id}`;
  const input = el("textarea", {
    id: `text-${id}`,
    rows: 3,
    required: true,
    maxLength: LONGEST,
    value: text,
    dir: "auto",
  });
  const again = (focused) => {
    const fresh = itemOf(item, visit, edit, remove);
    element.replaceWith(fresh);
    fresh.querySelector(focused)?.focus();
  };
  const form = el(
    "form",
    { hidden: true },
    el("label", { htmlFor: input.id }, `Text of ${name}`),
    input,
    el(
      "div",
      { className: "buttons" },
      el("button", { type: "submit", className: "main" }, "Keep"),
      el("button", { type: "button", onclick: () => again(".edit") }, "Cancel"),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const next = input.value.trim();
    if (!next) return;
    // What is not being edited any more may be shown anew.
    document.activeElement.blur();
    void edit(id, next).then(() => document.querySelector(`[data-item="${id}"] .edit`)?.focus());
  });
  form.addEventListener("keydown", ({ key }) => key === "Escape" && again(".edit"));
  const shown = el(
    "div",
    { className: "shown" },
    el("p", { className: "text", dir: "auto" }, text),
    el("p", { className: "owner" }, `No. ${id}, ${ownerOf(by, visit)}`),
    el(
      "div",
      { className: "acts" },
      el(
        "button",
        { type: "button", className: "plain edit", "aria-label": `Edit ${name}`, onclick: () => open() },
        "edit",
      ),
      el(
        "button",
        { type: "button", className: "plain", "aria-label": `Remove ${name}`, onclick: () => void remove(id) },
        "remove",
      ),
    ),
  );
  const open = () => {
    shown.hidden = true;
    form.hidden = false;
    input.focus();
  };
  const element = el("li", { "data-item": id, "data-seat": by.seat }, shown, form);
  return element;
}

/** Says whether `delete_item` exists, and for what. */
export function showGrant(granted, items) {
  const text = granted && items.find(({ id }) => id === granted.id)?.text;
  $("grant").dataset.there = String(granted !== undefined);
  $("grant-text").textContent = granted
    ? `delete_item exists, for one call: No. ${granted.id}, “${text}”. It goes when it is used, taken back, or not used within a quarter of an hour.`
    : "delete_item does not exist. An agent has to ask for one removal.";
  $("take-back").hidden = granted === undefined;
}

export function showReceipts(rows) {
  showRows($("receipts"), rows, KINDS);
  $("receipt-count").textContent = rows.length === 1 ? "1 receipt" : `${rows.length} receipts`;
  $("receipts-empty").hidden = rows.length > 0;
}

/** The line under the name that says who can use the page, and who decides. */
export function showStatus({ webmcp, desk }) {
  const decides = desk ? "Countersign is here, and its window decides." : "What tools ask for waits in this page.";
  $("status").dataset.on = String(webmcp);
  $("status").textContent = webmcp
    ? `WebMCP is on: agents can read the board and ask for changes. ${decides}`
    : "WebMCP is off in this browser: agents see no tools here. You can use the board by hand.";
}

/** Says what went wrong. */
export function showNotice(text) {
  $("notice").textContent = text;
  $("notice").hidden = false;
}
