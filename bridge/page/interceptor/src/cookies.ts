// Sees scripts write cookies. The browser tells of every other storage by itself; of cookies it does not say who wrote them.
import type { RunConstants } from "./constants";
import {
  apply,
  bare,
  customDetail,
  defineProperty,
  dispatch,
  indexOf,
  listen,
  NativeCustomEvent,
  preventDefault,
  slice,
} from "./primordials";
import { tell } from "./tell";

declare const __COUNTERSIGN__: RunConstants;

type Method = (...args: unknown[]) => unknown;

const type = `${__COUNTERSIGN__.event}-cookie`;
const top = document;
const store = typeof cookieStore === "undefined" ? undefined : cookieStore;

/** Tells the app the name of every cookie that a script writes to this document; never its value. */
export const watchCookies = (): void => {
  hearCookies();
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
  if (cookie?.set) {
    const set = (native: Method, self: unknown, args: unknown[]): unknown => {
      // Once, as the browser would: what is told and what is written are then the same.
      const text = `${args[0] as string}`;
      const result = apply(native, self, [text]);
      const end = indexOf(text, "=");
      written(self as Document, end < 0 ? "" : slice(text, 0, end));
      return result;
    };
    const wrapped = new Proxy(cookie.set as Method, bare({ apply: set }));
    defineProperty(Document.prototype, "cookie", { ...cookie, set: wrapped as (value: unknown) => void });
  }
  if (typeof CookieStore === "undefined") return;
  wrapMethod("set");
  wrapMethod("delete");
};

/** Hears of cookies that another realm's functions write here. Doing it again changes nothing. */
export const hearCookies = (): void => {
  listen(top, type, onWritten);
  if (store) listen(store, type, onWritten);
};

const onWritten = (event: Event): void => {
  preventDefault(event);
  tell({ type: "cookie", name: customDetail(event as CustomEvent) as string });
};

// The realm of the function may be an empty frame's, or one that is gone: whose cookie it is tells of it.
const written = (where: EventTarget, name: string): void => {
  if (dispatch(where, new NativeCustomEvent(type, bare({ detail: name, cancelable: true })))) {
    tell({ type: "cookie", name });
  }
};

const wrapMethod = (key: "set" | "delete"): void => {
  const descriptor = Object.getOwnPropertyDescriptor(CookieStore.prototype, key);
  if (typeof descriptor?.value !== "function") return;
  const call = (native: Method, self: unknown, args: unknown[]): unknown => {
    const result = apply(native, self, args);
    written(self as CookieStore, typeof args[0] === "string" ? args[0] : "");
    return result;
  };
  const wrapped = new Proxy(descriptor.value as Method, bare({ apply: call }));
  defineProperty(CookieStore.prototype, key, { ...descriptor, value: wrapped });
};
