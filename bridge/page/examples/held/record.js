// What the decisions so far come to.

/** How many of those that a person decided were refused. Nothing is counted before it is decided, and none decided is no share. */
export function record(proposals) {
  const released = proposals.filter(({ status }) => ["committed", "failed", "unknown"].includes(status)).length;
  const refused = proposals.filter(({ status }) => status === "refused").length;
  const decided = released + refused;
  if (decided === 0) return "No decision yet";
  return `${refused} of ${decided} decided ${decided === 1 ? "was" : "were"} refused`;
}
