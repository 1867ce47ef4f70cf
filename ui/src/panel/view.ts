/** What the panel shows below its bar. */
export type View = "talk" | "tools" | "settings";

/** Runs a command; false when it failed, and the panel then says why. */
export type Run = (command: () => Promise<unknown>) => Promise<boolean>;

export function viewFrom(hash: string): View {
  return hash === "#tools" ? "tools" : hash === "#settings" ? "settings" : "talk";
}
