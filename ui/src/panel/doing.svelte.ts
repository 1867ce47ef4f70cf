import { asError } from "../host";

/** One command at a time, and what went wrong with the last one, to be said beside what was pressed. */
export class Doing {
  busy = $state(false);
  fault = $state<string>();

  /** False when it failed. */
  async run(command: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.fault = undefined;
    try {
      await command();
      return true;
    } catch (cause) {
      this.fault = asError(cause).message;
      return false;
    } finally {
      this.busy = false;
    }
  }
}
