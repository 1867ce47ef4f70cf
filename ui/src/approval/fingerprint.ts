import type { Fingerprint } from "../gen/contract";

const modifiers = new Set(["Control", "Shift", "Alt", "Meta"]);

/** Remembers the input events of the press that is under way. */
export class Prelude {
  #events: Event[] = [];

  /** Listens on a window, before anything in it; returns the way to stop. */
  watch(target: Window): () => void {
    const hear = (event: Event) => this.note(event);
    const types = ["pointerdown", "mousedown", "keydown"] as const;
    for (const type of types) target.addEventListener(type, hear, { capture: true, passive: true });
    return () => {
      for (const type of types) target.removeEventListener(type, hear, { capture: true });
    };
  }

  note(event: Event): void {
    if (event instanceof KeyboardEvent && event.repeat && modifiers.has(event.key)) return;
    if (!this.#goesOn(event)) this.#events = [];
    this.#events.push(event);
  }

  /** A mousedown belongs to the pointerdown before it, and a key to the modifiers that are down. */
  #goesOn(event: Event): boolean {
    const last = this.#events.at(-1);
    if (event.type === "mousedown") return last?.type === "pointerdown";
    return event.type === "keydown" && last instanceof KeyboardEvent && modifiers.has(last.key);
  }

  /** What came before `act`, in the words of the contract; starts anew. */
  take(act: Event): string {
    const words = this.#events.filter((event) => event !== act).map(described);
    this.#events = [];
    return words.join("+") || "none";
  }
}

function described(event: Event): string {
  const kind = "pointerType" in event && event.pointerType ? `:${String(event.pointerType)}` : "";
  const repeat = event instanceof KeyboardEvent && event.repeat ? ":repeat" : "";
  return `${event.type}${kind}${repeat}${event.isTrusted ? "" : ":untrusted"}`;
}

/** Reads what can be seen of the event behind a decision. Only `isTrusted` is a measurement. */
export function fingerprint(event: Event, prelude: string, paintedAt: number | undefined): Fingerprint {
  const seen: Fingerprint = {
    isTrusted: event.isTrusted,
    event: event.type,
    prelude,
    userActivation: navigator.userActivation?.isActive,
    automated: navigator.webdriver,
  };
  if (event instanceof UIEvent) seen.detail = event.detail;
  if (event instanceof MouseEvent) {
    seen.client = [Math.round(event.clientX), Math.round(event.clientY)];
    seen.screen = [Math.round(event.screenX), Math.round(event.screenY)];
  }
  if (paintedAt !== undefined) seen.dwellMs = Math.max(0, Math.round(performance.now() - paintedAt));
  return seen;
}
