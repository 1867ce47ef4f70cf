import type { Fingerprint } from "./gen/contract";
import { apply, bare, create, getter, listen } from "./primordials";

/** An act this long after an event, in milliseconds, is no longer put down to it. */
const WITHIN = 1000;

interface Seen {
  type: string;
  label: string;
  at: number;
  trusted: boolean;
  detail: number | undefined;
  client: [number, number] | undefined;
  screen: [number, number] | undefined;
}

// A ring in an object without a prototype: the page's Array.prototype has no say in it.
const seen = create(null) as { [slot: number]: Seen };
const SLOTS = 16;
let count = 0;

const view = window;
const timer = performance;
const now = timer.now;
const clock = (): number => apply(now, timer, []) as number;
const activation = navigator.userActivation;
const isActive = getter(UserActivation.prototype, "isActive");

const record = (event: Event): void => {
  const pointer = event as Partial<PointerEvent>;
  const kind = typeof pointer.pointerType === "string" && pointer.pointerType !== "" ? ":" + pointer.pointerType : "";
  const places = typeof pointer.clientX === "number";
  seen[count++ % SLOTS] = bare({
    type: event.type,
    label: event.type + (event.type === "click" ? "" : kind),
    at: clock(),
    trusted: event.isTrusted,
    detail: typeof pointer.detail === "number" ? pointer.detail : undefined,
    client: places ? rounded(pointer.clientX, pointer.clientY) : undefined,
    screen: places ? rounded(pointer.screenX, pointer.screenY) : undefined,
  });
};

const rounded = (x = 0, y = 0): [number, number] => [(x + 0.5) | 0, (y + 0.5) | 0];

const isAct = (type: string): boolean => type === "click" || type === "keydown" || type === "submit";

const TYPES = ["pointerdown", "mousedown", "pointerup", "mouseup", "keydown", "keyup", "click", "submit"];

/** Watches the document's input events. */
export const watch = (): void => {
  for (let i = 0; i < TYPES.length; i++) listen(view, TYPES[i] as string, record, true);
};

/** What led to an act that happens now, as far as the document saw it. */
export const fingerprint = (): Fingerprint => {
  const print: Fingerprint = bare({});
  const active = isActive(activation);
  if (active !== undefined) print.userActivation = active;
  const since = clock() - WITHIN;
  const oldest = count > SLOTS ? count - SLOTS : 0;
  let act = count - 1;
  while (act >= oldest && !(isAct(at(act).type) && at(act).at >= since)) act--;
  if (act < oldest) return print;
  const event = at(act);
  print.event = event.type;
  print.isTrusted = event.trusted;
  if (event.detail !== undefined) print.detail = event.detail;
  if (event.client) print.client = event.client;
  if (event.screen) print.screen = event.screen;
  let prelude = "";
  for (let i = oldest; i < act; i++) {
    if (at(i).at < since) continue;
    prelude += (prelude === "" ? "" : "+") + at(i).label;
  }
  print.prelude = prelude === "" ? "none" : prelude;
  return print;
};

const at = (index: number): Seen => seen[index % SLOTS] as Seen;
