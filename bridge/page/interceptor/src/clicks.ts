// In the isolated world: the page shares the events, and can neither make a trusted one nor stand before this listener.
import { fingerprint, watch } from "./fingerprint";
import type { Fingerprint } from "./gen/contract";
import { listen, observe } from "./primordials";

/** Tells of every click that the browser takes for a person's. */
export const tellClicks = (tell: (fingerprint: Fingerprint) => void): void => {
  const clicked = (event: Event): void => {
    if (event.isTrusted) tell(fingerprint());
  };
  const begin = (): void => {
    watch();
    listen(window, "click", clicked, true);
  };
  begin();
  // document.open() takes every listener off the window.
  observe(document, begin);
};
