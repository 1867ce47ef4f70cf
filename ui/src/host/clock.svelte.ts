import { createSubscriber } from "svelte/reactivity";

const listen = createSubscriber((update) => {
  const beat = setInterval(update, 1000);
  return () => clearInterval(beat);
});

/** The time, read again every second while something on screen shows it. */
export function now(): number {
  listen();
  return Date.now();
}
