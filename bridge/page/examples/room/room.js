// The page: begins the record and the room, offers the tools, and lets the person at this screen act as the host.
import { showTools } from "/shared/caller.js";
import { $ } from "/shared/dom.js";
import { createRecord } from "/shared/record.js";
import { checkOnPress } from "/shared/rows.js";
import { showWaiting } from "/shared/waiting.js";
import { createHand } from "./hand.js";
import { invitePartner } from "./invite.js";
import { createProceeding, PHASES } from "./proceeding.js";
import { askedOf, readsOf, writesOf } from "./tools.js";
import { showRecord, showRoom, showStatus } from "./view.js";

const HOST = { door: "screen", seat: "host" };
const AGENT = { door: "tool", seat: "agent" };

const page = globalThis.Countersign.createPage();
const record = createRecord({ changed: (rows) => showRecord(rows) });
const room = createProceeding(record, () => show());
const hand = createHand(room, HOST);

function show() {
  showRoom(room);
  hand.show();
}

/** Who a write is recorded for. The ask and the answer are two rows, and both stand before what came of them. */
let deskAsks = 0;
async function by(tool, args) {
  if (!page.desk) {
    const running = page.proposals.list().find((one) => one.status === "released" && one.tool === tool);
    return { ...AGENT, ref: running?.id };
  }
  deskAsks += 1;
  const ref = `d${deskAsks}`;
  await record.append({ ...AGENT, kind: "asked", ref, data: askedOf(tool, args) });
  await record.append({ door: "desk", seat: "desk", kind: "answered", ref, data: { decision: "released" } });
  return { ...AGENT, ref };
}

/** What is asked, and how it ended without an answer, is a row of its own. */
function recordProposals() {
  const known = new Set();
  page.proposals.onChange(({ id, tool, status, arguments: args, moved = [] }) => {
    if (!known.has(id)) void record.append({ ...AGENT, kind: "asked", ref: id, data: askedOf(tool, args) });
    known.add(id);
    if (status === "held" && moved.length > 0) {
      const data = { moved: moved.map(({ what }) => what).join(", ") };
      void record.append({ door: "page", seat: "room", kind: "held-again", ref: id, data });
    }
    if (status !== "expired" && status !== "withdrawn") return;
    void record.append({ door: "page", seat: "room", kind: "unanswered", ref: id, data: { why: status } });
  });
}

function recordAnswer({ id }, decision, reason, event) {
  const data = { decision, ...(reason && { reason }), event: event.type, isTrusted: event.isTrusted };
  void record.append({ ...HOST, kind: "answered", ref: id, data });
}

async function offer(partner) {
  const exposedTo = partner && globalThis.Countersign.exposure(partner);
  const { always, sealing } = readsOf(room, record, exposedTo);
  const { addArtefact, seal, reveal, ratify } = writesOf(room, by);
  const offers = always.map((tool) => page.read(tool).offered);
  const phases = page.phases({
    Open: [addArtefact],
    Commit: [sealing, seal],
    Reveal: [reveal],
    Ruling: [ratify],
    Closed: [],
  });
  const taken = await Promise.all(offers);
  showStatus({ webmcp: taken.every(Boolean), desk: page.desk });
  return phases;
}

async function begin() {
  await record.append({ door: "page", seat: "room", kind: "room", data: { phases: PHASES.join(", ") } });
  const text = "Should the boathouse open on Sundays this winter? Say yes or no, and from what hour.";
  await room.addArtefact({ name: "question.txt", text }, HOST);

  const partner = invitePartner(page, record);
  const refresh = showTools($("tools"));
  recordProposals();
  showWaiting(page, $("waiting"), recordAnswer);
  checkOnPress($("check"), $("checked"), record.rows);
  const phases = await offer(partner);
  await phases.settled();
  await refresh();

  $("advance").addEventListener("click", async () => {
    const { next } = room;
    if (!next) return;
    await room.advance(next, HOST);
    phases.enter(next);
    await phases.settled();
    await refresh();
  });
  hand.listen();
  $("advance").disabled = false;
}

show();
void begin();
