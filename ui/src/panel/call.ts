import type { CallState } from "../gen/contract";
import { verdictIs } from "../words/phrases";

/** The word on a call’s chip. */
export function callChip(state: CallState): { words: string; tone: "plain" | "held" | "good" | "bad" } {
  switch (state.state) {
    case "running":
      return { words: "Running", tone: "plain" };
    case "read":
      return { words: "Read", tone: "good" };
    case "held":
      return { words: "Held", tone: "held" };
    case "decided":
      switch (state.answer.verdict) {
        case "committed":
          return { words: verdictIs.committed, tone: "good" };
        case "failed":
        case "unknown":
          return { words: verdictIs[state.answer.verdict], tone: "bad" };
        case "page-waits":
          return { words: verdictIs[state.answer.verdict], tone: "held" };
        default:
          return { words: verdictIs[state.answer.verdict], tone: "plain" };
      }
    case "failed":
      return { words: "Failed", tone: "bad" };
    case "cancelled":
      return { words: "Cancelled", tone: "plain" };
  }
}

/** What came back from a call, if anything did. */
export function callResult(state: CallState): { label: string; text: string } | undefined {
  if (state.state === "read") return { label: "Result, in the page’s words", text: state.result };
  if (state.state === "decided") return { label: "What the caller was told", text: state.answer.text };
  return undefined;
}

/** What a person should know of a released write that a gate of the page’s own answered. */
export function atThePage(state: CallState): string | undefined {
  if (state.state !== "decided") return undefined;
  switch (state.answer.verdict) {
    case "page-waits":
      return "Released, and the page’s own gate is waiting: it has neither succeeded nor failed. Decide it at the page.";
    case "page-declined":
      return "Released, and the page’s own gate did not let it through. As the page says, nothing has changed.";
    default:
      return undefined;
  }
}
