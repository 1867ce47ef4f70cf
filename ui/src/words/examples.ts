import type { ExampleName } from "../gen/contract";

/** The examples besides the shop: what each is called, and what it shows, in one line. */
export const moreExamples: Record<Exclude<ExampleName, "shop">, { title: string; line: string }> = {
  room: {
    title: "The hearing room",
    line: "Sealed positions and a ruling. Tools come and go with the phase, and a partner at another origin has its say.",
  },
  board: {
    title: "The boathouse board",
    line: "Short notices that stay in the browser, with a receipt for each change.",
  },
  portfolio: {
    title: "The portfolio",
    line: "A simulated market: what moved too far before its release is held again.",
  },
  access: { title: "The access console", line: "Who may do what in a small organisation, and what depends on a key." },
};
