// Sees scripts write cookies. The browser tells of every other storage by itself; of cookies it does not say who wrote them.
import { tell } from "./tell";
import { apply, bare, defineProperty, indexOf, slice } from "./primordials";

type Method = (...args: unknown[]) => unknown;

/** Tells the app the name of every cookie that a script of this document writes; never its value. */
export const watchCookies = (): void => {
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
  if (cookie?.set) {
    const set = (native: Method, self: unknown, args: unknown[]): unknown => {
      // Once, as the browser would: what is told and what is written are then the same.
      const text = `${args[0] as string}`;
      const result = apply(native, self, [text]);
      const end = indexOf(text, "=");
      tell({ type: "cookie", name: end < 0 ? "" : slice(text, 0, end) });
      return result;
    };
    const wrapped = new Proxy(cookie.set as Method, bare({ apply: set }));
    defineProperty(Document.prototype, "cookie", { ...cookie, set: wrapped as (value: unknown) => void });
  }
  if (typeof CookieStore === "undefined") return;
  wrapMethod("set");
  wrapMethod("delete");
};

const wrapMethod = (key: "set" | "delete"): void => {
  const descriptor = Object.getOwnPropertyDescriptor(CookieStore.prototype, key);
  if (typeof descriptor?.value !== "function") return;
  const call = (native: Method, self: unknown, args: unknown[]): unknown => {
    const result = apply(native, self, args);
    tell({ type: "cookie", name: typeof args[0] === "string" ? args[0] : "" });
    return result;
  };
  const wrapped = new Proxy(descriptor.value as Method, bare({ apply: call }));
  defineProperty(CookieStore.prototype, key, { ...descriptor, value: wrapped });
};
