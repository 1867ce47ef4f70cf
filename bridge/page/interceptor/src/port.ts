import type { RunConstants } from "./constants";
import type { FromPage, ToPage } from "./gen/page";
import {
  bare,
  customDetail,
  dispatch,
  listen,
  messageData,
  NativeCustomEvent,
  postMessage,
  preventDefault,
  stringify,
} from "./primordials";

declare const __COUNTERSIGN__: RunConstants;

const channel = new MessageChannel();
const own = channel.port1;
// What must not wait for a turn of the event loop goes over events of a target that nobody else has.
const line = new EventTarget();

/**
 * Hands the other ends to the isolated world in one event, before any page script has run.
 *
 * @returns whether they were taken; they are not when this window has been through here before.
 */
export const handOver = (): boolean => {
  if (window.dispatchEvent(new MouseEvent(__COUNTERSIGN__.event, { relatedTarget: line, cancelable: true })))
    return false;
  line.dispatchEvent(new MessageEvent("port", { ports: [channel.port2] }));
  return true;
};

/** Tells the app something. */
export const post = (message: FromPage): void => postMessage(own, bare(message));

/** Tells the app something before it returns. */
export const tellAtOnce = (message: FromPage): void => {
  dispatch(line, new NativeCustomEvent("up", bare({ detail: stringify(bare(message)) })));
};

/** Hears what the app says. */
export const hear = (handle: (message: ToPage) => void): void => {
  listen(own, "message", (event) => handle(messageData(event as MessageEvent) as ToPage));
  own.start();
};

/** Hears at once, while the app waits for it, whether the document is guarded. */
export const hearGuard = (guard: (on: boolean) => void): void =>
  listen(line, "down", (event) => {
    guard(customDetail(event as CustomEvent) === "on");
    preventDefault(event);
  });
