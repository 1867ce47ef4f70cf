import type { RunConstants } from "./constants";
import type { FromPage, ToPage } from "./gen/page";
import { bare, listen, messageData, postMessage } from "./primordials";

declare const __COUNTERSIGN__: RunConstants;

const channel = new MessageChannel();
const own = channel.port1;

/**
 * Hands the other end to the isolated world in one event, before any page script has run.
 *
 * @returns whether it was taken; it is not when this window has been through here before.
 */
export const handOver = (): boolean =>
  !window.dispatchEvent(new MessageEvent(__COUNTERSIGN__.event, { ports: [channel.port2], cancelable: true }));

/** Tells the app something. */
export const tell = (message: FromPage): void => postMessage(own, bare(message));

/** Hears what the app says. */
export const hear = (handle: (message: ToPage) => void): void => {
  listen(own, "message", (event) => handle(messageData(event as MessageEvent) as ToPage));
  own.start();
};
