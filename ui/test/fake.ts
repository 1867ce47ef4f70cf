import { tick } from "svelte";
import type { DeskState, PanelState } from "../src/gen/contract";
import { useHost, type Host, type Streams } from "../src/host";

/** A host that answers what it is told, records every command and can say anything on a stream. */
export class FakeHost implements Host {
  readonly calls: { command: string; params: unknown }[] = [];
  readonly answers: Record<string, (params: never) => unknown> = {};
  #hearers = new Map<keyof Streams, Set<(value: never) => void>>();

  call(command: string, params?: object): Promise<unknown> {
    this.calls.push({ command, params });
    try {
      return Promise.resolve(this.answers[command]?.(params as never));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  subscribe<S extends keyof Streams>(stream: S, hear: (value: Streams[S]) => void): () => void {
    const all = this.#hearers.get(stream) ?? new Set();
    this.#hearers.set(stream, all.add(hear as (value: never) => void));
    return () => all.delete(hear as (value: never) => void);
  }

  async say<S extends keyof Streams>(stream: S, value: Streams[S]): Promise<void> {
    for (const hear of this.#hearers.get(stream) ?? []) hear(value as never);
    await tick();
  }

  /** What a command was called with, each time. */
  sent(command: string): unknown[] {
    return this.calls.filter((call) => call.command === command).map((call) => call.params);
  }
}

export function approvalHost(desk: DeskState): FakeHost {
  const host = new FakeHost();
  host.answers["approval_state"] = () => desk;
  useHost(host);
  return host;
}

export function panelHost(state: PanelState): FakeHost {
  const host = new FakeHost();
  host.answers["panel_state"] = () => state;
  useHost(host);
  return host;
}

/** Two frames and what hangs on them. */
export async function painted(): Promise<void> {
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  await tick();
}
