// Wraps registerTool: what the browser gets is a copy of the page's tool whose function waits for the app's word.
import { ask, ended, withdraw } from "./calls";
import type { RunConstants } from "./constants";
import { tell } from "./tell";
import {
  abortReason,
  apply,
  bare,
  create,
  defineProperty,
  deleteProperty,
  hasOwn,
  isAborted,
  NativePromise,
  NativeString,
  NativeTypeError,
  onceAborted,
  parse,
  settle,
  stringify,
} from "./primordials";

declare const __COUNTERSIGN__: RunConstants;

/** The member by which the app's own calls are marked; taken off before anything else sees the input. */
const MARK = "__countersign";

type Execute = (input: unknown, options?: { signal?: AbortSignal }) => unknown;

interface Registration {
  number: number;
  name: string;
  execute: Execute;
}

let registrations = 0;

/** Puts the wrapper in the place of `ModelContext.prototype.registerTool`. */
export const wrapTools = (): void => {
  const prototype = typeof ModelContext === "undefined" ? undefined : ModelContext.prototype;
  const descriptor = prototype && Object.getOwnPropertyDescriptor(prototype, "registerTool");
  if (!prototype || !descriptor || typeof descriptor.value !== "function") return;
  const wrapped = new Proxy(descriptor.value as ModelContext["registerTool"], bare({ apply: register }));
  defineProperty(prototype, "registerTool", { ...descriptor, value: wrapped });
};

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

const register = (native: ModelContext["registerTool"], self: ModelContext, args: unknown[]): unknown => {
  const tool = args[0];
  const options = args[1];
  // What is not a tool is the browser's to refuse, in its own words.
  if (!isObject(tool)) return apply(native, self, args);
  let copied: ToolInit;
  let signals: RegisterToolOptions | undefined;
  try {
    copied = copyTool(tool as ToolInit);
    signals = isObject(options) ? copyOptions(options as RegisterToolOptions) : (options as undefined);
    // After every member has been read, as the browser does.
    if (isObject(copied.inputSchema)) copied.inputSchema = plain(copied.inputSchema);
    if (isObject(copied.outputSchema)) copied.outputSchema = plain(copied.outputSchema);
  } catch (reason) {
    // The browser gives a promise for what a member throws, too.
    return new NativePromise((_, reject) => reject(reason));
  }
  if (typeof copied.execute !== "function") return apply(native, self, [copied, signals]);
  if (isSymbol(copied.description) || isSymbol(copied.name) || isSymbol(copied.title)) {
    // No text can be made of it; the browser says so in its own words.
    copied.execute = () => undefined;
    return apply(native, self, [copied, signals]);
  }

  const annotations = copied.annotations;
  const readOnly = annotations?.readOnlyHint === true;
  const consequential = !!annotations?.consequentialHint;
  const signal = signals?.signal;

  const registration: Registration = bare({
    number: ++registrations,
    name: copied.name as string,
    execute: copied.execute as Execute,
  });
  const reads = readOnly && !consequential;
  copied.execute = function (this: unknown, ...input: unknown[]) {
    const mark = takeMark(input[0]);
    // A read of anybody but the app waits until the app knows that it runs.
    return reads && mark === __COUNTERSIGN__.read
      ? apply(registration.execute, this, input)
      : hold(registration, this, input, mark);
  };

  let live = copied.name !== undefined && copied.description !== undefined;
  const end = () => {
    if (live) tell({ type: "unregistered", registration: registration.number });
    live = false;
  };
  // Told before the browser is asked: nothing of the page's stands between the two. What it does not take is taken back.
  if (live) {
    tell({
      type: "registered",
      registration: registration.number,
      name: registration.name,
      title: copied.title === undefined ? "" : (copied.title as string),
      description: copied.description as string,
      inputSchema: isObject(copied.inputSchema) ? stringify(copied.inputSchema) : "",
      readOnly,
      consequential,
      untrustedContent: !!annotations?.untrustedContentHint,
    });
  }
  try {
    const result = apply(native, self, [copied, signals]) as Promise<undefined>;
    if (isSignal(signal)) onceAborted(signal, end);
    settle(result, () => {}, end);
    return result;
  } catch (reason) {
    end();
    throw reason;
  }
};

/** Takes the app's mark off an input: `""` for one that is no text, `undefined` where there is none. */
const takeMark = (input: unknown): string | undefined => {
  if (!isObject(input) || !hasOwn(input, MARK)) return undefined;
  const mark = (input as { [MARK]: unknown })[MARK];
  deleteProperty(input, MARK);
  return typeof mark === "string" ? mark : "";
};

const isSignal = (value: unknown): value is AbortSignal => {
  try {
    return isObject(value) && isAborted(value as AbortSignal) !== undefined;
  } catch {
    return false;
  }
};

/** Reads every member once: what is shown, what is hashed and what the browser gets are then the same. */
const copyTool = (tool: ToolInit): ToolInit => {
  const copy = create(null) as ToolInit;
  const annotations = tool.annotations;
  if (isObject(annotations)) {
    copy.annotations = bare({
      consequentialHint: annotations.consequentialHint,
      debugging: annotations.debugging,
      readOnlyHint: annotations.readOnlyHint,
      untrustedContentHint: annotations.untrustedContentHint,
    });
  } else if (annotations !== undefined) {
    copy.annotations = annotations;
  }
  const description = tool.description;
  if (description !== undefined) copy.description = text(description);
  copy.execute = tool.execute;
  const inputSchema = tool.inputSchema;
  if (inputSchema !== undefined) copy.inputSchema = inputSchema;
  const name = tool.name;
  if (name !== undefined) copy.name = text(name);
  const outputSchema = tool.outputSchema;
  if (outputSchema !== undefined) copy.outputSchema = outputSchema;
  const title = tool.title;
  if (title !== undefined) copy.title = text(title);
  return copy;
};

const copyOptions = (options: RegisterToolOptions): RegisterToolOptions => {
  const copy = create(null) as RegisterToolOptions;
  const exposedTo = options.exposedTo;
  if (exposedTo !== undefined) copy.exposedTo = exposedTo;
  const signal = options.signal;
  if (signal !== undefined) copy.signal = signal;
  return copy;
};

const isSymbol = (value: unknown): value is symbol => typeof value === "symbol";

const text = (value: unknown): string | symbol => (isSymbol(value) ? value : NativeString(value));

const plain = (value: object): unknown => {
  const json = stringify(value) as string | undefined;
  return json === undefined ? value : parse(json);
};

const hold = (
  registration: Registration,
  self: unknown,
  input: unknown[],
  ticket: string | undefined,
): Promise<unknown> =>
  new NativePromise((resolve, reject) => {
    const shown = stringify(input[0]) as string | undefined;
    if (shown === undefined) throw new NativeTypeError("the input is not a JSON object");
    const options = input[1] as { signal?: AbortSignal } | undefined;
    const signal = options?.signal;

    const call = ask(
      {
        registration: registration.number,
        name: registration.name,
        arguments: shown,
        ...(ticket === undefined ? {} : { ticket }),
      },
      {
        run: (call, argumentsText) => {
          settle(
            new NativePromise((done) => done(apply(registration.execute, self, [parse(argumentsText), options]))),
            (value) => {
              report(call, value);
              resolve(value);
            },
            (reason) => {
              ended(call, false, describe(reason));
              reject(reason);
            },
          );
        },
        answer: resolve,
      },
    );
    if (!isSignal(signal)) return;
    const drop = () => {
      if (withdraw(call)) reject(abortReason(signal));
    };
    if (isAborted(signal)) drop();
    else onceAborted(signal, drop);
  });

const report = (call: number, value: unknown): void => {
  try {
    ended(call, true, typeof value === "string" ? value : NativeString(stringify(value)));
  } catch (reason) {
    // The browser cannot hand such a value to the caller either.
    ended(call, false, describe(reason));
  }
};

const describe = (reason: unknown): string => {
  try {
    return typeof reason === "symbol" ? "a symbol was thrown" : NativeString(reason);
  } catch {
    return "the page threw something that cannot be shown";
  }
};
