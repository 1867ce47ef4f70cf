import type { DeskState, PanelState } from "../gen/contract";

/** What a window hears without asking. */
export interface Streams {
  /** The panel's whole state, after every change. */
  panel: PanelState;
  /** The desk, after every change; for the approval window. */
  desk: DeskState;
  /** There are new rows. */
  ledger: unknown;
  /** Somebody asked for this proposal's card. */
  select: string;
}

export type WindowName = "panel" | "approval" | "ledger";

/** What a window needs from whatever runs it. */
export interface Host {
  call(command: string, params?: object): Promise<unknown>;
  /** Returns the way to stop hearing. */
  subscribe<S extends keyof Streams>(stream: S, hear: (value: Streams[S]) => void): () => void;
}
