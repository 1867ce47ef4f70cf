// The items, and the rule about whose they are. State is read before and kept after every change, so tabs do not overwrite each other.

export const LONGEST = 140;

const FIRST = {
  next: 4,
  items: [
    { id: "1", text: "Boathouse key is with the harbour master until Friday", by: { seat: "person" } },
    { id: "2", text: "Bring the two red canoes in before the storm", by: { seat: "person" } },
    { id: "3", text: "Old rota, not in use any more", by: { seat: "person" } },
  ],
};

/** What the board's own rule denies. Nothing has changed. */
export class Denied extends Error {
  constructor(why, message) {
    super(message);
    this.why = why;
  }
}

export function createBoard(store, changed) {
  const state = () => store.state() ?? FIRST;
  const keep = (next) => {
    store.keepState(next);
    changed();
  };
  const find = (id) => {
    const item = state().items.find((one) => one.id === id);
    if (!item) throw new Denied("no-such-item", `There is no item ${id} on the board.`);
    return item;
  };

  return {
    items: () => state().items,
    find,
    /** The item, when this seat may edit it. A person may edit every one, an agent what it put up in this visit. */
    editable(id, by) {
      const item = find(id);
      const own = item.by.seat === "agent" && item.by.visit === by.visit;
      if (by.seat === "agent" && !own) {
        throw new Denied(
          "not-its-own",
          `Item ${id} was not put up by an agent in this visit, so an agent may not edit it.`,
        );
      }
      return item;
    },
    add(text, by) {
      const { next, items } = state();
      const item = { id: String(next), text, by };
      keep({ next: next + 1, items: [...items, item] });
      return item;
    },
    edit(id, text, by) {
      this.editable(id, by);
      const { next, items } = state();
      keep({ next, items: items.map((one) => (one.id === id ? { ...one, text } : one)) });
      return { ...find(id) };
    },
    remove(id) {
      const item = find(id);
      const { next, items } = state();
      keep({ next, items: items.filter((one) => one.id !== id) });
      return item;
    },
  };
}
