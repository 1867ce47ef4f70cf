/** The command that installs a browser on Debian and its relatives. */
export const installBrowser = "sudo apt install chromium";

/** Makes an address of what was typed; nothing when it cannot be one. */
export function address(typed: string): string | undefined {
  const text = typed.trim();
  if (text === "") return undefined;
  const bare = /^(localhost|127\.0\.0\.1|\[::1\])([:/]|$)/i.test(text);
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${bare ? "http" : "https"}://${text}`;
  try {
    const url = new URL(full);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}
