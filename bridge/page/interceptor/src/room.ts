// A page can call where the stack is nearly used up. The browser then goes on without the listeners that no longer fit, so what
// they hold would pass. The calls by which a page reaches them take that much stack themselves first, and throw where there is none.
import { apply, bare, defineProperty, getter } from "./primordials";

const LEVELS = 600;
const eventType = getter(Event.prototype, "type");

// Through a proxy, which no compiler takes out.
const level = new Proxy(
  (_left: number): void => {},
  bare<ProxyHandler<(left: number) => void>>({
    apply: (_target, _self, args: number[]): void => {
      const left = args[0] as number;
      if (left > 0) level(left - 1);
    },
  }),
);

/** Throws, as any call would, when there is not enough stack left for what is heard of the page. */
export const needRoom = (): void => level(LEVELS);

type Method = (...args: unknown[]) => unknown;

const wrap = (prototype: object, key: string, needs: (args: unknown[]) => boolean): void => {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
  if (typeof descriptor?.value !== "function") return;
  const call = (native: Method, self: unknown, args: unknown[]): unknown => {
    if (needs(args)) needRoom();
    return apply(native, self, args);
  };
  const wrapped = new Proxy(descriptor.value as Method, bare({ apply: call }));
  defineProperty(prototype, key, { ...descriptor, value: wrapped });
};

const isClick = (args: unknown[]): boolean => {
  try {
    return eventType(args[0] as Event) === "click";
  } catch {
    return true;
  }
};

/** Wraps every function by which a script has a form submitted before it returns. */
export const keepRoomForSubmits = (): void => {
  wrap(HTMLFormElement.prototype, "requestSubmit", () => true);
  wrap(HTMLElement.prototype, "click", () => true);
  wrap(EventTarget.prototype, "dispatchEvent", isClick);
};
