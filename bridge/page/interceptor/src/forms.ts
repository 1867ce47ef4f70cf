// Declarative tools never go through registerTool: their submit is held instead. A form that the app is about to call is armed
// first: its next submit by an agent carries the app's ticket.
import { ask, ended, withdraw } from "./calls";
import type { RunConstants } from "./constants";
import type { ToPage } from "./gen/page";
import {
  apply,
  bare,
  create,
  defineProperty,
  getter,
  listen,
  NativeFormData,
  NativePromise,
  NativeWeakRef,
  preventDefault,
  stringify,
  uncurry,
} from "./primordials";
import { keepRoomForSubmits, needRoom } from "./room";
import { tell } from "./tell";

declare const __COUNTERSIGN__: RunConstants;

const stopImmediatePropagation = uncurry(Event.prototype.stopImmediatePropagation);
const defaultPrevented = getter(Event.prototype, "defaultPrevented");
const eventTarget = getter(Event.prototype, "target");
const submitter = getter(SubmitEvent.prototype, "submitter");
const agentInvoked = getter(SubmitEvent.prototype, "agentInvoked");
const respond = SubmitEvent.prototype.respondWith;
const getAttribute = uncurry(Element.prototype.getAttribute);
const matches = uncurry(Element.prototype.matches) as (element: Element, selector: string) => boolean;
const requestSubmit = uncurry(HTMLFormElement.prototype.requestSubmit);
const baseURI = getter(Node.prototype, "baseURI");
const isConnected = getter(Node.prototype, "isConnected");
const getRootNode = uncurry(Node.prototype.getRootNode) as (node: Node) => Node;
const shadowHost = getter(ShadowRoot.prototype, "host");
type Within = Document | DocumentFragment | Element;
const query = (prototype: Within) =>
  uncurry(prototype.querySelectorAll) as (within: Within, selector: string) => NodeList;
const queryDocument = query(Document.prototype);
const queryFragment = query(DocumentFragment.prototype);
const queryElement = query(Element.prototype);
const nodeAt = uncurry(NodeList.prototype.item);
const nodeCount = getter(NodeList.prototype, "length");
const deref = uncurry(WeakRef.prototype.deref) as (ref: WeakRef<ShadowRoot>) => ShadowRoot | undefined;
const fileName = getter(File.prototype, "name");
const eachEntry = uncurry(FormData.prototype.forEach);
const view = window;
const top = document;
const modelContext = top.modelContext;

/** A form's submit that waits, by its call. */
interface Hold {
  /** As the form was named when it was called. */
  name: string;
  call: number;
  /** Ends the browser's own wait without a submit. */
  drop(): void;
}

/** What became of a submit: sent by the browser, taken by a handler of the page, or stopped before either. */
type Submitted = "sent" | "taken" | "stopped";

/** A submit that is to be held. */
interface Wanted {
  form: HTMLFormElement;
  button: HTMLElement | null;
  submit(): Submitted;
  answer(text: string): void;
  refuse(reason: string): void;
}

interface Armed {
  name: string;
  ticket: string;
  form: HTMLFormElement | undefined;
  /** Where the form led when it was armed. */
  destination: string;
}

const holds = create(null) as { [call: number]: Hold };
const SWEEP = 64;
const STOPPED = "The form did not pass its own checks, or its call has ended. Nothing was submitted.";
const ACTIVE = ":tool-form-active";
const knowsActive = CSS.supports(`selector(${ACTIVE})`);
let roots: WeakRef<ShadowRoot>[] = [];
let sweepAt = SWEEP;
let armed: Armed | undefined;
let letGo: HTMLFormElement | undefined;
let outcome: Event | "sent" | undefined;

/** Starts to hold the submits of forms that agents fill. */
export const holdForms = (): void => {
  if (!respond) return;
  listenForForms();
  wrapSubmit();
  keepRoomForSubmits();
  wrapAttachShadow();
  listen(view, __COUNTERSIGN__.entry, onFormShown, true);
};

/** Hears the submits of the document. Doing it again changes nothing. */
export const listenForForms = (): void => {
  if (!respond) return;
  listen(view, "submit", onSubmit, true);
  hearCalls(view);
  if (modelContext) hearCalls(modelContext);
};

const hearCalls = (target: EventTarget): void => {
  listen(target, "toolactivated", onActivated);
  listen(target, "toolcancel", onCancelled);
};

/** Gives the next submit of the named form the ticket, until {@link disarm}. */
export const arm = (message: Extract<ToPage, { type: "arm" }>): void => {
  const { name, ticket } = message;
  const form = formNamed(name, () => true);
  armed = bare({ name, ticket, form, destination: form ? destination(form, null) : "" });
  tell({ type: "armed", ticket });
};

/** Ends what {@link arm} began. */
export const disarm = (ticket: string): void => {
  if (armed?.ticket === ticket) armed = undefined;
};

const toolName = (form: Element): string => getAttribute(form, "toolname") ?? "";

const formNamed = (name: string, pick: (form: HTMLFormElement) => boolean): HTMLFormElement | undefined => {
  const search = (forms: NodeList): HTMLFormElement | undefined => {
    for (let i = 0; i < (nodeCount(forms) ?? 0); i++) {
      const form = nodeAt(forms, i) as HTMLFormElement;
      if (toolName(form) === name && pick(form)) return form;
    }
    return undefined;
  };
  let found = search(queryDocument(top, "form[toolname]"));
  for (let i = 0; i < roots.length && !found; i++) {
    const root = deref(roots[i] as WeakRef<ShadowRoot>);
    if (root) found = search(queryFragment(root, "form[toolname]"));
  }
  return found;
};

/** Where the form would be sent and how: its own members, and those by which its buttons replace them. */
const destination = (form: HTMLFormElement, button: HTMLElement | null): string => {
  let text = baseURI(form) ?? "";
  const add = (element: Element, prefix: string): void => {
    text += "\n" + (getAttribute(element, prefix + "action") ?? "");
    text += "\n" + (getAttribute(element, prefix + "method") ?? "");
    text += "\n" + (getAttribute(element, prefix + "enctype") ?? "");
    text += "\n" + (getAttribute(element, prefix + "target") ?? "");
  };
  add(form, "");
  const buttons = queryElement(form, "[formaction],[formmethod],[formenctype],[formtarget]");
  for (let i = 0; i < (nodeCount(buttons) ?? 0); i++) add(nodeAt(buttons, i) as Element, "form");
  if (button) add(button, "form");
  return text;
};

const onSubmit = (event: Event): void => {
  const submit = event as SubmitEvent;
  if (!event.isTrusted) return;
  const form = eventTarget(event) as HTMLFormElement;
  const called = agentInvoked(submit) === true;
  if (letGo === form && called) {
    outcome = event;
    return;
  }
  if (!called && letGo !== form) return;
  preventDefault(event);
  stopImmediatePropagation(event);
  // The call it was let go for has ended: it would be sent as the page's own.
  if (!called) return;
  const button = submitter(submit) ?? null;
  apply(respond as NonNullable<typeof respond>, submit, [
    new NativePromise((answer, refuse) => {
      holdForm({ form, button, submit: () => submitAgain(form, button), answer, refuse });
    }),
  ]);
};

const submitAgain = (form: HTMLFormElement, button: HTMLElement | null): Submitted => {
  letGo = form;
  outcome = undefined;
  try {
    requestSubmit(form, button);
  } catch {
    // A button that is no longer the form's; nothing has begun.
  } finally {
    letGo = undefined;
  }
  const seen = outcome as Event | "sent" | undefined;
  if (seen === undefined || seen === "sent") return seen ?? "stopped";
  return defaultPrevented(seen) ? "taken" : "sent";
};

const holdForm = (wanted: Wanted): void => {
  const { form, button } = wanted;
  const name = toolName(form);
  const asked = fields(form, button);
  const there = destination(form, button);
  const used = armed?.name === name ? armed : undefined;
  if (used) armed = undefined;
  // What was armed is what was shown: another form by that name, or one that leads elsewhere, is not it.
  const same = !used || (used.form === form && used.destination === destination(form, null));
  const call = ask(
    { registration: 0, name, arguments: asked, ...(used ? { ticket: used.ticket } : {}) },
    {
      run: (call) => {
        delete holds[call];
        if (!same || !isConnected(form) || fields(form, button) !== asked || destination(form, button) !== there) {
          ended(call, false, "The page changed the form after it was shown. Nothing was submitted.");
          wanted.refuse("The form was changed after it was shown. Nothing was submitted.");
          return;
        }
        const submitted = wanted.submit();
        if (submitted === "sent") ended(call, true, "The form was submitted.");
        if (submitted === "stopped") {
          ended(call, false, STOPPED);
          wanted.refuse(STOPPED);
        }
      },
      answer: (text) => {
        delete holds[call];
        wanted.answer(text);
      },
    },
  );
  holds[call] = bare({ name, call, drop: () => wanted.refuse("The call was cancelled.") });
};

/** An array whose JSON is its own members, whatever the page has given to all arrays. */
const list = (values: string[]): string[] => defineProperty(values, "toJSON", bare({ value: undefined }));

// An index that is not there yet is looked for in what the page has given to all arrays.
const put = <Value>(values: Value[], index: number, value: Value): unknown =>
  defineProperty(values, index, bare({ value, writable: true, enumerable: true, configurable: true }));

/** What the form would send, as JSON text; files by name only. */
const fields = (form: HTMLFormElement, button: HTMLElement | null): string => {
  const sent = create(null) as { [name: string]: string | string[] };
  eachEntry(new NativeFormData(form, button), (value, name) => {
    const text = typeof value === "string" ? value : `file ${fileName(value)}`;
    const before = sent[name];
    if (before === undefined) sent[name] = text;
    else if (typeof before === "string") sent[name] = list([before, text]);
    else put(before, before.length, text);
  });
  return stringify(sent);
};

// A form without toolautosubmit waits for somebody to submit it. The release was that somebody's word.
const onActivated = (event: Event): void => {
  const name = (event as Event & { toolName?: unknown }).toolName;
  if (!event.isTrusted || !armed || name !== armed.name) return;
  const form = formNamed(armed.name, isActive);
  if (form) requestSubmit(form);
};

const onCancelled = (event: Event): void => {
  const name = (event as Event & { toolName?: unknown }).toolName;
  if (!event.isTrusted) return;
  for (const call in holds) {
    const hold = holds[call] as Hold;
    if (hold.name !== name) continue;
    if (withdraw(hold.call)) hold.drop();
    delete holds[hold.call];
    return;
  }
};

const isShadowRoot = (node: Node): node is ShadowRoot => {
  try {
    return shadowHost(node as ShadowRoot) !== undefined;
  } catch {
    return false;
  }
};

// Without a `catch`, in which a page that has left no stack would pass for one whose form nobody calls.
const isActive = (form: Element): boolean => knowsActive && matches(form, ACTIVE);

// form.submit() sends a form without any submit event.
const wrapSubmit = (): void => {
  const prototype = HTMLFormElement.prototype;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, "submit");
  if (!descriptor || typeof descriptor.value !== "function") return;
  const wrapped = new Proxy(
    descriptor.value as () => void,
    bare({
      apply: (native: () => void, form: HTMLFormElement, args: unknown[]): unknown => {
        if (letGo === form) outcome = "sent";
        else if (isActive(form)) {
          needRoom();
          const submit = (): Submitted => {
            if (!isActive(form)) return "stopped";
            apply(native, form, []);
            return "sent";
          };
          const nobody = () => {};
          holdForm({ form, button: null, submit, answer: nobody, refuse: nobody });
          return undefined;
        }
        return apply(native, form, args);
      },
    }),
  );
  defineProperty(prototype, "submit", { ...descriptor, value: wrapped });
};

// A submit inside a shadow tree is not heard outside of it.
const wrapAttachShadow = (): void => {
  const prototype = Element.prototype;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, "attachShadow");
  if (!descriptor || typeof descriptor.value !== "function") return;
  const wrapped = new Proxy(
    descriptor.value as Element["attachShadow"],
    bare({
      apply: (native: Element["attachShadow"], host: Element, args: unknown[]): ShadowRoot => {
        const root = apply(native, host, args) as ShadowRoot;
        hearTree(root);
        return root;
      },
    }),
  );
  defineProperty(prototype, "attachShadow", { ...descriptor, value: wrapped });
};

const hearTree = (root: ShadowRoot): void => {
  listen(root, "submit", onSubmit, true);
  for (let i = 0; i < roots.length; i++) if (deref(roots[i] as WeakRef<ShadowRoot>) === root) return;
  remember(root);
};

// The parser, setHTMLUnsafe and the copying of a host make shadow trees as well, and nobody else can reach a closed one. The app
// knows every form that is a tool, and shows each to us in an event that no page can make.
const onFormShown = (event: Event): void => {
  const form = submitter(event as SubmitEvent);
  const root = form && getRootNode(form);
  if (root && isShadowRoot(root)) hearTree(root);
};

// Held weakly: the trees are the page's.
const remember = (root: ShadowRoot): void => {
  const kept: WeakRef<ShadowRoot>[] = [];
  if (roots.length >= sweepAt) {
    for (let i = 0; i < roots.length; i++) {
      const ref = roots[i] as WeakRef<ShadowRoot>;
      if (deref(ref)) put(kept, kept.length, ref);
    }
    roots = kept;
    sweepAt = kept.length * 2 + SWEEP;
  }
  put(roots, roots.length, new NativeWeakRef(root));
};
