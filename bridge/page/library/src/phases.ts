// Tools that exist only while the page is in their phase.
import type { Writer } from "./chain";
import type { Registration } from "./offer";

/** A page that goes through phases. */
export interface Phases<Name extends string> {
  /** The phase that was entered last. */
  readonly current: Name;
  /**
   * Enters a phase. The tools of the one before take no further call; when those that run have answered they go, and the tools of the
   * new phase come. A tool may enter another phase from its own function: it does not wait here, and its answer arrives.
   *
   * @throws RangeError when there is no such phase.
   */
  enter(name: Name): void;
  /** Resolves when the tools that exist are those of the phase entered last; rejects when the browser did not take one of them. */
  settled(): Promise<void>;
}

/** A tool that is ready to be registered. */
export type Ready = () => Registration;

export const createPhases = <Name extends string>(
  chain: Writer,
  tools: Readonly<Record<Name, readonly Ready[]>>,
): Phases<Name> => {
  const [first] = Object.keys(tools) as Name[];
  if (first === undefined) throw new RangeError("There must be at least one phase.");
  const there = new Map<Ready, Registration>();
  let current = first;

  const change = async (from: Name | null, to: Name): Promise<void> => {
    const wanted = new Set<Ready>(tools[to]);
    const leaving = [...there].filter(([tool]) => !wanted.has(tool));
    for (const [tool] of leaving) there.delete(tool);
    await Promise.all(leaving.map(([, registration]) => registration.withdraw()));
    await chain.append({ kind: "phase", data: { from, to } });
    await Promise.all([...wanted].filter((tool) => !there.has(tool)).map(come));
  };
  const come = async (tool: Ready): Promise<void> => {
    const registration = tool();
    there.set(tool, registration);
    try {
      await registration.offered;
    } catch (error) {
      there.delete(tool);
      throw error;
    }
  };
  let turn = change(null, first);

  return {
    get current() {
      return current;
    },
    enter: (name) => {
      if (!Object.hasOwn(tools, name)) throw new RangeError(`There is no phase ${name}.`);
      const from = current;
      current = name;
      // A browser that did not take a tool is no reason to stay.
      turn = turn.catch(() => undefined).then(() => change(from, name));
    },
    settled: () => turn,
  };
};
