import type { PageGate, Proposal, ProposalState } from "../gen/contract";
import { requestName } from "./request";

/** What the act is called: the tool’s own name, or the request. */
export function actName(proposal: Proposal): string {
  const { act } = proposal;
  return act.kind === "tool" ? act.tool.name : requestName(act.request);
}

/** The title the page gave, else the name. */
export function actTitle(proposal: Proposal): string {
  const { act } = proposal;
  return act.kind === "tool" && act.tool.title !== "" ? act.tool.title : actName(proposal);
}

/** The exact text that was hashed. */
export function actText(proposal: Proposal): string {
  return proposal.act.kind === "tool" ? proposal.act.canonical : (proposal.act.request.body ?? "");
}

export function isOpen(state: ProposalState): boolean {
  return state.state === "held" || state.state === "releasing";
}

/** Waits for a person: it is open, and no rule is about to release it. */
export function needsDecision(proposal: Proposal): boolean {
  return isOpen(proposal.state) && proposal.byRule === undefined;
}

/** It went to the page, whatever came of it. */
export function wasReleased(state: ProposalState): boolean {
  return ["released", "committed", "failed", "page-gate", "unknown"].includes(state.state);
}

export function isAside(state: ProposalState): boolean {
  return state.state === "held" && state.setAside;
}

/** How a proposal stands: a headline, what it means, and the tone to draw it in. */
export function standing(state: ProposalState): {
  head: string;
  means: string;
  tone: "held" | "good" | "bad" | "plain";
} {
  switch (state.state) {
    case "held":
      return state.setAside
        ? { head: "Set aside", means: "Still held. Nothing has run.", tone: "plain" }
        : { head: "Waiting", means: "Nothing has run.", tone: "held" };
    case "releasing":
      return { head: "Checking", means: "Asking the page once more, then writing the release down.", tone: "held" };
    case "released":
      return { head: "Released", means: "Sent to the page. How it ended is not known yet.", tone: "held" };
    case "committed":
      return { head: "Done", means: "Released, and the page reported success.", tone: "good" };
    case "failed":
      return state.ran
        ? { head: "Failed", means: "Released, and the page reported failure.", tone: "bad" }
        : { head: "Did not run", means: "Released, but it certainly never started.", tone: "bad" };
    case "page-gate":
      return pageGate(state.gate);
    case "unknown":
      return {
        head: "Outcome unknown",
        means: "Released, but nobody saw how it ended. It is never run again by itself: look at the page.",
        tone: "bad",
      };
    case "granted":
      return {
        head: "One use granted",
        means: "Nothing has run. Agents see the tool for one call with exactly these arguments; then it is gone again.",
        tone: "good",
      };
    case "refused":
      return { head: "Refused", means: "Nothing ran. The caller was told.", tone: "plain" };
    case "expired":
      return { head: "Expired", means: "Nothing ran.", tone: "plain" };
    case "withdrawn":
      return { head: "Withdrawn", means: "Its caller took it back. Nothing ran.", tone: "plain" };
    case "page-gone":
      return {
        head: "Page gone",
        means: "The page that offered it is not there any more. Nothing ran.",
        tone: "plain",
      };
  }
}

/** What a gate of the page’s own says of a released write. It is neither success nor failure. */
function pageGate(gate: PageGate): { head: string; means: string; tone: "held" | "plain" } {
  const notRun = "As the page says, it did not run and nothing has changed.";
  switch (gate.says) {
    case "waiting":
      return {
        head: "The page’s own gate is waiting",
        means:
          "Released and sent. The page holds it in turn, so it has neither succeeded nor failed: decide it at the page.",
        tone: "held",
      };
    case "declined":
      return { head: "The page’s own gate declined it", means: `Released and sent. ${notRun}`, tone: "plain" };
    case "expired":
      return {
        head: "The page’s own gate let it expire",
        means: `Released and sent, and nobody at the page decided in time. ${notRun}`,
        tone: "plain",
      };
    case "not-asked":
      return {
        head: "The page’s own gate could ask nobody",
        means: `Released and sent. ${notRun}`,
        tone: "plain",
      };
  }
}
