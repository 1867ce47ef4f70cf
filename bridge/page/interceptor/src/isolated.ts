// Runs in the isolated world, before main.ts, in every document: the page shares its DOM but none of its objects. It carries
// messages between the main world (a private port) and the app (the binding and `entry`), and decides nothing.
import type { RunConstants } from "./constants";
import { tellClicks } from "./clicks";
import type { FromPage, ToPage } from "./gen/page";

declare const __COUNTERSIGN__: RunConstants;

type World = typeof globalThis & { [name: string]: unknown };
const world = globalThis as World;
const { event, binding, entry } = __COUNTERSIGN__;

// Half a surrogate pair is text to a page and an error to the app. As JSON text it is an escape, and no other surrogate is.
const whole = (key: string, value: unknown): unknown => {
  if (typeof value !== "string") return value;
  if (key !== "arguments" && key !== "inputSchema") return value.toWellFormed();
  return value
    .toWellFormed()
    .replace(/\\(?:(ud[89a-f][0-9a-f]{2})|[^])/g, (escape: string, half?: string) => (half ? "\\ufffd" : escape));
};

const send = (message: FromPage): void => {
  (world[binding] as (text: string) => void)(JSON.stringify(message, whole));
};

// Should this run again in a window that has a port, that port stays: the page has had its hands on the main world since.
if (world[entry] === undefined) {
  let port: MessagePort | undefined;
  let line: EventTarget | undefined;
  world[entry] = (message: ToPage): boolean => {
    // A guard is on when this returns true, not some time after.
    if (message.type === "guard") {
      const detail = message.on ? "on" : "off";
      return line !== undefined && !line.dispatchEvent(new CustomEvent("down", { detail, cancelable: true }));
    }
    port?.postMessage(message);
    return port !== undefined;
  };
  addEventListener(
    event,
    (handover) => {
      handover.stopImmediatePropagation();
      const offered = (handover as MouseEvent).relatedTarget ?? undefined;
      // One without a line only asks whether there is one already.
      if ((offered === undefined) === (line === undefined)) return;
      handover.preventDefault();
      if (!offered) return;
      line = offered;
      line.addEventListener("up", (said) => send(JSON.parse((said as CustomEvent<string>).detail)));
      line.addEventListener("port", (handed) => {
        port = (handed as MessageEvent).ports[0];
        if (port) port.onmessage = (message: MessageEvent<FromPage>) => send(message.data);
      });
    },
    { capture: true },
  );
  tellClicks((fingerprint) => send({ type: "click", fingerprint }));
}

send({ type: "hello", webmcp: "modelContext" in document && document.modelContext != null, url: location.href });
