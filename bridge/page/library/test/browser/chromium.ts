// Chromium over its debugging pipe.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { type Browser, calling, middleOf, type Tab } from "./tab";

/** A tab, and the debugging protocol under it. */
export interface ChromiumTab extends Tab {
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Calls back with events of this tab. */
  on(method: string, heard: (params: Record<string, unknown>) => void): void;
}

export interface Chromium extends Browser {
  tab(): Promise<ChromiumTab>;
  /** The frame of another site whose address begins so, in whichever tab it is; it takes no input. */
  frame(address: string): Promise<Pick<ChromiumTab, "run">>;
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

export const openChromium = async ({ webmcp }: { webmcp: boolean }): Promise<Chromium> => {
  const profile = mkdtempSync(join(tmpdir(), "countersign-page-"));
  const child = spawn(
    process.env["COUNTERSIGN_BROWSER"] ?? "chromium",
    [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...(webmcp ? ["--enable-features=WebMCP"] : []),
      "--remote-debugging-pipe",
      `--user-data-dir=${profile}`,
    ],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  const protocol = speak(child);
  return {
    native: webmcp,
    tab: async () => {
      const { targetId } = await protocol.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await protocol.send("Target.attachToTarget", { targetId, flatten: true });
      return tabOf(protocol, sessionId as string);
    },
    frame: async (address) => {
      const { targetInfos } = await protocol.send("Target.getTargets");
      const frames = (targetInfos as { type: string; url: string; targetId: string }[]).filter(
        ({ type, url }) => type === "iframe" && url.startsWith(address),
      );
      if (frames[0] === undefined) throw new Error(`There is no frame ${address}.`);
      const { sessionId } = await protocol.send("Target.attachToTarget", {
        targetId: frames[0].targetId,
        flatten: true,
      });
      return tabOf(protocol, sessionId as string);
    },
    close: async () => {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      await protocol.send("Browser.close");
      await gone;
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
};

type Protocol = ReturnType<typeof speak>;

const speak = (child: ChildProcess) => {
  const [, , , out, into] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const listeners: ((message: Message) => void)[] = [];
  let count = 0;
  let rest = "";
  into.setEncoding("utf8").on("data", (text: string) => {
    const messages = (rest + text).split("\0");
    rest = messages.pop() ?? "";
    for (const message of messages.map((one) => JSON.parse(one) as Message)) {
      if (message.id === undefined) listeners.forEach((heard) => heard(message));
      else waiting.get(message.id)?.(message);
    }
  });
  return {
    listeners,
    send: (method: string, params: object = {}, sessionId?: string) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const id = ++count;
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id);
          if (result) resolve(result);
          else reject(new Error(`${method}: ${error?.message}`));
        });
        out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      }),
  };
};

const tabOf = async (protocol: Protocol, sessionId: string): Promise<ChromiumTab> => {
  const send = (method: string, params?: object) => protocol.send(method, params, sessionId);
  const on: ChromiumTab["on"] = (method, heard) => {
    protocol.listeners.push((message) => {
      if (message.sessionId === sessionId && message.method === method) heard(message.params ?? {});
    });
  };
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = (await send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value?: unknown }; exceptionDetails?: { text: string; exception?: { description?: string } } };
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  await send("Page.enable");
  return {
    send,
    on,
    go: async (url) => {
      const loaded = new Promise((resolve) => on("Page.loadEventFired", resolve));
      await send("Page.navigate", { url });
      await loaded;
    },
    run: async (body, ...args) => (await evaluate(calling(body, args))) as never,
    press: async (selector) => {
      const { x, y } = (await evaluate(middleOf(selector))) as { x: number; y: number };
      for (const type of ["mousePressed", "mouseReleased"]) {
        await send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
      }
    },
  };
};
