// What was decided before the page was loaded again. What still waited is not kept: its price was taken in another moment.

const KEY = `held ${location.pathname}`;
const MOST = 50;

/** The decided ones as plain lines, the oldest first; none where the browser keeps nothing. */
export function earlier() {
  try {
    const lines = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(lines) ? lines : [];
  } catch {
    return [];
  }
}

export function keep(lines) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(lines.slice(-MOST)));
  } catch {
    // Without room they are shown until the page goes, and no longer.
  }
}
