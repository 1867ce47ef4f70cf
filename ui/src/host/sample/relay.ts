import type { RefusedPage, RelayInvite, Tab } from "../../gen/contract";
import { page, tool } from "./shop";

const origin = "https://room.example";

export const invited: RelayInvite = {
  address: "127.0.0.1:7340",
  origin,
  fingerprint: "0123abcd",
  url: `${origin}/?bridge=http://127.0.0.1:7340&token=0123abcd0123abcd0123abcd0123abcd`,
};

export const second: RefusedPage = { reason: "a page is already attached to this bridge; one at a time", times: 3 };

const at = {
  ...page,
  door: "relay",
  tab: "relay",
  frame: "relay",
  origin,
  url: `${origin}/`,
  title: "room.example",
} as const;

/** A page that came over the relay and says nothing of one of its tools. */
export const relayTab: Tab = {
  id: at.tab,
  door: "relay",
  title: at.title,
  url: at.url,
  origin,
  state: "ready",
  tools: [
    { ...tool("list_seats", { description: "Lists the seats." }), page: at },
    { ...tool("seat_count", { description: "Counts the seats.", hints: { readOnly: true } }), page: at },
  ],
};
