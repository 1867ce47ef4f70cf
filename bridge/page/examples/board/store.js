// What is kept in this browser between visits.

const STATE = "boathouse.board.v1";
const RECEIPTS = "boathouse.receipts.v1";

function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    // Somebody else's text under our key: begin anew rather than not at all.
    return otherwise;
  }
}

const write = (key, value) => localStorage.setItem(key, JSON.stringify(value));

export const store = {
  state: () => {
    const state = read(STATE, undefined);
    return Array.isArray(state?.items) ? state : undefined;
  },
  keepState: (state) => write(STATE, state),
  receipts: () => {
    const rows = read(RECEIPTS, []);
    return Array.isArray(rows) ? rows : [];
  },
  keepReceipts: (rows) => write(RECEIPTS, rows),
  clear() {
    localStorage.removeItem(STATE);
    localStorage.removeItem(RECEIPTS);
  },
  /** Another tab changed something. */
  onChange: (heard) =>
    addEventListener("storage", ({ key }) => {
      if (key === null || key === STATE || key === RECEIPTS) heard();
    }),
};

/** Tells this tab's visit from every other one; an agent's items are its own within it. */
export const visit = (() => {
  const known = sessionStorage.getItem("boathouse.visit");
  const id = known ?? crypto.randomUUID().slice(0, 8);
  sessionStorage.setItem("boathouse.visit", id);
  return id;
})();
