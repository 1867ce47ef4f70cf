import { relayHoldsNot } from "./relay";

/** What is different where the widget stands between the page and Countersign. */
const ofTheWidget = [
  {
    what: "What tools say of themselves.",
    why: "The widget passes on a tool’s name, description and arguments and nothing else, so that every tool is held as a write until you mark it as a read.",
  },
  {
    what: "Which page it is, where the widget comes from another place.",
    why: "Countersign knows the origin that the browser names, which is the widget’s. For which of your pages it speaks is its own word.",
  },
  {
    what: "A load of the page.",
    why: "A page that connects again is another page to Countersign: what was held for it cannot run any more.",
  },
];

/** What the door for pages with the widget does not see or hold. */
export const mcpBHoldsNot = [...ofTheWidget, ...relayHoldsNot.filter(({ what }) => what !== "Which page it is.")];
