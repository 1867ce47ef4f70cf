import type { ReadTool } from "./definitions";
import { argumentsOf, type Offer, words } from "./offer";
import { messageOf } from "./proposals";
import { badArguments, readFailed } from "./words";

/** A read as it is registered: its arguments are checked, and what it throws is told in words. */
export const readOffer = <Args>(tool: ReadTool<Args>): Offer => {
  const { name, title, description, exposedTo, untrustedContent } = tool;
  const { inputSchema, check } = argumentsOf(tool.inputSchema);
  return {
    name,
    title,
    description,
    inputSchema,
    exposedTo,
    annotations: { readOnlyHint: true, ...(untrustedContent && { untrustedContentHint: true }) },
    execute: async (input, signal) => {
      const faults = check(input);
      if (faults.length > 0) return words(badArguments(name, faults));
      try {
        return await tool.execute(input as Args, { signal });
      } catch (error) {
        // A thrown error would reach the caller without its message.
        return words(readFailed(name, messageOf(error)));
      }
    },
  };
};
