// What the cases use in the page: an agent's view of its tools, and a small shop.

/** The tools as an agent lists them, by name. */
const listed = async () => {
  const tools = await document.modelContext.getTools();
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
};

/** Calls a tool as an agent in the page does, and answers the text it gets. */
const call = async (name, args = {}) => {
  const { [name]: tool } = await listed();
  if (!tool) throw new Error(`The browser does not list ${name}.`);
  const context = document.modelContext;
  // Before Chromium 155, and in the polyfill, the arguments are JSON text.
  return context.executeTool(tool, context.executeTool.length > 1 ? JSON.stringify(args) : args);
};

/** The same, of a tool that answers JSON. */
const asked = async (name, args) => JSON.parse(await call(name, args));

/** Waits until something is true. */
const until = async (holds) => {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await holds()) return;
    await new Promise((go) => setTimeout(go, 10));
  }
  throw new Error(`It did not come true: ${holds}`);
};

const QUANTITY = {
  type: "object",
  properties: { quantity: { type: "integer", minimum: 1, maximum: 10 }, note: { type: "string" } },
  required: ["quantity"],
  additionalProperties: false,
};

/** A shop whose price can move, and the write that orders from it. */
const shop = { stock: 10, price: 5, commits: [], previews: 0 };
const order = {
  name: "place_order",
  title: "Place an order",
  description: "Orders mugs.",
  inputSchema: QUANTITY,
  preview: ({ quantity }) => {
    shop.previews += 1;
    return {
      summary: `${quantity} mugs`,
      before: { stock: shop.stock },
      after: { stock: shop.stock - quantity },
      cost: {
        items: [{ label: "Mugs", amount: String(quantity * shop.price), unit: "EUR" }],
        asOf: "2027-01-01T00:00:00.000Z",
        tolerance: "0.01",
      },
      risks: [{ level: "note", text: "It is paid at once." }],
    };
  },
  commit: ({ quantity }) => {
    shop.stock -= quantity;
    shop.commits.push(quantity);
    return { ordered: quantity };
  },
};

/** Releases with the next click on the page's button, and keeps what came of it. */
let decided;
const onRelease = (page, id) => {
  document.getElementById("release").addEventListener("click", (event) => {
    decided = page.proposals.release(id, event);
  });
};

/** Waits until the proposal's preview has answered. */
const previewed = (page, id) =>
  until(() => page.proposals.list().find((proposal) => proposal.id === id)?.preview.state !== "pending");
