import type { RunConstants } from "./constants";
import type { FromPage, ToPage } from "./gen/page";
import { bare, dispatch, listen, messageData, postMessage } from "./primordials";

declare const __COUNTERSIGN__: RunConstants;

const view = window;
const { event: type } = __COUNTERSIGN__;
const channel = new MessageChannel();
const own = channel.port1;
// Made before any page script: with a later one the page's own iterator would be asked for the port.
const offer = new MessageEvent(type, { ports: [channel.port2], cancelable: true });
let handed = false;

/** Whether this window has been through here before. The page has had its hands on it since, and the first port stays. */
export const isServed = (): boolean => !dispatch(view, new Event(type, { cancelable: true }));

/**
 * Hands the other end to the isolated world in one event. A window that is opened paused, as a popup is, hears no event until
 * it goes on, which may be after page scripts: then it is tried again, and what was told meanwhile waits in the port.
 */
export const handOver = (): void => {
  handed ||= !dispatch(view, offer);
};

/** Tells the app something. */
export const tell = (message: FromPage): void => {
  handOver();
  postMessage(own, bare(message));
};

/** Hears what the app says. */
export const hear = (handle: (message: ToPage) => void): void => {
  listen(own, "message", (event) => handle(messageData(event as MessageEvent) as ToPage));
  own.start();
  handOver();
  if (!handed) listen(view, "DOMContentLoaded", handOver, true);
};
