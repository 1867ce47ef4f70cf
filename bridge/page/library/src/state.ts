// The life of a proposal as a table: what can happen to it, and what it is then. Nothing here waits or does anything.
import type { Moved } from "./moved";

/** How a proposal stands. */
export type State =
  /** It waits. `moved` names what was not as shown when a release was pressed. */
  | { readonly status: "held"; readonly moved: readonly Moved[] }
  /** A release was pressed; the preview is being asked once more. */
  | { readonly status: "checking" }
  /** It was released; `commit` runs. */
  | { readonly status: "released" }
  | { readonly status: "committed"; readonly result: string }
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "refused"; readonly reason: string }
  | { readonly status: "expired" | "withdrawn" | "page-gone" | "unknown" };

/** What can happen to a proposal. */
export type Act =
  | { readonly type: "press" | "run" | "expire" | "withdraw" | "leave" }
  | { readonly type: "moved"; readonly moved: readonly Moved[] }
  | { readonly type: "ran"; readonly result: string }
  | { readonly type: "threw"; readonly message: string }
  | { readonly type: "refuse"; readonly reason: string };

export const HELD: State = { status: "held", moved: [] };

/**
 * The state after an act; `undefined` when the act cannot happen in this state. `run` happens in one state only, and no way leads back
 * to it: that is what keeps a commit from running twice.
 */
export const next = (state: State, act: Act): State | undefined => {
  switch (`${state.status} ${act.type}`) {
    case "held press":
      return { status: "checking" };
    case "checking run":
      return { status: "released" };
    case "held expire":
    case "checking expire":
      return { status: "expired" };
    case "held withdraw":
    case "checking withdraw":
      return { status: "withdrawn" };
    case "held leave":
    case "checking leave":
      return { status: "page-gone" };
    case "released leave":
      return { status: "unknown" };
  }
  if (state.status === "checking" && act.type === "moved") return { status: "held", moved: act.moved };
  if (state.status === "held" && act.type === "refuse") return { status: "refused", reason: act.reason };
  if (state.status === "released" && act.type === "ran") return { status: "committed", result: act.result };
  if (state.status === "released" && act.type === "threw") return { status: "failed", message: act.message };
  return undefined;
};

/** Whether it can still be decided. */
export const isOpen = ({ status }: State): boolean => status === "held" || status === "checking";

/** Whether it has come to its end. */
export const isOver = (state: State): boolean => !isOpen(state) && state.status !== "released";
