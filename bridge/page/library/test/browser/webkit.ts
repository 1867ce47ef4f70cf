// WebKitGTK's own small browser, over WebDriver. It needs a display.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { type Browser, calling, type Tab } from "./tab";

const PLACES = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map((arch) => `/usr/lib/${arch}/webkit2gtk-4.1/MiniBrowser`);

/** The browser's program, where it is installed and there is a display to show it on. */
export const miniBrowser = (): string | undefined =>
  process.env["DISPLAY"] ? PLACES.find((place) => existsSync(place)) : undefined;

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

export const openWebKit = async (program: string): Promise<Browser> => {
  const port = await freePort();
  const driver = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], { stdio: "ignore" });
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: { error?: string; message?: string } | null };
    if (!answer.ok) throw new Error(`${value?.error}: ${value?.message}`);
    return value;
  };
  await listening(() => send("GET", "/status"));
  const options = { binary: program, args: ["--automation"] };
  const { sessionId } = (await send("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
  })) as { sessionId: string };
  const session = `/session/${sessionId}`;
  const tab: Tab = {
    go: async (url) => void (await send("POST", `${session}/url`, { url })),
    run: async (body, ...args) => {
      const script = `const done = arguments[arguments.length - 1];
        ${calling(body, args)}.then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const answer = (await send("POST", `${session}/execute/async`, { script, args: [] })) as {
        value?: unknown;
        error?: string;
      };
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.value as never;
    },
    press: async (selector) => {
      const element = (await send("POST", `${session}/element`, { using: "css selector", value: selector })) as object;
      await send("POST", `${session}/element/${Object.values(element)[0]}/click`, {});
    },
  };
  return {
    native: false,
    tab: async () => tab,
    close: async () => {
      await send("DELETE", session);
      driver.kill();
    },
  };
};

const listening = async (ask: () => Promise<unknown>): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    try {
      await ask();
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((go) => setTimeout(go, 50));
    }
  }
};
