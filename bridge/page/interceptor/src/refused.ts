// An opening that a guarded worker is refused. The browser has no rule that reaches the sockets of shared and service workers.
import {
  apply,
  bare,
  defineProperty,
  getter,
  keep,
  kept,
  NativeDOMException,
  NativeString,
  NativeURL,
} from "./primordials";
import { tell } from "./tell";

/** A port the browser never connects to: the socket fails by itself, as one whose server is away. */
const NOWHERE = "wss://127.0.0.1:1/";

const prototype = WebSocket.prototype;
const nativeAddress = Object.getOwnPropertyDescriptor(prototype, "url");
const href = getter(URL.prototype, "href");
const protocol = getter(URL.prototype, "protocol");
// A worker that has not begun has no address yet, and asking for it ends the process.
const place = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Object.getPrototypeOf(globalThis)),
  "location",
)?.get;
const address = Object.getOwnPropertyDescriptor(WorkerLocation.prototype, "href")?.get;
const meant = new WeakMap<object, string>();

/** Makes a socket that says it leads to what was asked for, and fails. */
export const refuseOpening = (args: unknown[], made: (args: unknown[]) => WebSocket): WebSocket => {
  if (args.length === 0) return made(args);
  const url = parsed(NativeString(args[0]));
  const socket = made(args.length === 1 ? [NOWHERE] : [NOWHERE, args[1]]);
  keep(meant, socket, url);
  tell({ type: "refused", url });
  return socket;
};

const base = (): string =>
  place && address ? (apply(address, apply(place, globalThis, []) as object, []) as string) : "";

const parsed = (text: string): string => {
  const refused = (why: string) =>
    new NativeDOMException(`Failed to construct 'WebSocket': The URL '${text}' is ${why}.`, "SyntaxError");
  let url: URL;
  try {
    url = new NativeURL(text, base());
  } catch {
    throw refused("invalid");
  }
  const whole = href(url) ?? "";
  switch (protocol(url)) {
    case "ws:":
    case "wss:":
      return whole;
    case "http:":
    case "https:":
      return `ws${NativeString(after(whole))}`;
    default:
      throw refused("not of a WebSocket");
  }
};

const after = (address: string): string => {
  let text = "";
  for (let i = 4; i < address.length; i++) text += address[i];
  return text;
};

if (nativeAddress?.get) {
  const read = (native: () => string, self: WebSocket, args: unknown[]): string => {
    const told = apply(native, self, args) as string;
    return kept(meant, self) ?? told;
  };
  const get = new Proxy(nativeAddress.get as () => string, bare({ apply: read }));
  defineProperty(prototype, "url", { ...nativeAddress, get });
}
