import { fingerprint } from "./fingerprint";
import type { PageDecision } from "./gen/page";
import { tell } from "./port";
import { bare, create } from "./primordials";

/** A call that waits for the app's word. */
interface Waiting {
  run(call: number, argumentsText: string): void;
  answer(text: string): void;
}

const waiting = create(null) as { [call: number]: Waiting };
let calls = 0;

/** Holds a call and asks the app about it. Nothing but {@link decide} ends the wait, and only once. */
export const ask = (
  what: { registration: number; name: string; arguments: string; ticket?: string },
  then: Waiting,
): number => {
  const call = ++calls;
  waiting[call] = bare(then);
  tell({ type: "ask", call, fingerprint: fingerprint(), ...what });
  return call;
};

/** Drops a call whose caller no longer wants it: a decision that comes later finds nothing to run. */
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

/** Reports how a call that was let go has ended. */
export const ended = (call: number, ok: boolean, text: string): void => tell({ type: "ended", call, ok, text });
