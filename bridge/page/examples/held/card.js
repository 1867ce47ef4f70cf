// One proposal, as a person reads it: what would change, what it costs, what to mind, who asks; then the decision.

import { differences } from "./leaves.js";
import { grouped, make } from "./make.js";

const LEVEL = { note: "To know", caution: "Caution", critical: "Critical" };
const clock = (time) =>
  new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** A tolerance as a percentage, moved by two places as text. */
function percent(fraction) {
  const [whole, digits = ""] = fraction.split(".");
  const moved = (whole + digits.padEnd(2, "0").slice(0, 2)).replace(/^0+(?=\d)/, "");
  const rest = digits.slice(2).replace(/0+$/, "");
  return rest ? `${moved}.${rest}` : moved;
}

/** Where a value stands: the way quietly, its own name plainly. */
const pathOf = (path) => {
  const way = path.slice(0, -1).map((step) => `${step} › `);
  return [way.length > 0 && make("span", { class: "quiet" }, way.join("")), path.at(-1) ?? "value"];
};

function changeTable({ before, after }) {
  const rows = differences(before, after).map(({ path, before: was, after: is }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, ...pathOf(path)),
      make("td", was === undefined ? { class: "absent" } : {}, was === undefined ? "not there" : grouped(was)),
      make("td", is === undefined ? { class: "absent" } : {}, is === undefined ? "gone" : grouped(is)),
    ),
  );
  if (rows.length === 0) return make("p", { class: "quiet" }, "Nothing would change.");
  const head = ["What changes", "Before", "After"].map((text) => make("th", { scope: "col" }, text));
  return make("table", { class: "change" }, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows));
}

function costLines({ cost }, basis) {
  if (!cost || cost.items.length === 0) return make("p", { class: "quiet" }, "The cost was not measured.");
  const lines = cost.items.map(({ label, amount, unit, of }) =>
    make(
      "div",
      {},
      make("dt", {}, label),
      make(
        "dd",
        {},
        amount === undefined ? "not measured" : make("b", {}, grouped(amount)),
        amount !== undefined && ` ${unit}`,
        of !== undefined && make("small", {}, `of ${grouped(of)}`),
      ),
    ),
  );
  const exact = /^0(\.0*)?$/.test(cost.tolerance ?? "0");
  const margin = exact ? "any change holds it again" : `beyond ${percent(cost.tolerance)} % of change it is held again`;
  return [
    make("dl", { class: "cost" }, lines),
    make("p", { class: "quiet basis" }, `${basis} at ${clock(cost.asOf)}; ${margin}.`),
  ];
}

function riskList(risks) {
  const items = risks.map(({ level, text }) => make("li", { class: level }, make("b", {}, LEVEL[level]), ` ${text}`));
  return items.length > 0 && make("ul", { class: "risks" }, items);
}

function movedList(moved) {
  if (!moved || moved.length === 0) return false;
  const items = moved.map(({ before, after }) =>
    make("li", {}, make("span", {}, grouped(before)), make("span", {}, `→ ${grouped(after)}`)),
  );
  const words = "You released this, but it had moved since it was shown. Nothing ran. Look again:";
  return make("div", { class: "moved", role: "alert" }, make("p", {}, words), make("ul", {}, items));
}

function previewParts(preview, basis) {
  switch (preview.state) {
    case "pending":
      return make("p", { class: "quiet" }, "Asking what it would change and cost…");
    case "unavailable":
      return make("p", { class: "warning" }, `Not measured: ${preview.why}`);
    case "would-fail":
      return make("p", { class: "warning" }, `It would fail and cannot be released: ${preview.message}`);
    default:
      return [
        preview.summary && make("p", { class: "summary" }, grouped(preview.summary)),
        changeTable(preview),
        costLines(preview, basis),
        riskList(preview.risks),
      ];
  }
}

/** The card of an open proposal. `act` has `release(event)` and `refuse(reason, event)`. */
export function cardOf(proposal, { basis, act, reason = "" }) {
  const { id, tool, title, preview, status, moved } = proposal;
  const critical = preview.risks?.some(({ level }) => level === "critical");
  const busy = status !== "held";
  const dead = busy || preview.state === "pending" || preview.state === "would-fail";
  const release = make(
    "button",
    { class: "release", type: "button", "data-act": "release", click: act.release },
    "Release",
  );
  release.disabled = dead || critical;
  const why = make("input", {
    type: "text",
    id: `${id}-reason`,
    "data-act": "reason",
    maxlength: "200",
    placeholder: "Reason, for the agent",
    "aria-label": `Reason for refusing ${id}`,
    autocomplete: "off",
  });
  why.value = reason;
  const refuse = (event) => act.refuse(why.value.trim() || "No reason was given.", event);
  const acknowledge = make("input", {
    type: "checkbox",
    "data-act": "acknowledge",
    change: ({ target }) => (release.disabled = dead || !target.checked),
  });
  return make(
    "article",
    { class: `held-card${critical ? " grave" : ""}`, id: `card-${id}`, "aria-labelledby": `${id}-title` },
    make(
      "header",
      {},
      make("h3", { id: `${id}-title` }, title),
      make("span", { class: "chip" }, busy ? "checking" : `${id} · held`),
    ),
    movedList(moved),
    previewParts(preview, basis),
    make("p", { class: "live", hidden: true }),
    make(
      "details",
      {},
      make("summary", {}, "The exact call"),
      make("pre", { tabindex: "0" }, `${tool} ${JSON.stringify(proposal.arguments, null, 2)}`),
    ),
    critical && make("label", { class: "acknowledge" }, acknowledge, "I have read what is critical."),
    make(
      "div",
      { class: "decide" },
      release,
      make("button", { class: "refuse", type: "button", "data-act": "refuse", click: refuse }, "Refuse"),
      why,
    ),
    make(
      "p",
      { class: "quiet asked" },
      `An agent asked at ${clock(proposal.proposedAt)}; it expires at ${clock(proposal.expiresAt)}.`,
    ),
  );
}
