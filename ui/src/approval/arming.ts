import type { Arming, Proposal } from "../gen/contract";

/** Why Release cannot be pressed, in words; nothing when it can. The gate decides again; this only draws its rule. */
export function whyDead(proposal: Proposal, acknowledged: readonly string[]): string | undefined {
  const { state, arming } = proposal;
  if (state.state === "releasing") return "Checking with the page once more…";
  if (state.state !== "held") return "This is decided.";
  if (proposal.byRule !== undefined) return `Rule ${proposal.byRule} releases this.`;
  if (arming.state === "dead") return arming.why;
  const open = proposal.risks.filter((risk) => risk.level === "critical" && !acknowledged.includes(risk.id));
  if (open.length > 0)
    return open.length === 1 ? "Tick the critical risk first." : `Tick the ${open.length} critical risks first.`;
  return whyNotArmed(arming);
}

/** Why what is in view cannot be decided yet; nothing when it can. */
export function whyNotArmed(arming: Arming): string | undefined {
  switch (arming.state) {
    case "dead":
      return arming.why;
    case "unseen":
      return "Ready when this window is in front.";
    case "arming":
      return "Ready in a moment.";
    case "armed":
      return undefined;
  }
}
