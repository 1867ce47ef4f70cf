// The page may replace any built-in later; what is called after document_start is taken here, and called through `apply`.
// Messages go out as objects without a prototype, so that nothing of the page's is consulted on the way.

export const { apply, ownKeys } = Reflect;
export const { stringify, parse } = JSON;
export const { create, defineProperty } = Object;
export const NativePromise = Promise;
export const NativeString = String;
export const NativeTypeError = TypeError;
export const NativeFormData = FormData;

/** A method as a plain function: `uncurry(f)(self, …args)` calls it whatever the page has put in its place. */
export const uncurry =
  <Self, Args extends readonly unknown[], Result>(method: (this: Self, ...args: Args) => Result) =>
  (self: Self, ...args: Args): Result =>
    apply(method, self, args) as Result;

/** The getter of a property, as a plain function. */
export const getter = <Owner extends object, Key extends keyof Owner & string>(
  prototype: Owner,
  key: Key,
): ((self: Owner) => Owner[Key] | undefined) => {
  const get = Object.getOwnPropertyDescriptor(prototype, key)?.get;
  return get ? (self) => apply(get, self, []) as Owner[Key] : () => undefined;
};

type Settle = (promise: Promise<unknown>, ok: (value: unknown) => void, failed: (reason: unknown) => void) => unknown;
export const settle = uncurry(Promise.prototype.then) as unknown as Settle;

type Listen = (target: EventTarget, type: string, listener: (event: Event) => void, capture?: boolean) => void;
export const listen = uncurry(EventTarget.prototype.addEventListener) as Listen;

export const postMessage = uncurry(MessagePort.prototype.postMessage) as (port: MessagePort, message: unknown) => void;
export const messageData = getter(MessageEvent.prototype, "data");
export const isAborted = getter(AbortSignal.prototype, "aborted");
export const abortReason = getter(AbortSignal.prototype, "reason");

/** An object without a prototype, with these members. */
export const bare = <Members extends object>(members: Members): Members => {
  const object = create(null) as Members;
  for (const key of ownKeys(members) as (keyof Members)[]) object[key] = members[key];
  return object;
};
