// Declarative tools never go through registerTool: their submit is held instead. A form whose call the app has released is
// armed first, and its next submit by an agent goes through.
import { ask, ended, withdraw } from "./calls";
import type { ToPage } from "./gen/page";
import { tell } from "./port";
import {
  apply,
  bare,
  create,
  defineProperty,
  getter,
  listen,
  NativeFormData,
  NativePromise,
  stringify,
  uncurry,
} from "./primordials";

const preventDefault = uncurry(Event.prototype.preventDefault);
const stopImmediatePropagation = uncurry(Event.prototype.stopImmediatePropagation);
const eventTarget = getter(Event.prototype, "target");
const submitter = getter(SubmitEvent.prototype, "submitter");
const agentInvoked = getter(SubmitEvent.prototype, "agentInvoked");
const respond = SubmitEvent.prototype.respondWith;
const getAttribute = uncurry(Element.prototype.getAttribute);
const matches = uncurry(Element.prototype.matches) as (element: Element, selector: string) => boolean;
const requestSubmit = uncurry(HTMLFormElement.prototype.requestSubmit);
const querySelectorAll = uncurry(Document.prototype.querySelectorAll) as (
  within: Document,
  selector: string,
) => NodeList;
const nodeAt = uncurry(NodeList.prototype.item);
const nodeCount = getter(NodeList.prototype, "length");
const eachEntry = uncurry(FormData.prototype.forEach);
const top = document;

/** A form's submit that waits, by its call. */
interface Hold {
  form: HTMLFormElement;
  call: number;
  /** Ends the browser's own wait without a submit. */
  drop(): void;
}

let holds: Hold[] = [];
let armed: { name: string; ticket: string } | undefined;
let letGo: HTMLFormElement | undefined;

/** Starts to hold the submits of forms that agents fill. */
export const holdForms = (): void => {
  if (!respond) return;
  listen(window, "submit", onSubmit, true);
  for (const target of [window, top.modelContext ?? undefined]) {
    if (!target) continue;
    listen(target, "toolactivated", onActivated);
    listen(target, "toolcancel", onCancelled);
  }
  wrapSubmit();
};

/** Lets the next submit of the named form through, until {@link disarm}. */
export const arm = (message: Extract<ToPage, { type: "arm" }>): void => {
  armed = bare({ name: message.name, ticket: message.ticket });
  tell({ type: "armed", ticket: message.ticket });
};

/** Ends what {@link arm} began. */
export const disarm = (ticket: string): void => {
  if (armed?.ticket === ticket) armed = undefined;
};

const toolName = (form: Element): string => getAttribute(form, "toolname") ?? "";

const isReleased = (form: HTMLFormElement): boolean => {
  if (letGo === form) return true;
  if (!armed || armed.name !== toolName(form)) return false;
  armed = undefined;
  return true;
};

const onSubmit = (event: Event): void => {
  const submit = event as SubmitEvent;
  if (!event.isTrusted || agentInvoked(submit) !== true) return;
  const form = eventTarget(event) as HTMLFormElement;
  if (isReleased(form)) return;
  preventDefault(event);
  stopImmediatePropagation(event);
  const button = submitter(submit) ?? null;
  apply(respond as NonNullable<typeof respond>, submit, [
    new NativePromise((resolve, reject) => {
      holdForm(
        form,
        button,
        () => {
          letGo = form;
          try {
            requestSubmit(form, button);
          } finally {
            letGo = undefined;
          }
        },
        resolve,
        reject,
      );
    }),
  ]);
};

const holdForm = (
  form: HTMLFormElement,
  button: HTMLElement | null,
  submit: () => void,
  answer: (text: string) => void,
  refuse: (reason: string) => void,
): void => {
  const asked = fields(form, button);
  const call = ask(
    { registration: 0, name: toolName(form), arguments: asked },
    {
      run: (call) => {
        forget(call);
        if (fields(form, button) !== asked) {
          ended(call, false, "The page changed the form while it was held. Nothing was submitted.");
          refuse("The form was changed while it was held. Nothing was submitted.");
          return;
        }
        submit();
        ended(call, true, "The form was submitted.");
      },
      answer: (text) => {
        forget(call);
        answer(text);
      },
    },
  );
  holds[holds.length] = bare({ form, call, drop: () => refuse("The call was cancelled.") });
};

const forget = (call: number): void => {
  const kept: Hold[] = [];
  for (let i = 0; i < holds.length; i++) {
    const hold = holds[i] as Hold;
    if (hold.call !== call) kept[kept.length] = hold;
  }
  holds = kept;
};

/** What the form would send, as JSON text; files by name only. */
const fields = (form: HTMLFormElement, button: HTMLElement | null): string => {
  const sent = create(null) as { [name: string]: string | string[] };
  eachEntry(new NativeFormData(form, button), (value, name) => {
    const text = typeof value === "string" ? value : `file ${value.name}`;
    const before = sent[name];
    if (before === undefined) sent[name] = text;
    else if (typeof before === "string") sent[name] = [before, text];
    else before[before.length] = text;
  });
  return stringify(sent);
};

// A form without toolautosubmit waits for somebody to submit it. The release was that somebody's word.
const onActivated = (event: Event): void => {
  const name = (event as Event & { toolName?: unknown }).toolName;
  if (!event.isTrusted || !armed || name !== armed.name) return;
  const forms = querySelectorAll(top, "form[toolname]");
  for (let i = 0; i < (nodeCount(forms) ?? 0); i++) {
    const form = nodeAt(forms, i) as HTMLFormElement;
    if (toolName(form) === name && isActive(form)) {
      requestSubmit(form);
      return;
    }
  }
};

const onCancelled = (event: Event): void => {
  const name = (event as Event & { toolName?: unknown }).toolName;
  if (!event.isTrusted) return;
  if (armed && armed.name === name) armed = undefined;
  for (let i = 0; i < holds.length; i++) {
    const hold = holds[i] as Hold;
    if (toolName(hold.form) !== name) continue;
    if (withdraw(hold.call)) hold.drop();
    forget(hold.call);
    return;
  }
};

const isActive = (form: Element): boolean => {
  try {
    return matches(form, ":tool-form-active");
  } catch {
    return false;
  }
};

// form.submit() sends a form without any submit event.
const wrapSubmit = (): void => {
  const prototype = HTMLFormElement.prototype;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, "submit");
  if (!descriptor || typeof descriptor.value !== "function") return;
  const wrapped = new Proxy(
    descriptor.value as () => void,
    bare({
      apply: (native: () => void, form: HTMLFormElement, args: unknown[]): unknown => {
        if (!isActive(form) || isReleased(form)) return apply(native, form, args);
        const go = () => apply(native, form, []);
        holdForm(
          form,
          null,
          go,
          () => {},
          () => {},
        );
        return undefined;
      },
    }),
  );
  defineProperty(prototype, "submit", { ...descriptor, value: wrapped });
};
