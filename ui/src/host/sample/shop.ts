import type { Annotations, PageRef, Tab, Tool, ToolSource } from "../../gen/contract";
import type { JsonValue } from "../../gen/serde_json/JsonValue";

export const origin = "http://127.0.0.1:5620";

export const page: PageRef = {
  door: "browser",
  tab: "7C41D0",
  frame: "9A02F3",
  document: "E5510B",
  origin,
  url: `${origin}/shop/`,
  title: "Little Harbour, coffee and paper",
};

/** A digest that looks like one and is the same each time. */
export function digest(seed: string): string {
  let word = 2166136261;
  let text = "";
  for (let round = 0; text.length < 64; round += 1) {
    for (const char of `${seed}${round}`) word = Math.imul(word ^ char.charCodeAt(0), 16777619) >>> 0;
    text += word.toString(16).padStart(8, "0");
  }
  return text.slice(0, 64);
}

const none: Annotations = { readOnly: false, consequential: false, untrustedContent: false, autosubmit: false };
const nothing: JsonValue = { type: "object", properties: {} };
const pieces: JsonValue = {
  type: "object",
  properties: {
    product: {
      type: "string",
      enum: ["espresso", "filter", "decaf", "cone", "mug", "notebook", "pen", "letters"],
      description: "The id of the product.",
    },
    quantity: { type: "integer", minimum: 1, maximum: 10, description: "How many pieces." },
  },
  required: ["product", "quantity"],
};

interface Given {
  title?: string;
  description?: string;
  schema?: JsonValue;
  hints?: Partial<Annotations>;
  source?: ToolSource;
}

export function tool(name: string, given: Given = {}): Tool {
  return {
    key: `${page.frame}/${name}/1`,
    page,
    name,
    title: given.title ?? "",
    description: given.description ?? "",
    inputSchema: given.schema ?? nothing,
    annotations: { ...none, ...given.hints },
    source: given.source ?? "script",
    digest: digest(name),
  };
}

const read = { readOnly: true };

export const placeOrder = tool("place_order", {
  title: "Place an order",
  description: "Orders pieces of one product at once and pays for them from the prepaid balance.",
  schema: pieces,
});

export const addToBasket = tool("add_to_basket", {
  title: "Add to the basket",
  description: "Puts pieces of one product into the basket. Nothing is bought yet.",
  schema: pieces,
});

export const setNote = tool("set_delivery_note", {
  title: "Set the note for the courier",
  description: "Replaces the note that the courier reads on every new order.",
  schema: {
    type: "object",
    properties: { note: { type: "string", maxLength: 200, description: "The whole new note." } },
    required: ["note"],
  },
});

export const closeAccount = tool("close_account", {
  title: "Close the account",
  description: "Closes the account for good. The prepaid balance is lost.",
  hints: { consequential: true },
});

export const checkStock = tool("check_stock", {
  title: "Check the stock",
  description: "Tells how many pieces of one product are in stock.",
  schema: { type: "object", properties: { product: { type: "string" } }, required: ["product"] },
  hints: read,
});

const tools: Tool[] = [
  addToBasket,
  checkStock,
  closeAccount,
  tool("close_account.preview", { hints: read }),
  tool("get_basket", {
    title: "Look into the basket",
    description: "Shows what is in the basket and what ordering it would cost.",
    hints: read,
  }),
  tool("list_products", {
    title: "List the products",
    description: "Lists every product of the shop: id, name, price in EUR and pieces in stock.",
    hints: read,
  }),
  tool("newsletter", {
    title: "Subscribe to the newsletter",
    description: "",
    schema: {
      type: "object",
      properties: {
        email: { type: "string", title: "E-mail" },
        often: { type: "boolean", description: "Every week instead of every month." },
        limit: { type: "number", minimum: 0 },
        topics: { type: "array", description: "A list of topics.", items: { type: "string" } },
      },
      required: ["email"],
    },
    source: "form",
  }),
  placeOrder,
  tool("place_order.preview", { hints: read }),
  setNote,
  tool("legacy_export", { description: "Exports every order as a file.", hints: read, source: "unwrapped" }),
];

export const shopTab: Tab = {
  id: page.tab,
  door: "browser",
  title: page.title,
  url: page.url,
  origin,
  state: "ready",
  tools,
};

export const plainTab: Tab = {
  id: "1F00AA",
  door: "browser",
  title: "Weather for the coast",
  url: "http://weather.example/coast",
  origin: "http://weather.example",
  state: "no-webmcp",
  tools: [],
};
