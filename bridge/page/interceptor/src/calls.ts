import { fingerprint } from "./fingerprint";
import { tell } from "./tell";
import { wait, type Waiting } from "./waiting";

export { ended, withdraw } from "./waiting";

/** Holds a call and asks the app about it. */
export const ask = (
  what: { registration: number; name: string; arguments: string; ticket?: string },
  then: Waiting,
): number => {
  const call = wait(then);
  tell({ type: "ask", call, fingerprint: fingerprint(), ...what });
  return call;
};
