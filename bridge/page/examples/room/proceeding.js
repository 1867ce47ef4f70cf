// The proceeding itself: its phase, what was sealed and opened, and the ruling. Every act is a row before it is told to anybody.
import { sha256hex } from "/shared/record.js";

export const PHASES = ["Open", "Commit", "Reveal", "Ruling", "Closed"];

/** Who sits in the room. A seat is a role: the page cannot tell who takes it. */
export const SEATS = {
  host: "Whoever uses this screen. Asks the question, goes on to the next phase, and answers what is asked.",
  agent: "Whoever calls the tools of this page. The page cannot tell one caller from another.",
  partner: "A page of another origin. What it claims is carried, not vouched for.",
};

/** What the room does not do, and why. Nothing has changed. */
export class Denied extends Error {
  constructor(why, message) {
    super(message);
    this.why = why;
  }
}

export const commitmentOf = (value, nonce) => sha256hex(`${value}|${nonce}`);

export function createProceeding(record, changed = () => {}) {
  const artefacts = new Map();
  const positions = new Map();
  let phase = PHASES[0];
  let ruling;

  const only = (name, what) => {
    if (phase !== name)
      throw new Denied("not-in-this-phase", `${what} belongs to ${name}, and the room is in ${phase}.`);
  };
  const append = async (by, kind, data) => {
    const row = await record.append({ ...by, kind, data });
    changed();
    return row;
  };

  return {
    get phase() {
      return phase;
    },
    get next() {
      return PHASES[PHASES.indexOf(phase) + 1];
    },
    get ruling() {
      return ruling;
    },
    artefacts: () => [...artefacts.values()],
    artefact: (hash) => artefacts.get(hash),
    positions: () => [...positions.values()],
    position: (commitment) => positions.get(commitment),

    /** Only the host goes on, and only to the next phase. */
    async advance(to, by) {
      if (by.seat !== "host") throw new Denied("not-the-host", `Only the host goes on, and this is the ${by.seat}.`);
      if (to !== this.next) throw new Denied("not-the-next-phase", `The room cannot go from ${phase} to ${to}.`);
      const from = phase;
      phase = to;
      await append(by, "phase", { from, to });
    },

    async addArtefact({ name, text }, by) {
      only("Open", "A paper");
      const hash = await sha256hex(text);
      if (artefacts.has(hash)) throw new Denied("there-already", "This very text lies on the table already.");
      artefacts.set(hash, { name, text, hash });
      await append(by, "artefact", { name, hash, characters: text.length });
      return { hash };
    },

    async seal(commitment, by) {
      only("Commit", "Sealing");
      if (positions.has(commitment)) throw new Denied("sealed-already", "This very commitment is sealed already.");
      positions.set(commitment, { commitment, seat: by.seat });
      await append(by, "sealed", { commitment });
      return { sealed: commitment };
    },

    /** Opens what was sealed, or says that this is not it; either is a row. */
    async reveal({ position, nonce }, by) {
      only("Reveal", "Opening");
      const commitment = await commitmentOf(position, nonce);
      const sealed = positions.get(commitment);
      if (!sealed) {
        await append(by, "not-opened", { position, recomputed: commitment, matches: false });
        throw new Denied("no-such-seal", "Nothing that was sealed here opens with this position and this nonce.");
      }
      if (sealed.position !== undefined) throw new Denied("opened-already", "It is open already.");
      positions.set(commitment, { ...sealed, position });
      await append(by, "opened", { commitment, position, nonce, matches: true });
      return { opened: commitment, matches: true };
    },

    async rule(text, by) {
      only("Ruling", "A ruling");
      if (ruling) throw new Denied("ruled-already", "There is a ruling already.");
      ruling = { text, seat: by.seat };
      await append(by, "ruled", { ruling: text });
      return { ruling: text };
    },
  };
}
