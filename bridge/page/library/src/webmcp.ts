// The part of WebMCP the library uses, native or polyfilled.

/** What a tool may say about itself. */
export interface Annotations {
  readOnlyHint?: boolean;
  consequentialHint?: boolean;
  untrustedContentHint?: boolean;
}

/** A tool as the browser takes it. */
export interface ToolInit {
  name: string;
  title?: string;
  description: string;
  inputSchema: object;
  annotations: Annotations;
  execute(input: unknown, options?: { signal?: AbortSignal }): Promise<unknown>;
}

/** `document.modelContext`. */
export interface ModelContext {
  registerTool(
    tool: ToolInit,
    options: { signal: AbortSignal; exposedTo?: readonly string[] },
  ): Promise<undefined> | undefined;
}

/** The page's model context; the second place is where it was in earlier browsers. */
export const findModelContext = (): ModelContext | undefined => {
  const { modelContext } = document as { modelContext?: ModelContext | null };
  return modelContext ?? (navigator as { modelContext?: ModelContext | null }).modelContext ?? undefined;
};
