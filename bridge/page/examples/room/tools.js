// What the room offers to agents: five reads that are always there, and what each phase adds.
import { hashOf } from "/shared/record.js";
import { commitmentOf, Denied, PHASES, SEATS } from "./proceeding.js";
import { partOf, rowsAfter } from "./window.js";

const object = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const HASH = { type: "string", pattern: "^[0-9a-f]{64}$", description: "64 characters, 0-9 and a-f." };
const POSITION = { type: "string", minLength: 1, maxLength: 2000, examples: ["Open on Sundays, from ten."] };
const NONCE = { type: "string", minLength: 8, maxLength: 200, description: "What was sealed together with it." };

export const newNonce = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The reads. Each leaves a mark in the record before it answers. */
export function readsOf(room, record, exposedTo) {
  const read = ({ execute, marks = (args) => args, ...tool }) => ({
    ...tool,
    description: `${tool.description} Looking leaves a mark in the room's record.`,
    execute: async (args) => {
      const data = { tool: tool.name, ...marks(args) };
      await record.append({ door: "tool", seat: "agent", kind: "looked", data });
      return execute(args);
    },
  });
  const always = [
    read({
      name: "list_seats",
      title: "List the seats",
      description: "Lists the seats of the room, and what each is.",
      execute: () => ({ seats: Object.entries(SEATS).map(([seat, about]) => ({ seat, about })) }),
    }),
    read({
      name: "current_phase",
      title: "Tell the phase",
      description: "Tells which phase the room is in, and which comes next.",
      ...(exposedTo && { exposedTo }),
      execute: () => ({
        phase: room.phase,
        next: room.next ?? null,
        phases: PHASES,
        note: "Only the host goes on, and only to the next phase. The tools of a phase exist while the room is in it.",
      }),
    }),
    read({
      name: "read_ledger",
      title: "Read the record",
      description: "Reads rows of the room's record, the oldest first, from the one after the cursor on.",
      inputSchema: object(
        {
          cursor: { type: "integer", minimum: 0, description: "The number of the last row you have; 0 when left out." },
          limit: { type: "integer", minimum: 1, maximum: 20, description: "How many rows at most; 5 when left out." },
        },
        [],
      ),
      untrustedContent: true,
      execute: (args) => rowsAfter(record.rows(), args),
    }),
    read({
      name: "get_artefact",
      title: "Read a paper",
      description: "Reads the text of one paper on the table by its SHA-256, in parts when it is long.",
      inputSchema: object({ hash: HASH, offset: { type: "integer", minimum: 0 } }, ["hash"]),
      untrustedContent: true,
      execute: ({ hash, offset }) => {
        const paper = room.artefact(hash);
        if (!paper) return refused("no-such-paper", "No paper on the table has this hash.");
        return { name: paper.name, hash, ...partOf(paper.text, offset) };
      },
    }),
    read({
      name: "verify_receipt",
      title: "Verify a row",
      description: "Works out the hash of one row anew and checks its link to the row before.",
      inputSchema: object({ hash: HASH }),
      execute: async ({ hash }) => {
        const rows = record.rows();
        const row = rows.find((one) => one.hash === hash);
        if (!row) return { found: false, note: "No row has this hash." };
        const { seq, kind, grade, seat, prev } = row;
        const recomputed = await hashOf(row);
        const before = rows[seq - 2]?.hash ?? "0".repeat(64);
        return {
          found: true,
          ...{ seq, kind, grade, seat, recomputed },
          content_matches_hash: recomputed === hash,
          links_to_predecessor: prev === before,
        };
      },
    }),
  ];
  const sealing = read({
    name: "prepare_commitment",
    title: "Prepare a seal",
    description:
      "Makes a nonce and the commitment sha256hex(position|nonce) and keeps neither, nor the position. Remember the position and the nonce: only they open it.",
    inputSchema: object({ position: POSITION }),
    marks: () => ({}),
    execute: async ({ position }) => {
      const nonce = newNonce();
      return { nonce, commitment: await commitmentOf(position, nonce) };
    },
  });
  return { always, sealing };
}

const refused = (why, message) => ({ status: "refused", why, changed: "nothing", message });

/** What a write answers when the room denies it: why, and that nothing has changed. */
const denied = (error) => {
  if (!(error instanceof Denied)) throw error;
  throw new Error(JSON.stringify(refused(error.why, error.message)));
};

/** What the record keeps of an ask: what is asked for, and never what a seal still hides. */
const ASKED = {
  add_artefact: ({ name, text }) => ({ name, characters: text.length }),
  commit_to_round: ({ commitment }) => ({ commitment }),
  reveal_in_round: () => ({}),
  ratify: ({ ruling }) => ({ ruling }),
};
export const askedOf = (tool, args) => ({ tool, ...ASKED[tool](args) });

/** The writes of each phase. `by` tells who acts, for the row. */
export function writesOf(room, by) {
  const write = ({ commit, ...tool }) => ({
    ...tool,
    commit: async (args) => {
      const who = await by(tool.name, args);
      return commit(args, who).catch(denied);
    },
  });
  return {
    addArtefact: write({
      name: "add_artefact",
      title: "Lay a paper on the table",
      description: "Adds a text that everybody in the room can read by its SHA-256.",
      inputSchema: object({
        name: { type: "string", minLength: 1, maxLength: 80, examples: ["tide-table.txt"] },
        text: { type: "string", minLength: 1, maxLength: 20000, examples: ["High water on Sunday: 10:40."] },
      }),
      preview: ({ name, text }) => ({
        summary: `Lay “${name}” on the table, ${text.length} characters`,
        before: { papers: room.artefacts().length },
        after: { papers: room.artefacts().length + 1 },
      }),
      commit: (args, who) => room.addArtefact(args, who),
    }),
    seal: write({
      name: "commit_to_round",
      title: "Seal a position",
      description: "Seals a position by its commitment, which prepare_commitment makes. Nobody can read it from that.",
      inputSchema: object({ commitment: HASH }),
      preview: ({ commitment }) => {
        if (room.position(commitment)) return { fails: "This very commitment is sealed already." };
        const sealed = room.positions().length;
        return {
          summary: "Seal a position that nobody can read yet",
          before: { sealed },
          after: { sealed: sealed + 1 },
          risks: [
            { level: "note", text: "A seal cannot be taken back. What was sealed is not shown here, to you neither." },
          ],
        };
      },
      commit: ({ commitment }, who) => room.seal(commitment, who),
    }),
    reveal: write({
      name: "reveal_in_round",
      title: "Open a sealed position",
      description: "Opens a position that was sealed: the very text and the nonce it was sealed with.",
      inputSchema: object({ position: POSITION, nonce: NONCE }),
      preview: async ({ position, nonce }) => {
        const commitment = await commitmentOf(position, nonce);
        const sealed = room.position(commitment);
        const risks = sealed
          ? [{ level: "note", text: `It opens the seal ${commitment.slice(0, 10)}…` }]
          : [
              {
                level: "caution",
                text: "Nothing that was sealed here opens with it. Released, it leaves a row that says so.",
              },
            ];
        return {
          summary: sealed ? "Let everybody read what was sealed" : "Try to open a seal that is not there",
          before: { position: sealed?.position ?? null },
          after: { position: sealed ? position : null },
          risks,
        };
      },
      commit: (args, who) => room.reveal(args, who),
    }),
    ratify: write({
      name: "ratify",
      title: "Ask for a ruling",
      description: "Asks that a text becomes the ruling. It rules nothing: somebody else releases or refuses it.",
      inputSchema: object({
        ruling: { type: "string", minLength: 1, maxLength: 2000, examples: ["It opens on Sundays."] },
      }),
      consequential: true,
      preview: ({ ruling }) => {
        if (room.ruling) return { fails: "There is a ruling already." };
        return {
          summary: "Make this the ruling of the room",
          before: { ruling: null },
          after: { ruling },
          risks: [{ level: "caution", text: "There is one ruling. It cannot be changed." }],
        };
      },
      commit: ({ ruling }, who) => room.rule(ruling, who),
    }),
  };
}
