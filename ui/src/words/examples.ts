import type { ExampleName } from "../gen/contract";

/** The examples besides the shop: what each is called, and what it is for, in one line. */
export const moreExamples: Record<Exclude<ExampleName, "shop">, { title: string; line: string }> = {
  room: {
    title: "The hearing room",
    line: "Tools come and go with the phase, and a partner of another origin has its say.",
  },
  board: { title: "The board", line: "Work on cards that several write to, each change shown before it counts." },
  portfolio: { title: "The portfolio", line: "Orders whose price moves: what moved too far is held again." },
  access: { title: "The access desk", line: "Who may do what, and what breaks when a right is taken away." },
};
