// The part of WebMCP the interceptor touches, as Chromium 156 has it.

interface ToolAnnotationsInit {
  readOnlyHint?: unknown;
  consequentialHint?: unknown;
  untrustedContentHint?: unknown;
  debugging?: unknown;
}

interface ToolInit {
  name: unknown;
  title?: unknown;
  description: unknown;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: ToolAnnotationsInit | null;
  execute: unknown;
}

interface RegisterToolOptions {
  signal?: AbortSignal;
  exposedTo?: unknown;
}

interface ModelContext extends EventTarget {
  registerTool(tool: ToolInit, options?: RegisterToolOptions): Promise<undefined>;
}

declare var ModelContext: { prototype: ModelContext } | undefined;

interface Document {
  readonly modelContext?: ModelContext | null;
}

interface SubmitEvent {
  readonly agentInvoked?: boolean;
  respondWith?(answer: Promise<unknown>): void;
}
