import type { PageDecision } from "./gen/page";
import { bare, create } from "./primordials";
import { tell } from "./tell";

/** A call, or something to be sent, that waits for the app's word. */
export interface Waiting {
  run(call: number, argumentsText: string): void;
  answer(text: string): void;
}

const waiting = create(null) as { [call: number]: Waiting };
let calls = 0;

/** Puts something on hold and numbers it. Nothing but {@link decide} ends the wait, and only once. */
export const wait = (then: Waiting): number => {
  const call = ++calls;
  waiting[call] = bare(then);
  return call;
};

/** Drops what nobody wants any longer: a decision that comes later finds nothing to run. */
export const withdraw = (call: number): boolean => {
  if (waiting[call] === undefined) return false;
  delete waiting[call];
  tell({ type: "withdrawn", call });
  return true;
};

/** Carries out the app's word. */
export const decide = (call: number, decision: PageDecision): void => {
  const held = waiting[call];
  if (held === undefined) return;
  delete waiting[call];
  if (decision.do === "run") held.run(call, decision.arguments);
  else if (decision.do === "answer") held.answer(decision.text);
};

/** Reports how something that was let go has ended. */
export const ended = (call: number, ok: boolean, text: string): void => tell({ type: "ended", call, ok, text });
