import { untrack } from "svelte";
import { asError } from ".";
import type { ErrorView } from "../gen/contract";

/** The newest state of a window and, when the first one could not be had, why. */
export class Live<T> {
  value = $state.raw<T>();
  error = $state.raw<ErrorView>();

  /** Takes a newer state. */
  take(value: T): void {
    this.value = value;
    this.error = undefined;
  }

  /** Asks for the state once more; whatever was heard in the meantime wins. */
  async load(ask: () => Promise<T>): Promise<void> {
    const before = untrack(() => this.value);
    try {
      const value = await ask();
      if (this.value === before) this.take(value);
    } catch (cause) {
      if (this.value === undefined) this.error = asError(cause);
    }
  }
}
