/** A tab of a real browser. */
export interface Tab {
  go(url: string): Promise<void>;
  /** Runs a function in the page; it sees nothing from around it. Rejects with what it throws. */
  run<Args extends unknown[], Result>(
    body: (...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Awaited<Result>>;
  /** Presses the mouse on the element's middle, as the browser's own input. */
  press(selector: string): Promise<void>;
}

/** A browser that runs. */
export interface Browser {
  /** Whether it has WebMCP itself; otherwise its pages load a polyfill. */
  readonly native: boolean;
  tab(): Promise<Tab>;
  close(): Promise<void>;
}

/** The function as an expression that calls it with these arguments and answers JSON text. */
export const calling = (body: (...args: never[]) => unknown, args: unknown[]): string =>
  `Promise.resolve((${body.toString()})(...${JSON.stringify(args)}))`;

/** The middle of an element, as an expression. */
export const middleOf = (selector: string): string =>
  `(() => { const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) }; })()`;
