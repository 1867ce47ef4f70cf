// A write: its arguments, its preview, and its commit, which nothing here runs.
import { canonical, NotCanonical } from "./canonical";
import type { WriteTool } from "./definitions";
import { argumentsOf, type Offer, words } from "./offer";
import { answered, listed, type Preview, type PreviewAnswer, shown } from "./preview";
import { messageOf } from "./proposals";
import type { Fault } from "./schema";

/** Arguments that were checked, as the one text that is shown, recorded and run; or what is wrong with them. */
export type Checked = { readonly text: string } | { readonly faults: readonly Fault[] };

/** A write that has been looked over. */
export interface Write {
  readonly name: string;
  readonly title: string;
  /** The tool `<name>.preview`. */
  readonly companion: Offer;
  /** All that the browser is told of the write but the function. */
  readonly offer: Omit<Offer, "execute">;
  check(input: unknown): Checked;
  price(text: string): Promise<Preview>;
  run(text: string): Promise<unknown>;
}

/** Looks a write over. @throws SchemaError when its schema cannot be checked. */
export const writeOf = <Args>(tool: WriteTool<Args>): Write => {
  const { name, title, description, exposedTo, untrustedContent, consequential } = tool;
  const { inputSchema, check: faultsOf } = argumentsOf(tool.inputSchema);
  for (const part of ["preview", "commit"] as const) {
    if (typeof tool[part] !== "function") throw new TypeError(`The write ${name} has no function "${part}".`);
  }

  const check = (input: unknown): Checked => {
    const faults = faultsOf(input);
    if (faults.length > 0) return { faults };
    try {
      return { text: canonical(input) };
    } catch (error) {
      if (!(error instanceof NotCanonical)) throw error;
      return { faults: [{ path: error.path, message: error.fault }] };
    }
  };
  // Each gets arguments of its own: what one function does to them, the other does not see.
  const price = async (text: string): Promise<PreviewAnswer> =>
    answered(await tool.preview(JSON.parse(text) as Args), new Date().toISOString());
  const run = async (text: string): Promise<unknown> => tool.commit(JSON.parse(text) as Args);

  const companion: Offer = {
    name: `${name}.preview`,
    title: title && `Preview: ${title}`,
    description: `Tells what ${name} would change and cost with the same arguments, and what to mind. Changes nothing.`,
    inputSchema,
    exposedTo,
    annotations: { readOnlyHint: true, ...(untrustedContent && { untrustedContentHint: true }) },
    execute: async (input) => {
      const checked = check(input);
      if ("faults" in checked) return JSON.stringify(wouldFail(checked.faults));
      try {
        return JSON.stringify(await price(checked.text));
      } catch (error) {
        // A preview that could not ask must not look like one that did.
        return JSON.stringify({ isError: true, content: [{ type: "text", text: messageOf(error) }] });
      }
    },
  };
  return {
    name,
    title: title ?? name,
    companion,
    offer: {
      name,
      title,
      description,
      inputSchema,
      exposedTo,
      annotations: {
        ...(consequential && { consequentialHint: true }),
        ...(untrustedContent && { untrustedContentHint: true }),
      },
    },
    check,
    price: async (text) => {
      try {
        return shown(await price(text));
      } catch (error) {
        return { state: "unavailable", why: messageOf(error) };
      }
    },
    run,
  };
};

const wouldFail = (faults: readonly Fault[]) => ({
  fails: `The arguments do not fit the input schema: ${listed(faults)}.`,
  before: null,
  after: null,
  risks: [],
  faults,
});

/** What an agent's arguments would have to be, as an error: the desk must not take the answer for a success. */
export const refusal = (answer: Parameters<typeof words>[0]): Error => new Error(words(answer));
