/** How far a door holds something. `partly` is said with what is left out. */
export type Hold = "held" | "partly" | "not held";

export interface HoldRow {
  what: string;
  own: Hold;
  extension: Hold;
  /** What differs, and why. */
  why: string;
}

/** What the extension holds in the person’s own browser, beside what Countersign’s own browser holds. */
export const extensionHolds: HoldRow[] = [
  {
    what: "Writes that Countersign’s agent or a connected program asks for",
    own: "held",
    extension: "held",
    why: "They wait in Countersign before anything is sent to the page.",
  },
  {
    what: "Tool calls by the page’s own code, by another extension or by the browser’s assistant",
    own: "held",
    extension: "partly",
    why: "The call stops in the page. Code that reaches the tool past the extension is not stopped; see the tools that slipped by.",
  },
  {
    what: "Tools that slipped by",
    own: "held",
    extension: "not held",
    why: "In a frame that is still empty while its address loads, a page can register a tool before the extension is there. Such a tool is listed as not held, and Countersign does not call it.",
  },
  {
    what: "Pages that were open before the extension",
    own: "held",
    extension: "not held",
    why: "Reload them. Countersign’s own browser has no page that is older than its hold.",
  },
  {
    what: "Forms that are called from inside the page",
    own: "partly",
    extension: "partly",
    why: "The submit is held. The browser fills the form in before that, and what the page sends while it is filled in goes out.",
  },
  {
    what: "What a read sends to change something (POST and the like)",
    own: "held",
    extension: "partly",
    why: "Countersign’s own browser pauses the request, and it goes out once when you release it. An extension can only block it in that tab, so the page sees it fail.",
  },
  {
    what: "What a read sends from elsewhere: service workers, shared workers, other tabs",
    own: "held",
    extension: "not held",
    why: "The extension blocks by tab, and these belong to none or to another one.",
  },
  {
    what: "New sockets that a read opens (WebSocket, WebTransport)",
    own: "held",
    extension: "partly",
    why: "They are blocked in that tab. From a worker without a tab they are not.",
  },
  {
    what: "What a read sends on a socket that was open before",
    own: "held",
    extension: "partly",
    why: "It is kept in the page where the extension is there first. In workers it is not.",
  },
  {
    what: "WebRTC, streamed bodies, reports, what the browser fetches ahead",
    own: "held",
    extension: "not held",
    why: "Countersign’s own browser is started without them. Yours keeps them.",
  },
  {
    what: "GET requests of a read",
    own: "partly",
    extension: "not held",
    why: "Countersign’s own browser holds them for the sites where you say so. An extension would break the page with it.",
  },
  {
    what: "What a read changes in storage and cookies",
    own: "partly",
    extension: "not held",
    why: "In Countersign’s own browser it is seen afterwards and told. Here it is not seen.",
  },
  {
    what: "What other extensions do by themselves",
    own: "not held",
    extension: "not held",
    why: "An extension can change pages and send requests. Countersign’s own browser begins with a profile that has none of yours.",
  },
  {
    what: "When the extension is turned off or removed",
    own: "held",
    extension: "not held",
    why: "From then on nothing is held in your browser. In Countersign’s own no read runs until its guard is confirmed.",
  },
];
