// What a page gives to `send` and `close`, as one copy that no script can change any more.
import {
  apply,
  byteLength,
  getter,
  isView,
  NativeString,
  NativeTypeError,
  NativeUint8Array,
  wellFormed,
} from "./primordials";

/** Longer texts are not shown; their length is. */
const SHOWN = 1 << 18;

const blobSize = getter(Blob.prototype, "size");

/** A message as it will be sent. */
export interface Message {
  readonly what: "SEND";
  readonly data: string | ArrayBuffer | Blob;
}

/** A close as it will be sent. */
export interface Close {
  readonly what: "CLOSE";
  readonly code: number | undefined;
  readonly reason: string | undefined;
}

/** Reads the argument of `send`, which is no symbol, the one time that the browser would. */
export const message = (value: unknown): Message => {
  if (typeof value === "string") return { what: "SEND", data: wellFormed(value) };
  if (typeof value === "object" && value !== null) {
    const copied = copy(value);
    if (copied !== undefined) return { what: "SEND", data: copied };
  }
  return { what: "SEND", data: wellFormed(NativeString(value)) };
};

const copy = (value: object): ArrayBuffer | Blob | undefined => {
  if (isView(value)) {
    const view = value as ArrayBufferView;
    return bytes(new NativeUint8Array(bufferOf(view), offsetOf(view), lengthOf(view)));
  }
  if (isBuffer(value)) return bytes(new NativeUint8Array(value));
  try {
    return blobSize(value as Blob) === undefined ? undefined : (value as Blob);
  } catch {
    return undefined;
  }
};

// Made by the constructor: `slice` would ask the page's own for the copy's kind.
const bytes = (view: Uint8Array): ArrayBuffer => bufferGetter(new NativeUint8Array(view)) as ArrayBuffer;

const isBuffer = (value: object): value is ArrayBuffer => {
  try {
    return byteLength(value as ArrayBuffer) !== undefined;
  } catch {
    return false;
  }
};

// A view is a typed array or a DataView, and each has getters of its own.
type Views = ArrayBufferView & { constructor: unknown };
const typed = Object.getPrototypeOf(Uint8Array.prototype) as Views;
const ofTyped = (key: "buffer" | "byteOffset" | "byteLength") => Object.getOwnPropertyDescriptor(typed, key)?.get;
const ofData = (key: "buffer" | "byteOffset" | "byteLength") =>
  Object.getOwnPropertyDescriptor(DataView.prototype, key)?.get;
const either = (key: "buffer" | "byteOffset" | "byteLength") => {
  const [one, other] = [ofTyped(key), ofData(key)];
  return (view: ArrayBufferView): unknown => {
    try {
      return apply(other as () => unknown, view, []);
    } catch {
      return apply(one as () => unknown, view, []);
    }
  };
};
const bufferGetter = either("buffer");
const offsetGetter = either("byteOffset");
const lengthGetter = either("byteLength");
const offsetOf = (view: ArrayBufferView): number => offsetGetter(view) as number;
const lengthOf = (view: ArrayBufferView): number => lengthGetter(view) as number;
const bufferOf = (view: ArrayBufferView): ArrayBuffer => {
  const buffer = bufferGetter(view) as object;
  if (isBuffer(buffer)) return buffer;
  throw new NativeTypeError(
    "Failed to execute 'send' on 'WebSocket': The provided ArrayBufferView value must not be shared.",
  );
};

/** The arguments of `close`, each read once. */
export const close = (args: readonly unknown[]): Close => ({
  what: "CLOSE",
  code: args[0] === undefined ? undefined : +(args[0] as number),
  reason: args[1] === undefined ? undefined : wellFormed(NativeString(args[1])),
});

/** Whether a close tells the server nothing but that the socket is closed. */
export const isPlain = ({ code, reason }: Close): boolean =>
  (code === undefined || code === 1000) && (reason === undefined || reason === "");

/** Whether the browser takes such a close. What it certainly does not take it answers with an error of its own. */
export const isAllowed = ({ code, reason }: Close): boolean => {
  if (utf8(reason ?? "") > 123) return false;
  return code === undefined || code % 1 !== 0 || code === 1000 || (code >= 3000 && code <= 4999);
};

/** Its length in bytes. */
export const size = (frame: Message | Close): number => {
  if (frame.what === "CLOSE") return 2 + utf8(frame.reason ?? "");
  const { data } = frame;
  if (typeof data === "string") return utf8(data);
  return isBuffer(data) ? (byteLength(data) ?? 0) : (blobSize(data as Blob) ?? 0);
};

/** Its text, if it is one that can be shown. */
export const shown = (frame: Message | Close): string | undefined => {
  if (frame.what === "CLOSE") return `${frame.code ?? ""} ${frame.reason ?? ""}`;
  return typeof frame.data === "string" && frame.data.length <= SHOWN ? frame.data : undefined;
};

const utf8 = (text: string): number => {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text[i] as string;
    // Half of a pair counts two: a pair is four bytes, and there are no lone halves in what is sent.
    bytes += unit < "\x80" ? 1 : unit < "\u0800" || (unit >= "\ud800" && unit <= "\udfff") ? 2 : 3;
  }
  return bytes;
};
