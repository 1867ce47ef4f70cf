// The page's own record in words: what was proposed, decided and done. Every line names its entry of the hash chain.

const said = (data) => {
  try {
    return Object.values(JSON.parse(data.arguments ?? "{}")).join(", ");
  } catch {
    return "";
  }
};

const WORDS = {
  opened: ({ desk }) =>
    desk ? "The page was opened; Countersign decides." : "The page was opened; it decides itself.",
  proposed: (data) => `An agent proposed ${data.tool} (${said(data)}).`,
  repriced: () => "Released, but what it would do had moved: held again.",
  released: ({ isTrusted }) => `Released${isTrusted ? "" : " by an event that a script made"}.`,
  refused: ({ reason }) => `Refused: ${reason}`,
  expired: () => "Expired; nobody decided.",
  withdrawn: () => "Withdrawn with its tool.",
  outcome: ({ tool, outcome }) => `${tool ? `${tool}: ` : ""}${outcome}.`,
  door: () => "Countersign recorded the head of this record.",
};

/** The entries as lines, the newest first. */
export const trailOf = (entries) =>
  entries
    .map(({ seq, at, kind, ref, data, hash }) => ({
      entry: seq,
      proposal: ref,
      what: WORDS[kind]?.(data) ?? kind,
      at,
      hash: hash.slice(0, 12),
    }))
    .reverse();
