// What waits on this page, and what was decided. With Countersign there it says so and shows nothing else.

import { hasWebmcp } from "./agent.js";
import { cardOf } from "./card.js";
import { earlier, keep } from "./earlier.js";
import { grouped, make } from "./make.js";
import { record } from "./record.js";

const OPEN = ["held", "checking", "released"];
const EMPTY = "Nothing waits. When an agent asks for a change, it stands here until you decide.";
const ENDS = {
  committed: "released, done",
  failed: "released, failed",
  unknown: "released, end unknown",
  refused: "refused",
  expired: "expired, nobody decided",
  withdrawn: "withdrawn with its tool",
  "page-gone": "the page went away",
};

/** What a write answered, for the eye. */
function spoken(result) {
  try {
    const parts = Object.entries(JSON.parse(result));
    return parts
      .map(([name, value]) => `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`)
      .join(", ");
  } catch {
    return result;
  }
}

/**
 * Shows the page's proposals in `root`. `basis` says where a price comes from; `live(proposal)` may answer a sentence about how the
 * world has moved since the card was priced, with `moved: true` when a release would ask again. Answers what refreshes these sentences.
 */
export function showHeld(page, root, { basis, live, failed }) {
  const [waiting, none, over, tally] = [
    make("div", { class: "waiting" }),
    make("p", { class: "quiet none" }, hasWebmcp() ? EMPTY : "Nothing waits: without WebMCP no agent can ask."),
    make("ol", { class: "over" }),
    make("p", { class: "quiet tally" }),
  ];
  const said = make("p", { class: "said", role: "status", tabindex: "-1" });
  if (page.desk) {
    root.append(
      make(
        "p",
        { class: "desk" },
        "Countersign decides. Every change an agent asks of this page is held in its window and shown there; this page shows no buttons for it.",
      ),
    );
    return () => {};
  }
  const grade =
    "Decided in this page: its own scripts could press these buttons too. It is recorded as client-asserted.";
  root.append(waiting, none, said, over, tally, make("p", { class: "quiet grade" }, grade));

  const shown = new Map();
  const decide = async (decision) => {
    try {
      const { id, status } = await decision();
      said.textContent = status === "held" ? `${id} had moved and waits again.` : `${id}: ${ENDS[status] ?? status}.`;
    } catch (error) {
      failed(error.message);
    }
  };

  /** Which control of a card the keyboard is at, or was before it could not be pressed for a moment. */
  const focused = (entry) => {
    const { activeElement } = document;
    if (entry?.card.contains(activeElement)) return activeElement.dataset.act;
    return activeElement === document.body ? entry?.inside : undefined;
  };

  const showOpen = (proposal) => {
    const { id } = proposal;
    const old = shown.get(id);
    if (old?.proposal === proposal) return;
    const inside = focused(old);
    const card = cardOf(proposal, {
      basis,
      reason: old?.card.querySelector("[data-act=reason]").value,
      act: {
        release: (event) => decide(() => page.proposals.release(id, event)),
        refuse: (reason, event) => decide(() => page.proposals.refuse(id, reason, event)),
      },
    });
    if (old) old.card.replaceWith(card);
    else waiting.append(card);
    shown.set(id, { proposal, card, inside });
    if (inside) card.querySelector(`[data-act=${inside}]`)?.focus();
  };

  const refresh = async () => {
    for (const { proposal, card } of shown.values()) {
      const line = card.querySelector(".live");
      const now = proposal.status === "held" ? await live?.(proposal) : undefined;
      line.hidden = now === undefined;
      line.classList.toggle("beyond", now?.moved === true);
      if (now) line.textContent = grouped(now.words);
    }
  };

  const before = earlier();
  const lineOf = ({ id, title, arguments: asked, status, reason, message, result, preview }) => ({
    id,
    status,
    what: preview.summary ?? `${title}: ${Object.values(asked).join(", ")}`,
    end: reason ?? message ?? (result && spoken(result)) ?? "Nothing ran.",
  });
  const ended = (again, { id, status, what, end }) =>
    make(
      "li",
      {},
      make("span", { class: "what" }, `${again ? "Before the page was loaded again" : id}: ${grouped(what)}`),
      make("span", { class: `chip ${status}` }, ENDS[status]),
      make("span", { class: "quiet" }, grouped(end)),
    );

  const show = () => {
    const all = page.proposals.list();
    const open = all.filter(({ status }) => OPEN.includes(status));
    for (const [id, entry] of shown) {
      if (open.some((one) => one.id === id)) continue;
      const inside = focused(entry);
      entry.card.remove();
      if (inside) said.focus();
      shown.delete(id);
    }
    open.forEach(showOpen);
    none.hidden = open.length > 0;
    const ends = all.filter(({ status }) => !OPEN.includes(status)).map(lineOf);
    const lines = [...before.map((line) => ended(true, line)), ...ends.map((line) => ended(false, line))];
    over.replaceChildren(...lines.reverse());
    keep([...before, ...ends.filter(({ status }) => status !== "page-gone")]);
    tally.textContent = `${record([...before, ...all])}.`;
    void refresh();
  };
  page.proposals.onChange(show);
  show();
  return () => void refresh();
}
