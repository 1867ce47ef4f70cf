import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { python } from "./python.ts";
import { BRIDGE, type Rig } from "./rig.ts";

export interface Listed {
  name: string;
  description?: string | undefined;
  annotations?: { readOnlyHint?: boolean | undefined; destructiveHint?: boolean | undefined } | undefined;
  inputSchema: unknown;
}

export interface Result {
  text: string;
  /** The texts after the first. */
  more: string[];
  isError: boolean;
  data: Record<string, unknown>;
}

export interface CallOptions {
  timeout?: number;
  signal?: AbortSignal;
  onProgress?: () => void;
}

/** One of the official clients, over stdio. */
export interface AnyClient {
  list(): Promise<Listed[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Result>;
  /** Resolves with the next change of the list after this call. */
  listChanged(): Promise<void>;
  close(): Promise<void>;
}

export type Kind = (rig: Rig, name: string) => Promise<AnyClient>;

interface RawResult {
  content?: unknown;
  isError?: boolean | undefined;
  structuredContent?: unknown;
}

/** What any of the clients got, in one form. */
export function read(got: object): Result {
  const raw: RawResult = got;
  const blocks = (raw.content ?? []) as { type: string; text?: string }[];
  const [text = "", ...more] = blocks.map((block) => block.text ?? "");
  return {
    text,
    more,
    isError: raw.isError === true,
    data: (raw.structuredContent ?? {}) as Record<string, unknown>,
  };
}

class Changes {
  private waiting: (() => void)[] = [];
  readonly came = () => {
    for (const wake of this.waiting.splice(0)) wake();
  };
  readonly next = () => new Promise<void>((resolve) => this.waiting.push(resolve));
}

/** TypeScript SDK 1.x: `initialize`, 2025-11-25. */
const typescript1: Kind = async (rig, name) => {
  const client = new ClientV1({ name, version: "1.0" });
  const changes = new Changes();
  client.setNotificationHandler(ToolListChangedNotificationSchema, changes.came);
  await client.connect(new StdioV1({ command: BRIDGE, args: ["mcp"], env: rig.environment }));
  return {
    list: async () => (await client.listTools()).tools,
    call: async (tool, args = {}, { timeout, signal, onProgress } = {}) =>
      read(
        await client.callTool({ name: tool, arguments: args }, undefined, {
          ...(timeout !== undefined && { timeout }),
          ...(signal && { signal }),
          ...(onProgress && { onprogress: onProgress, resetTimeoutOnProgress: true }),
        }),
      ),
    listChanged: changes.next,
    close: () => client.close(),
  };
};

/** TypeScript SDK 2.x, pinned to 2026-07-28: no `initialize`, no session. */
const typescript2: Kind = async (rig, name) => {
  const changes = new Changes();
  const client = new ClientV2(
    { name, version: "1.0" },
    {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      listChanged: { tools: { autoRefresh: false, onChanged: changes.came } },
    },
  );
  await client.connect(new StdioV2({ command: BRIDGE, args: ["mcp"], env: rig.environment }));
  return {
    list: async () => (await client.listTools({}, { cacheMode: "refresh" })).tools,
    call: async (tool, args = {}, { timeout, signal, onProgress } = {}) =>
      read(
        await client.callTool(
          { name: tool, arguments: args },
          {
            ...(timeout !== undefined && { timeout }),
            ...(signal && { signal }),
            ...(onProgress && { onprogress: onProgress, resetTimeoutOnProgress: true }),
          },
        ),
      ),
    listChanged: changes.next,
    close: () => client.close(),
  };
};

export const KINDS: Record<string, Kind> = { typescript1, typescript2, python };
