// The two reads by which an agent learns how its proposals stand.
import { argumentsOf, type Offer, words } from "./offer";
import type { Holding } from "./proposals";
import { badArguments, noProposal, standing } from "./words";

/** `list_proposals` and `check_proposal`. */
export const askingOffers = (proposals: Holding): Offer[] => {
  const annotations = { readOnlyHint: true };
  const all = argumentsOf();
  const one = argumentsOf({
    type: "object",
    properties: { proposal: { type: "string", description: "The id that the tool answered, such as p1." } },
    required: ["proposal"],
    additionalProperties: false,
  });
  return [
    {
      name: "list_proposals",
      title: "List the proposals",
      description: "Lists every proposal made on this page since it was loaded, and how each stands.",
      inputSchema: all.inputSchema,
      annotations,
      execute: async (input) => {
        const faults = all.check(input);
        if (faults.length > 0) return words(badArguments("list_proposals", faults));
        return JSON.stringify({ proposals: proposals.list().map(({ id, tool, status }) => ({ id, tool, status })) });
      },
    },
    {
      name: "check_proposal",
      title: "Check a proposal",
      description: "Tells how one proposal stands: whether it still waits, how it was decided, and what came of it.",
      inputSchema: one.inputSchema,
      annotations,
      execute: async (input) => {
        const faults = one.check(input);
        if (faults.length > 0) return words(badArguments("check_proposal", faults));
        const { proposal: id } = input as { proposal: string };
        const proposal = proposals.find(id);
        return words(proposal ? standing(proposal) : noProposal(id));
      },
    },
  ];
};
