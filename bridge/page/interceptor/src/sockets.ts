// Holds what is sent on a WebSocket that was opened before a read began. What a socket has to send stays in order: one
// thing at a time is asked for, and what follows waits behind it.
import type { RunConstants } from "./constants";
import * as frames from "./frame";
import {
  apply,
  bare,
  construct,
  create,
  customDetail,
  defineProperty,
  dispatch,
  forget,
  getter,
  keep,
  kept,
  listen,
  NativeCustomEvent,
} from "./primordials";
import { needRoom } from "./room";
import { tell } from "./tell";
import { ended, wait, withdraw } from "./waiting";

declare const __COUNTERSIGN__: RunConstants;

type Frame = frames.Message | frames.Close;

/** Something a socket has to send. `asks` is undecided until the realm has heard whether it is guarded. */
interface Kept {
  readonly frame: Frame;
  readonly size: number;
  asks: boolean | undefined;
  call: number | undefined;
}

interface Queue {
  readonly number: number;
  readonly socket: WebSocket;
  waiting: { [at: number]: Kept };
  first: number;
  last: number;
  bytes: number;
}

/** How another realm's function reaches the realm a socket was made in. */
interface Box {
  readonly what: "SEND" | "CLOSE";
  readonly args: unknown[];
  done: boolean;
  threw: boolean;
  value: unknown;
}

/** What differs between a document and a worker. */
export interface Realm {
  /** Says at once that the first socket is being made. */
  opened(): void;
  /** Makes a socket that connects nowhere, while the realm is guarded; absent where the browser refuses the opening. */
  refuse?(args: unknown[], made: (args: unknown[]) => WebSocket): WebSocket;
}

const OPEN = 1;
const NOTHING = create(null) as object;
const Native = WebSocket;
const prototype = Native.prototype;
const nativeSend = prototype.send as (data?: unknown) => void;
const nativeClose = prototype.close as (code?: unknown, reason?: unknown) => void;
const readyState = getter(prototype, "readyState");
const address = getter(prototype, "url");

let guarded: boolean | undefined;
let opened = false;
let numbers = 0;
const own = new WeakMap<object, boolean>();
const queueOf = new WeakMap<object, Queue>();
const queues = create(null) as { [number: number]: Queue };

/** Puts the wrappers in the place of `WebSocket` and of its functions that send. */
export const holdSockets = (realm: Realm): void => {
  wrapConstructor(realm);
  wrapMethod("send", "SEND");
  wrapMethod("close", "CLOSE");
  wrapBuffered();
};

/** Whether a worker starts guarded; a document is told. */
export const guardSockets = (on: boolean): void => {
  guarded = on;
  for (const number in queues) {
    const queue = queues[number] as Queue;
    for (let at = queue.first; at < queue.last; at++) (queue.waiting[at] as Kept).asks ??= on;
    proceed(queue);
  }
};

const wrapConstructor = (realm: Realm): void => {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
  if (!descriptor) return;
  const make = (target: typeof WebSocket, args: unknown[], made: new () => WebSocket): WebSocket => {
    if (!opened) needRoom();
    if (!opened) realm.opened();
    opened = true;
    const native = (given: unknown[]): WebSocket => construct(target, given, made) as WebSocket;
    const socket = realm.refuse && guarded ? realm.refuse(args, native) : native(args);
    keep(own, socket, true);
    listen(socket, __COUNTERSIGN__.event, (event) => {
      const box = customDetail(event as CustomEvent) as Box;
      box.done = true;
      try {
        box.value = act(box.what, socket, box.args);
      } catch (reason) {
        box.threw = true;
        box.value = reason;
      }
    });
    listen(socket, "close", () => drop(socket));
    return socket;
  };
  const wrapped = new Proxy(Native, bare({ construct: make as ProxyHandler<typeof WebSocket>["construct"] }) as object);
  defineProperty(globalThis, "WebSocket", { ...descriptor, value: wrapped });
  const back = Object.getOwnPropertyDescriptor(prototype, "constructor");
  defineProperty(prototype, "constructor", { ...back, value: wrapped });
};

const wrapMethod = (key: "send" | "close", what: "SEND" | "CLOSE"): void => {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
  if (!descriptor) return;
  const call = (native: () => unknown, self: unknown, args: unknown[]): unknown => {
    // On something else the browser's error is all there is to get. So it is on a socket, where the stack is too short to look.
    if (!isSocket(self)) return apply(native, NOTHING, args);
    if (kept(own, self)) return act(what, self, args);
    // The realm a socket was made in has its queue, and hears of its guard as long as the socket lives.
    const box: Box = bare({ what, args, done: false, threw: false, value: undefined as unknown });
    dispatch(self, new NativeCustomEvent(__COUNTERSIGN__.event, bare({ detail: box })));
    if (!box.done) return act(what, self, args);
    if (box.threw) throw box.value;
    return box.value;
  };
  defineProperty(prototype, key, { ...descriptor, value: new Proxy(descriptor.value, bare({ apply: call })) });
};

const isSocket = (value: unknown): value is WebSocket => {
  try {
    return readyState(value as WebSocket) !== undefined;
  } catch {
    return false;
  }
};

/** Sends or closes, or keeps that for later. */
const act = (what: "SEND" | "CLOSE", socket: WebSocket, args: unknown[]): unknown => {
  const native = what === "SEND" ? nativeSend : nativeClose;
  const queue = kept(queueOf, socket);
  if (guarded === false && queue === undefined) return apply(native, socket, args);
  needRoom();
  // Neither nothing nor a symbol can be sent: the browser has words for that.
  if (what === "SEND" && (args.length === 0 || typeof args[0] === "symbol")) return apply(native, socket, args);
  const frame: Frame = what === "SEND" ? frames.message(args[0]) : frames.close(args);
  // Reading the arguments may have run the page's code; nothing of the page's runs from here on.
  if (readyState(socket) !== OPEN) return run(socket, frame);
  const plain = frame.what === "CLOSE" && frames.isPlain(frame);
  const behind = kept(queueOf, socket);
  if (behind === undefined && (plain || guarded === false)) return run(socket, frame);
  if (frame.what === "CLOSE" && !plain && !frames.isAllowed(frame)) return run(socket, frame);
  push(
    behind ?? begin(socket),
    bare({ frame, size: frames.size(frame), asks: plain ? false : guarded, call: undefined }),
  );
  return undefined;
};

const run = (socket: WebSocket, frame: Frame): unknown =>
  frame.what === "SEND"
    ? apply(nativeSend, socket, [frame.data])
    : apply(nativeClose, socket, frame.reason === undefined ? [frame.code] : [frame.code, frame.reason]);

const begin = (socket: WebSocket): Queue => {
  const waiting = create(null) as { [at: number]: Kept };
  const queue: Queue = bare({ number: ++numbers, socket, waiting, first: 0, last: 0, bytes: 0 });
  queues[queue.number] = queue;
  keep(queueOf, socket, queue);
  return queue;
};

const push = (queue: Queue, entry: Kept): void => {
  queue.waiting[queue.last++] = entry;
  if (entry.frame.what === "SEND") queue.bytes += entry.size;
  if (queue.last - queue.first === 1) proceed(queue);
};

/** Sends what need not be asked for, and asks for the first that must. */
const proceed = (queue: Queue): void => {
  while (queue.first < queue.last) {
    const entry = queue.waiting[queue.first] as Kept;
    if (entry.call !== undefined || entry.asks === undefined) return;
    if (entry.asks) return request(queue, entry);
    shift(queue);
    try {
      run(queue.socket, entry.frame);
    } catch {
      // Its caller has long gone on; the socket's own events say what became of it.
    }
  }
  end(queue);
};

const request = (queue: Queue, entry: Kept): void => {
  const { frame } = entry;
  const call = wait({
    run: (call) => {
      if (readyState(queue.socket) !== OPEN) {
        ended(call, false, "The connection was closed before this could be sent. Nothing was sent.");
        return drop(queue.socket);
      }
      shift(queue);
      try {
        run(queue.socket, frame);
        ended(call, true, "It was handed to the open connection. What the server made of it was not read.");
      } catch (reason) {
        ended(call, false, `The browser did not take it, and nothing was sent. ${(reason as Error).message}`);
      }
      proceed(queue);
    },
    // A stream with a gap in it says something else than the page meant: the page is told that the connection is lost.
    answer: () => {
      end(queue);
      apply(nativeClose, queue.socket, []);
    },
  });
  entry.call = call;
  const body = frames.shown(frame);
  tell({
    type: "send",
    call,
    method: frame.what,
    url: address(queue.socket) ?? "",
    ...(body === undefined ? {} : { body }),
    bytes: entry.size,
  });
};

const shift = (queue: Queue): void => {
  const entry = queue.waiting[queue.first] as Kept;
  delete queue.waiting[queue.first++];
  if (entry.frame.what === "SEND") queue.bytes -= entry.size;
};

const end = (queue: Queue): void => {
  delete queues[queue.number];
  forget(queueOf, queue.socket);
};

/** A socket has closed: what it had to send can go nowhere. */
const drop = (socket: WebSocket): void => {
  const queue = kept(queueOf, socket);
  if (queue === undefined) return;
  const head = queue.waiting[queue.first];
  end(queue);
  if (head?.call !== undefined) withdraw(head.call);
};

const wrapBuffered = (): void => {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, "bufferedAmount");
  if (!descriptor?.get) return;
  const read = (native: () => number, self: WebSocket, args: unknown[]): number =>
    (apply(native, self, args) as number) + (kept(queueOf, self)?.bytes ?? 0);
  const get = new Proxy(descriptor.get as () => number, bare({ apply: read }));
  defineProperty(prototype, "bufferedAmount", { ...descriptor, get });
};
