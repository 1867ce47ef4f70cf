// Shows the room. What anybody typed goes in as text only.
import { $, el, short } from "/shared/dom.js";
import { showRows } from "/shared/rows.js";
import { PHASES } from "./proceeding.js";

const ABOUT = {
  Open: "The papers are laid on the table. Everybody reads the same ones.",
  Commit: "Everybody seals a position. Nobody can read another's, nor change their own.",
  Reveal: "What was sealed is opened. Only the very text and nonce open a seal.",
  Ruling: "The ruling is asked for and answered. The ask and the answer are two rows.",
  Closed: "The proceeding is over. The record can still be read and checked.",
};

const KINDS = {
  room: "The room opened",
  artefact: "A paper was laid on the table",
  phase: "The host went on",
  looked: "Somebody looked",
  asked: "A tool asked",
  answered: "The ask was answered",
  "held-again": "It had moved, and waits again",
  unanswered: "The ask ended without an answer",
  sealed: "A position was sealed",
  opened: "A position was opened",
  "not-opened": "A seal did not open",
  ruled: "A ruling was made",
  claim: "The partner claims",
};

/** Shows the phase, the papers, the positions and the ruling. */
export function showRoom(room) {
  const now = PHASES.indexOf(room.phase);
  $("phases").replaceChildren(
    ...PHASES.map((name, index) =>
      el("li", { "aria-current": index === now && "step", "data-done": index < now }, name),
    ),
  );
  $("phase-about").textContent = ABOUT[room.phase];
  $("papers").replaceChildren(...room.artefacts().map(paper));
  $("positions").replaceChildren(...room.positions().map(position));
  $("positions-empty").hidden = room.positions().length > 0;
  $("ruling").textContent = room.ruling?.text ?? "";
  $("ruling").hidden = room.ruling === undefined;
  $("ruling-empty").hidden = room.ruling !== undefined;
}

const paper = ({ name, text, hash }) =>
  el("li", { className: "paper" }, el("h3", { dir: "auto" }, name), el("p", { dir: "auto" }, text), short(hash));

const position = ({ seat, commitment, position: text }) =>
  el(
    "li",
    { className: "position", "data-open": text !== undefined },
    el("p", { className: "seat" }, seat),
    el("p", { dir: "auto", className: "words" }, text ?? "Sealed"),
    short(commitment),
  );

export function showRecord(rows) {
  showRows($("record"), rows, KINDS);
  $("row-count").textContent = rows.length === 1 ? "1 row" : `${rows.length} rows`;
}

/** The line under the name that says who can use the page, and who decides. */
export function showStatus({ webmcp, desk }) {
  $("status").dataset.on = String(webmcp);
  const tools = webmcp
    ? "WebMCP is on: agents see the tools of the phase."
    : "WebMCP is off in this browser: agents see no tools here.";
  const decides = desk ? "Countersign is here, and its window decides." : "What tools ask for waits in this page.";
  $("status").textContent = webmcp ? `${tools} ${decides}` : tools;
}
