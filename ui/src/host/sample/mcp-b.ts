import type { RefusedPage, Tab } from "../../gen/contract";
import { page, tool } from "./shop";

const origin = "https://desk.example";

export const refusedOrigin: RefusedPage = {
  reason: "https://elsewhere.example is not on the list. Add it to the origins if its pages may come.",
  times: 2,
};

const at = {
  ...page,
  door: "mcp-b",
  tab: "mcp-b:5f1c",
  frame: "mcp-b:5f1c",
  origin,
  url: `${origin}/tickets`,
  title: "Tickets",
} as const;

/** A page with the widget, which says nothing of its tools. */
export const mcpBTab: Tab = {
  id: at.tab,
  door: "mcp-b",
  title: at.title,
  url: at.url,
  origin,
  state: "ready",
  tools: [
    { ...tool("list_tickets", { description: "Lists the tickets." }), page: at },
    { ...tool("close_ticket", { description: "Closes a ticket." }), page: at },
  ],
};
