// One tool at the browser: registered, running, withdrawn.
import { frozen } from "./chain";
import { SchemaError, compile, type Check, type Schema } from "./schema";
import { findModelContext, type Annotations } from "./webmcp";
import { gone, type Answer } from "./words";

/** A tool the library has checked and can register. */
export interface Offer {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly annotations: Annotations;
  readonly exposedTo?: readonly string[] | undefined;
  /** What it answers: a text goes out as it is, everything else as JSON. */
  execute(input: unknown, signal: AbortSignal | undefined): Promise<unknown>;
}

/** A tool that is with the browser. */
export interface Registration {
  /** `false` where there is no WebMCP; rejects when the browser does not take the tool. */
  readonly offered: Promise<boolean>;
  /** Takes no further calls, lets the running ones answer, then takes the tool away. A tool must not wait for its own. */
  withdraw(): Promise<void>;
}

/** Gives a tool to the browser. */
export const register = (offer: Offer): Registration => {
  const controller = new AbortController();
  const waiting: (() => void)[] = [];
  let running = 0;
  let closed = false;

  const execute = async (input: unknown, options?: { signal?: AbortSignal }): Promise<unknown> => {
    if (closed) return words(gone(offer.name));
    running += 1;
    try {
      return await offer.execute(input ?? {}, options?.signal);
    } finally {
      running -= 1;
      if (running === 0) waiting.splice(0).forEach((go) => go());
    }
  };
  const offered = (async () => {
    const { name, title, description, inputSchema, annotations, exposedTo } = offer;
    const tool = { name, ...(title && { title }), description, inputSchema, annotations, execute };
    const context = findModelContext();
    if (!context) return false;
    try {
      await context.registerTool(tool, { signal: controller.signal, ...(exposedTo && { exposedTo }) });
      return true;
    } catch (error) {
      // Taken away before it was there.
      if (controller.signal.aborted) return false;
      throw error;
    }
  })();
  const idle = () => new Promise<void>((go) => (running === 0 ? go() : waiting.push(go)));
  return {
    offered,
    withdraw: async () => {
      closed = true;
      await idle();
      // Some browsers drop an answer whose tool goes in the same turn.
      await new Promise((go) => setTimeout(go));
      controller.abort();
    },
  };
};

/** An answer of the library as the text every caller gets, whichever browser stands between. */
export const words = (answer: Answer): string => JSON.stringify(answer);

/** A schema as the browser gets it, which nobody can change any more, and its check. */
export const argumentsOf = (inputSchema: Schema = NOTHING): { inputSchema: Schema; check: Check } => {
  const copy = frozen(JSON.parse(JSON.stringify(inputSchema)) as Schema);
  if (copy["type"] !== "object") throw new SchemaError("/type", 'must be "object": a tool takes named arguments.');
  return { inputSchema: copy, check: compile(copy) };
};

const NOTHING: Schema = { type: "object", properties: {}, additionalProperties: false };
