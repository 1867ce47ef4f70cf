/** What the panel shows below its bar. */
export type View = "talk" | "tools" | "rules" | "settings";

/** Runs a command; false when it failed, and the panel then says why. */
export type Run = (command: () => Promise<unknown>) => Promise<boolean>;

const views: View[] = ["talk", "tools", "rules", "settings"];

export function viewFrom(hash: string): View {
  return views.find((view) => hash === `#${view}`) ?? "talk";
}
