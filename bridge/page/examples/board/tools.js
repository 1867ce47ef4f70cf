// What the board offers to agents. `delete_item` is not among it: it exists only while one removal is granted.
import { Denied, LONGEST } from "./board.js";

const object = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const ID = { type: "string", minLength: 1, maxLength: 12, description: "The id from list_items.", examples: ["3"] };
const TEXT = { type: "string", minLength: 1, maxLength: LONGEST, examples: ["Varnish the oars"] };

/** A preview of what the rule denies says why; everything else is a fault of the page. */
const orFails = (preview) => (args) => {
  try {
    return preview(args);
  } catch (error) {
    if (error instanceof Denied) return { fails: `${error.why}: ${error.message}` };
    throw error;
  }
};

/** The tools. `act` runs a change and leaves its receipt; `removal` is the one-shot capability. */
export function toolsOf({ board, agent, act, looked, removal, grant }) {
  const list = {
    name: "list_items",
    title: "List the items",
    description: "Lists the items on the board with their ids, and whether an agent may edit them. Leaves a receipt.",
    inputSchema: object(
      { filter: { type: "string", maxLength: LONGEST, description: "Only items with this text." } },
      [],
    ),
    untrustedContent: true,
    execute: async ({ filter = "" }) => {
      await looked("list_items", filter ? { filter } : {});
      const words = filter.toLowerCase();
      const items = board.items().filter(({ text }) => text.toLowerCase().includes(words));
      const mayEdit = ({ by }) => by.seat === "agent" && by.visit === agent.visit;
      return { items: items.map((one) => ({ id: one.id, text: one.text, yours: mayEdit(one) })) };
    },
  };
  const add = {
    name: "add_item",
    title: "Put up an item",
    description: `Puts a short text on the board, at most ${LONGEST} characters.`,
    inputSchema: object({ text: TEXT }),
    preview: ({ text }) => ({
      summary: `Put up “${text}”`,
      before: { items: board.items().length },
      after: { items: board.items().length + 1 },
    }),
    commit: (args) => act("add_item", args, () => board.add(args.text, agent)),
  };
  const edit = {
    name: "edit_item",
    title: "Edit an item",
    description: "Replaces the text of an item that an agent put up in this visit. Any other item is denied.",
    inputSchema: object({ id: ID, text: TEXT }),
    preview: orFails(({ id, text }) => {
      const item = board.editable(id, agent);
      return { summary: `Edit item ${id}`, before: { text: item.text }, after: { text } };
    }),
    commit: (args) => act("edit_item", args, () => board.edit(args.id, args.text, agent)),
  };
  const request = {
    name: "request_removal",
    title: "Ask to remove one item",
    description:
      "Asks that one item may be removed. When it is granted, delete_item exists for one call with exactly this id. Removes nothing itself.",
    inputSchema: object({ id: ID, reason: { type: "string", maxLength: 280, examples: ["It is out of date."] } }, [
      "id",
    ]),
    preview: orFails(({ id, reason }) => {
      const { text } = board.find(id);
      const granted = removal().granted;
      if (granted) throw new Denied("granted-already", `One removal is granted already, of item ${granted.id}.`);
      return {
        summary: `Let an agent remove “${text}”, once`,
        before: { delete_item: "does not exist" },
        after: { delete_item: `exists for one call, of item ${id}` },
        risks: [
          ...(reason ? [{ level: "note", text: `The agent says why: ${reason}` }] : []),
          { level: "caution", text: "A removed item cannot be brought back." },
        ],
      };
    }),
    commit: (args) => act("request_removal", args, () => grant(args)),
  };
  return { list, writes: [add, edit, request] };
}

/** The write that does not exist until it is granted for one item. */
export const deletion = ({ board, act, granted }) => ({
  name: "delete_item",
  title: "Remove an item",
  description: "Removes the one item whose removal was granted. One call, then this tool is gone.",
  inputSchema: object({ id: ID }),
  consequential: true,
  preview: orFails(({ id }) => {
    const { text } = board.find(id);
    if (granted()?.id !== id) throw new Denied("not-granted", `The removal of item ${id} is not granted.`);
    return {
      summary: `Remove “${text}”`,
      before: { text },
      after: { text: null },
      risks: [{ level: "caution", text: "A removed item cannot be brought back." }],
    };
  }),
  commit: (args) => act("delete_item", args, () => board.remove(args.id)),
});
