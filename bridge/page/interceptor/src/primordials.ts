// The page may replace any built-in later; what is called after document_start is taken here, and called through `apply`.
// Messages go out as objects without a prototype, so that nothing of the page's is consulted on the way.

export const { apply, construct, deleteProperty, ownKeys } = Reflect;
export const { stringify, parse } = JSON;
export const { create, defineProperty, hasOwn } = Object;
export const NativePromise = Promise;
export const NativeString = String;
export const NativeTypeError = TypeError;
export const NativeFormData = FormData;
export const NativeWeakRef = WeakRef;
export const NativeCustomEvent = CustomEvent;

/** A method as a plain function: `uncurry(f)(self, …args)` calls it whatever the page has put in its place. */
export const uncurry =
  <Self, Args extends readonly unknown[], Result>(method: (this: Self, ...args: Args) => Result) =>
  (self: Self, ...args: Args): Result =>
    apply(method, self, args) as Result;

export const indexOf = uncurry(String.prototype.indexOf) as (text: string, part: string) => number;
export const slice = uncurry(String.prototype.slice) as (text: string, from: number, to: number) => string;

/** The getter of a property, as a plain function. */
export const getter = <Owner extends object, Key extends keyof Owner & string>(
  prototype: Owner,
  key: Key,
): ((self: Owner) => Owner[Key] | undefined) => {
  const get = Object.getOwnPropertyDescriptor(prototype, key)?.get;
  return get ? (self) => apply(get, self, []) as Owner[Key] : () => undefined;
};

type Then = (promise: Promise<unknown>, ok: (value: unknown) => void, failed: (reason: unknown) => void) => unknown;
const then = uncurry(Promise.prototype.then) as unknown as Then;

/** Hears how a native promise of ours ends. `then` asks the promise for its constructor, which would be the page's to give. */
export const settle = (
  promise: Promise<unknown>,
  ok: (value: unknown) => void,
  failed: (reason: unknown) => void,
): void => {
  defineProperty(promise, "constructor", bare({ value: undefined, configurable: true }));
  try {
    then(promise, ok, failed);
  } finally {
    deleteProperty(promise, "constructor");
  }
};

type Listen = (target: EventTarget, type: string, listener: (event: Event) => void, capture?: boolean) => void;
export const listen = uncurry(EventTarget.prototype.addEventListener) as Listen;
/** `false` when a listener has prevented the default. */
export const dispatch = uncurry(EventTarget.prototype.dispatchEvent) as (target: EventTarget, event: Event) => boolean;
export const customDetail = getter(CustomEvent.prototype, "detail") as (event: CustomEvent) => unknown;
export const preventDefault = uncurry(Event.prototype.preventDefault);

/** Runs `seen` after children of the document itself have come or gone. */
export const observe = (target: Node, seen: () => void): void =>
  new MutationObserver(() => seen()).observe(target, { childList: true });

export const postMessage = uncurry(MessagePort.prototype.postMessage) as (port: MessagePort, message: unknown) => void;
export const messageData = getter(MessageEvent.prototype, "data");
export const isAborted = getter(AbortSignal.prototype, "aborted");
export const abortReason = getter(AbortSignal.prototype, "reason");

export const NativeUint8Array = Uint8Array;
export const NativeURL = URL;
export const NativeDOMException = DOMException;
export const { isView } = ArrayBuffer;
export const wellFormed = uncurry(String.prototype.toWellFormed) as (text: string) => string;
export const byteLength = getter(ArrayBuffer.prototype, "byteLength");

const weak = WeakMap.prototype;
type Kept<Value> = WeakMap<object, Value>;
export const kept = uncurry(weak.get) as <Value>(map: Kept<Value>, key: object) => Value | undefined;
export const keep = uncurry(weak.set) as <Value>(map: Kept<Value>, key: object, value: Value) => unknown;
export const forget = uncurry(weak.delete) as <Value>(map: Kept<Value>, key: object) => boolean;

/** An object without a prototype, with these members. */
export const bare = <Members extends object>(members: Members): Members => {
  const object = create(null) as Members;
  const keys = ownKeys(members) as (keyof Members)[];
  // By index: the page may have put its own iterator on arrays.
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as keyof Members;
    object[key] = members[key];
  }
  return object;
};

const NativeAbortSignal = AbortSignal;
const any = AbortSignal.any;
const followers = create(null) as { [number: number]: AbortSignal };
let followed = 0;

/** Runs `heard` when the signal is aborted. It follows by a signal of its own, which no listener of the page can silence. */
export const onceAborted = (signal: AbortSignal, heard: () => void): void => {
  let given = false;
  const next = () => {
    const done = given;
    given = true;
    return bare({ done, value: done ? undefined : signal });
  };
  const one = bare({ [Symbol.iterator]: () => bare({ next }) });
  const follower = apply(any, NativeAbortSignal, [one]) as AbortSignal;
  const number = ++followed;
  followers[number] = follower;
  listen(follower, "abort", () => {
    delete followers[number];
    heard();
  });
};
