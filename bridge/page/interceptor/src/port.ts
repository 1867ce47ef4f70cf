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

const view = window;
const { event: type } = __COUNTERSIGN__;
const channel = new MessageChannel();
const own = channel.port1;
// What must not wait for a turn of the event loop goes over events of a target that nobody else has.
const line = new EventTarget();
// Both are made before any page script: with a later one the page's own iterator would be asked for the port.
const offer = new MouseEvent(type, { relatedTarget: line, cancelable: true });
const port = new MessageEvent("port", { ports: [channel.port2] });
let handed = false;

/** Whether this window has been through here before. The page has had its hands on it since, and the first port stays. */
export const isServed = (): boolean => !dispatch(view, new Event(type, { cancelable: true }));

/**
 * Hands the other ends to the isolated world in one event. A window that is opened paused, as a popup is, hears no event until
 * it goes on, which may be after page scripts: then it is tried again, and what was told meanwhile waits in the port.
 */
const handOver = (): void => {
  if (handed || dispatch(view, offer)) return;
  handed = true;
  dispatch(line, port);
};

/** Tells the app something. */
export const post = (message: FromPage): void => {
  handOver();
  postMessage(own, bare(message));
};

/** Tells the app something before it returns, if the app can be told yet. */
export const tellAtOnce = (message: FromPage): void => {
  handOver();
  if (handed) dispatch(line, new NativeCustomEvent("up", bare({ detail: stringify(bare(message)) })));
  else postMessage(own, bare(message));
};

/** Hears what the app says. */
export const hear = (handle: (message: ToPage) => void): void => {
  listen(own, "message", (event) => handle(messageData(event as MessageEvent) as ToPage));
  own.start();
  handOver();
  if (!handed) listen(view, "DOMContentLoaded", handOver, true);
};

/** Hears at once, while the app waits for it, whether the document is guarded. */
export const hearGuard = (guard: (on: boolean) => void): void =>
  listen(line, "down", (event) => {
    guard(customDetail(event as CustomEvent) === "on");
    preventDefault(event);
  });
