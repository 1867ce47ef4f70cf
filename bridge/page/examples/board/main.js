// The page: keeps the board, offers the tools, and leaves a receipt of everything that is done, asked, granted and denied.
import { showTools } from "/shared/caller.js";
import { $ } from "/shared/dom.js";
import { createRecord } from "/shared/record.js";
import { checkOnPress } from "/shared/rows.js";
import { showWaiting } from "/shared/waiting.js";
import { createBoard, Denied } from "./board.js";
import { store, visit } from "./store.js";
import { deletion, toolsOf } from "./tools.js";
import { showBoard, showGrant, showNotice, showReceipts, showStatus } from "./view.js";

const PERSON = { seat: "person" };
const AGENT = { seat: "agent", visit };

const page = globalThis.Countersign.createPage();
const board = createBoard(store, () => show());
const receipts = createRecord({
  load: store.receipts,
  changed: (rows) => {
    store.keepReceipts(rows);
    showReceipts(rows);
  },
});

/** Ids of proposals begin anew with each load of the page. */
const load = crypto.randomUUID().slice(0, 4);
const refOf = (id) => `${load}-${id}`;

const leave = (door, seat, kind, data, ref) =>
  receipts
    .append({ door, seat, kind, ref, data })
    .catch((error) => showNotice(`A receipt could not be kept: ${error.message}`));

/** Runs a change that was allowed. What was decided and what came of it are kept apart. */
async function act(tool, args, change) {
  const running = page.proposals.list().find((one) => one.status === "released" && one.tool === tool);
  const ref = running && refOf(running.id);
  const base = { ...args, decision: "allowed", why: whyAllowed(tool, ref) };
  try {
    const result = await change();
    await leave("tool", "agent", tool, { ...base, execution: "ran" }, ref);
    return result;
  } catch (error) {
    const why = error instanceof Denied ? error.why : error.message;
    await leave("tool", "agent", tool, { ...base, execution: "failed", fault: why }, ref);
    throw new Error(JSON.stringify({ status: "refused", why, changed: "nothing", message: error.message }), {
      cause: error,
    });
  }
}

const whyAllowed = (tool, ref) => {
  if (tool === "delete_item") return "granted-once";
  return ref ? "released-here" : "released-at-the-desk";
};

const looked = (tool, args) =>
  leave("tool", "agent", tool, { ...args, decision: "allowed", why: "reads-run", execution: "ran" });

const removal = page.oneShot(deletion({ board, act, granted: () => removal.granted }));

/** The press that released the request; at the desk there is none in this page. */
let press;
async function grant({ id }) {
  await removal.grant({ id }, press ?? new CustomEvent("desk"));
  return {
    granted: id,
    tool: "delete_item",
    uses: 1,
    note: `delete_item exists now, for one call with the id ${id}. List the tools of the page again.`,
  };
}

/** An item that changed is not the one whose removal was granted. */
async function touched(id) {
  if (removal.granted?.id === id) await removal.revoke();
}

const GRANTS = {
  granted: (args) => leave(page.desk ? "desk" : "screen", page.desk ? "desk" : "person", "granted", args),
  used: (args) =>
    leave("tool", "agent", "spent", { ...args, tool: "delete_item", decision: "allowed", why: "granted-once" }),
  expired: (args) => leave("page", "board", "grant-ended", { ...args, why: "expired" }),
  revoked: (args) => leave("page", "board", "grant-ended", { ...args, why: "taken-back" }),
  denied: (args, why) =>
    leave("tool", "agent", "denied", {
      tool: "delete_item",
      given: args,
      decision: "denied",
      why,
      execution: "did-not-run",
    }),
};

function listenToProposals() {
  const known = new Set();
  page.proposals.onChange(({ id, tool, status, arguments: args, preview, moved = [] }) => {
    if (!known.has(id)) void leave("tool", "agent", "asked", { tool, ...args, decision: "waits" }, refOf(id));
    known.add(id);
    if (status === "held" && moved.length > 0) {
      void leave("page", "board", "held-again", { moved: moved.map(({ what }) => what).join(", ") }, refOf(id));
    }
    if (status === "held" && preview.state === "would-fail") queueMicrotask(() => void deny(id, preview.message));
    if (status === "expired" || status === "withdrawn") {
      void leave("page", "board", "unanswered", { why: status, execution: "did-not-run" }, refOf(id));
    }
  });
}

/** What the board's rule denies is denied at once: nobody has to be asked. */
async function deny(id, reason) {
  const open = page.proposals.list().find((one) => one.id === id)?.status === "held";
  if (!open) return;
  await page.proposals.refuse(id, reason, new CustomEvent("rule"));
  const [why] = reason.split(":");
  await leave("page", "board", "denied", { decision: "denied", why, execution: "did-not-run" }, refOf(id));
}

function answered({ id }, decision, reason, event) {
  press = event;
  const said =
    decision === "released" ? { decision: "allowed" } : { decision: "denied", why: reason, execution: "did-not-run" };
  void leave("screen", "person", "answered", { ...said, event: event.type, isTrusted: event.isTrusted }, refOf(id));
}

const byHand = {
  add: (text) => {
    const { id } = board.add(text, PERSON);
    void leave("screen", "person", "added", { id, text });
  },
  edit: async (id, text) => {
    await touched(id);
    board.edit(id, text, PERSON);
    await leave("screen", "person", "edited", { id, text });
  },
  remove: async (id) => {
    await touched(id);
    board.remove(id);
    await leave("screen", "person", "removed", { id });
  },
};

function show() {
  showBoard(board.items(), visit, byHand);
  showGrant(removal.granted, board.items());
}

/** Proposals end with the page that held them; what was asked and never answered gets its last receipt now. */
async function closeWhatWasLeft() {
  const rows = receipts.rows();
  const over = new Set(rows.filter(({ kind }) => kind !== "asked").map(({ ref }) => ref));
  for (const { ref } of rows.filter(({ kind, ref }) => kind === "asked" && !over.has(ref))) {
    await leave("page", "board", "unanswered", { why: "page-gone", execution: "did-not-run" }, ref);
  }
}

function listenToThePerson() {
  $("add").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = $("text").value.trim();
    if (text) byHand.add(text);
    event.target.reset();
  });
  $("take-back").addEventListener("click", () => void removal.revoke());
  $("start-over").addEventListener("click", () => {
    store.clear();
    location.reload();
  });
}

async function begin() {
  show();
  showReceipts(receipts.rows());
  listenToThePerson();
  listenToProposals();
  showWaiting(page, $("waiting"), answered);
  checkOnPress($("check"), $("checked"), receipts.rows);
  store.onChange(() => {
    show();
    showReceipts(receipts.rows());
  });
  const refresh = showTools($("tools"));
  removal.onChange(({ what, why, arguments: args }) => {
    void GRANTS[what](args, why);
    show();
    void refresh();
  });

  const { list, writes } = toolsOf({ board, agent: AGENT, act, looked, removal: () => removal, grant });
  const offers = [page.read(list), ...writes.map((tool) => page.propose(tool))];
  const taken = await Promise.all(offers.map(({ offered }) => offered));
  showStatus({ webmcp: taken.every(Boolean), desk: page.desk });
  await refresh();
  if (receipts.rows().length > 0) $("check").click();
  await closeWhatWasLeft();
}

void begin();
