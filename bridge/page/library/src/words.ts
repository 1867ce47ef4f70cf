// What an agent is told: what happened, whether anything changed, and what to do. No answer can be taken for another one.
import type { Proposal } from "./proposals";
import type { Fault } from "./schema";

/** An answer of the library's own. */
export type Answer = Readonly<Record<string, unknown>> & { readonly note: string };

/** The answer of a write that waits for a release. */
export const held = (proposal: string): Answer => ({
  proposal,
  status: "held",
  changed: "nothing yet",
  note: `This waits until it is released or refused in the page. It has neither succeeded nor failed. Do not call the tool again; ask check_proposal about ${proposal} later.`,
});

/** The answer to arguments that do not fit the tool's schema. */
export const badArguments = (tool: string, faults: readonly Fault[]): Answer => ({
  status: "refused",
  why: "bad-arguments",
  changed: "nothing",
  faults,
  note: `${tool} did not run: its arguments do not fit its input schema. Correct what the faults name, then call it again.`,
});

/** The answer of a tool that was called while it was being taken away. */
export const gone = (tool: string): Answer => ({
  status: "refused",
  why: "not-offered",
  changed: "nothing",
  note: `${tool} is not offered any more and did not run. List the tools of the page again.`,
});

/** The answer of a write while too many others wait. */
export const tooMany = (tool: string, most: number): Answer => ({
  status: "refused",
  why: "too-many-held",
  changed: "nothing",
  note: `${tool} did not run and is not held: ${most} proposals wait already. Wait until some of them are decided.`,
});

/** The answer of a one-shot tool without a grant for these arguments. */
export const notGranted = (tool: string): Answer => ({
  status: "refused",
  why: "not-granted",
  changed: "nothing",
  note: `${tool} did not run: one use of it is granted at a time, for exactly the arguments that were granted, and these are not they or it is used up.`,
});

/** The answer of a read that failed. */
export const readFailed = (tool: string, message: string): Answer => ({
  status: "failed",
  changed: "nothing",
  message,
  note: `${tool} could not answer.`,
});

/** The answer of a write whose caller gave it up before it was held. */
export const givenUp = (tool: string): Answer => ({
  status: "withdrawn",
  changed: "nothing",
  note: `${tool} was given up by its caller. It did not run.`,
});

/** How a proposal stands. */
export const standing = (proposal: Proposal): Answer => {
  const { id, tool, status } = proposal;
  const about = { proposal: id, tool, status };
  switch (proposal.status) {
    case "held":
      return proposal.moved.length === 0
        ? { ...about, changed: "nothing yet", note: `It still waits for a decision. ${PATIENCE}` }
        : {
            ...about,
            changed: "nothing yet",
            moved: proposal.moved,
            note: `It was released, but what it would do or cost had moved since it was shown, so it waits again. ${PATIENCE}`,
          };
    case "checking":
      return { ...about, changed: "nothing yet", note: `It is being released and is priced once more. ${PATIENCE}` };
    case "released":
      return { ...about, changed: "not known yet", note: `It was released and is running. ${PATIENCE}` };
    case "committed":
      return {
        ...about,
        changed: "as proposed",
        result: proposal.result,
        note: "It was released and ran once. It is done; do not call the tool again for it.",
      };
    case "failed":
      return {
        ...about,
        changed: "not known",
        message: proposal.message,
        note: "It was released and ran once, and the page reported a failure. Something may have changed all the same: read how things stand, then ask the person how to go on.",
      };
    case "unknown":
      return {
        ...about,
        changed: "not known",
        note: "It was released, and the page went away before its end was seen. It will not run again by itself. Read how things stand and tell the person.",
      };
    case "refused":
      return {
        ...about,
        changed: "nothing",
        reason: proposal.reason,
        note: "It was refused and did not run. This is a decision and not an error: do not try it again, nor the same by another way.",
      };
    case "expired":
      return {
        ...about,
        changed: "nothing",
        note: "Nobody decided in time, and it did not run. Nobody refused it either. Propose it again only if the person still wants it.",
      };
    case "withdrawn":
      return { ...about, changed: "nothing", note: `Its tool is not offered any more. It did not run. ${AGAIN}` };
    case "page-gone":
      return { ...about, changed: "nothing", note: `The page went away while it waited. It did not run. ${AGAIN}` };
  }
};

const PATIENCE = "It has neither succeeded nor failed. Do not call the tool again; ask about it later.";
const AGAIN = "List the tools of the page again before you go on.";

/** The answer about a proposal that is not there. */
export const noProposal = (id: string): Answer => ({
  status: "refused",
  why: "no-such-proposal",
  changed: "nothing",
  note: `There is no proposal ${id} on this page. list_proposals names those there are; a page that was loaded again has forgotten its own.`,
});
