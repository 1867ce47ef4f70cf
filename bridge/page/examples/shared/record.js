// A record in the form of the library's chain, so that its `verify` checks it: append-only, each row naming the hash of the
// row before. The library's own chain holds what became of proposals; this one holds everything else a site wants kept.

/** The ways in, and how well what came that way is known. Who appends names the way and never the grade. */
const DOORS = {
  tool: { ingress: "page", grade: "client-asserted" },
  screen: { ingress: "page", grade: "client-asserted" },
  page: { ingress: "page", grade: "client-asserted" },
  // The page's word that a desk decided; the desk's own word stands in its ledger.
  desk: { ingress: "page", grade: "client-asserted" },
  partner: { ingress: "partner", grade: "inherited" },
};

const GENESIS = "0".repeat(64);

export async function sha256hex(text) {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** The hash a row must have, worked out from all its other members. */
export function hashOf(row) {
  const { ref = null, ...facts } = row;
  delete facts.hash;
  return sha256hex(canonical({ v: 1, ref, ...facts }));
}

/** Text that UTF-8 can hold: half a surrogate pair is replaced. */
const wellFormed = (_, value) => (typeof value === "string" ? value.toWellFormed() : value);

/**
 * Begins a record. `changed` hears all rows after each new one, and may keep them; `load` then answers what was kept, by
 * whichever tab.
 */
export function createRecord({ load, changed = () => {} } = {}) {
  let rows = load?.() ?? [];
  let last = Promise.resolve();
  // Two tabs that went on from the same row would fork the record.
  const alone = load ? (work) => navigator.locks.request("countersign-record", work) : (work) => work();

  async function seal({ door, seat, kind, ref, data }) {
    rows = load?.() ?? rows;
    const prev = rows.at(-1)?.hash ?? GENESIS;
    const at = new Date().toISOString();
    const row = { seq: rows.length + 1, prev, at, kind, ...DOORS[door], seat, ...(ref && { ref }), data };
    row.hash = await hashOf(row);
    rows = [...rows, Object.freeze(row)];
    changed(rows);
    return row;
  }

  return {
    rows: () => load?.() ?? rows,
    /** Resolves with the row. Rows stand in the order in which they were given. */
    append({ door, seat, kind, ref, data = {} }) {
      if (!Object.hasOwn(DOORS, door)) throw new TypeError(`A row needs the door it came through; "${door}" is none.`);
      if (!seat || !kind) throw new TypeError("A row needs a seat and a kind.");
      const copy = JSON.parse(JSON.stringify({ ...data, door }), wellFormed);
      // One after the other: two that were hashed side by side would name the same predecessor.
      const row = last.then(() => alone(() => seal({ door, seat, kind, ref, data: copy })));
      last = row.catch(() => undefined);
      return row;
    },
  };
}
