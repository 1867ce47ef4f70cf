const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const dayThisYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** `14:03:11` today, with the date in front on any other day. */
export function moment(at: string, now: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const today = new Date(now);
  if (day.format(date) === day.format(today)) return clock.format(date);
  const name = date.getFullYear() === today.getFullYear() ? dayThisYear : day;
  return `${name.format(date)}, ${clock.format(date)}`;
}

/** `14:02` today, with the date in front on any other day: for what does not need its seconds. */
export function hour(at: string, now: number): string {
  return moment(at, now).replace(/:\d\d$/, "");
}

/** `8 s`, `3 min 20 s`, `2 h 5 min`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes < 10 && seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

/** `12 ms`, `1.4 s`: how long a call took. */
export function took(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)} s` : span(milliseconds);
}

/** `8 s ago`. */
export function ago(at: string, now: number): string {
  const passed = now - new Date(at).getTime();
  return passed < 1500 ? "just now" : `${span(passed)} ago`;
}

/** `in 52 min`, or `now`. */
export function until(at: string, now: number): string {
  const left = new Date(at).getTime() - now;
  return left <= 0 ? "now" : `in ${span(left)}`;
}
