/** The digits before the point in threes, the rest with the last of them; nothing for a short number or for anything else. */
export function threes(text: string): string[] | undefined {
  const parts = /^(-?)(\d{5,})(\.\d+)?$/.exec(text);
  if (!parts) return undefined;
  const [, sign = "", whole = "", rest = ""] = parts;
  const groups = whole.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? [whole];
  return groups.map((group, at) => (at === 0 ? sign : "") + group + (at === groups.length - 1 ? rest : ""));
}
