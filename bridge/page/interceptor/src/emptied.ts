// document.open() takes every listener off the document and its window, and a write to a finished document opens it first.
import { apply, bare, defineProperty, getter, observe } from "./primordials";

const own = document;
const readyState = getter(Document.prototype, "readyState");

/** Runs `again` whenever the document has been emptied, before any script that is written into it. */
export const whenEmptied = (again: () => void): void => {
  const prototype = Document.prototype;
  const write = prototype.write;
  const wrap = (key: "open" | "write" | "writeln"): void => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
    if (!descriptor || typeof descriptor.value !== "function") return;
    const call = (native: () => unknown, self: Document, args: unknown[]): unknown => {
      if (self !== own) return apply(native, self, args);
      if (key !== "open" && readyState(own) !== "loading") {
        try {
          apply(write, own, [""]);
        } catch {
          // The document does not take text; the write itself will say so.
        }
        again();
      }
      try {
        return apply(native, self, args);
      } finally {
        again();
      }
    };
    defineProperty(prototype, key, { ...descriptor, value: new Proxy(descriptor.value, bare({ apply: call })) });
  };
  wrap("open");
  wrap("write");
  wrap("writeln");
  // Another window can open this document with functions of its own; its nodes then go, and that is seen here.
  observe(own, again);
};
