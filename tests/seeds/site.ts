// An example site in Chromium with WebMCP of its own, as the library's own cases have it.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { type Chromium, type ChromiumTab, openChromium } from "../../bridge/page/library/test/browser/chromium";

const PAGE = join(import.meta.dirname, "../../bridge/page");
const BROWSER = join(PAGE, "library/test/browser");
const MEDIA: Record<string, string> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** An example behind a server of its own, which answers on every name of this computer. */
export interface Site {
  readonly tab: ChromiumTab;
  /** The page of another origin in a frame of the site. */
  frame(origin: string): ReturnType<Chromium["frame"]>;
  /** `localhost` is another origin than `127.0.0.1`. */
  url(path?: string, host?: "127.0.0.1" | "localhost"): string;
  /** What was asked of the server, as `GET /main.js`. */
  readonly requests: string[];
  /** Opens the site with nothing kept from before. `scripts` run before those of the page. */
  open(path?: string, scripts?: string[]): Promise<void>;
  /** Presses the mouse on what the selector finds, as soon as it can be pressed. */
  press(selector: string): Promise<void>;
  close(): Promise<void>;
}

/** What plays the desk, as any script of a page can. */
export const DESK = readFileSync(join(BROWSER, "desk.js"), "utf8");
/** Modules of the site are loaded by a function of the page: what a test names `import` is not what the page has. */
const HELPERS = `${readFileSync(join(BROWSER, "helpers.js"), "utf8")}\nconst load = (path) => import(path);`;

export const openSite = async (example: string): Promise<Site> => {
  const { requests, port, stop } = await serve(example);
  const browser: Chromium = await openChromium({ webmcp: true });
  const tab = await browser.tab();
  const before: unknown[] = [];
  const atStart = async (source: string) => {
    const { identifier } = await tab.send("Page.addScriptToEvaluateOnNewDocument", { source });
    before.push(identifier);
  };
  const url: Site["url"] = (path = "/", host = "127.0.0.1") => `http://${host}:${port}${path}`;
  return {
    tab,
    frame: (origin) => browser.frame(origin),
    url,
    requests,
    open: async (path, scripts = []) => {
      for (const identifier of before.splice(0)) {
        await tab.send("Page.removeScriptToEvaluateOnNewDocument", { identifier });
      }
      for (const source of [HELPERS, ...scripts]) await atStart(source);
      await tab.send("Storage.clearDataForOrigin", { origin: new URL(url()).origin, storageTypes: "all" });
      await tab.go(url(path));
    },
    press: async (selector) => {
      await tab.run(async (selector) => {
        await until(() => document.querySelector(`${selector}:enabled`));
        document.querySelector(selector)?.scrollIntoView({ block: "center" });
      }, selector);
      await tab.press(selector);
    },
    close: async () => {
      await browser.close();
      stop();
    },
  };
};

const serve = async (example: string) => {
  const requests: string[] = [];
  const server = createServer(({ url = "/", method }, response) => {
    const { pathname } = new URL(url, "http://127.0.0.1");
    requests.push(`${method} ${pathname}`);
    const file = fileOf(example, pathname === "/" ? "/index.html" : pathname);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.setHeader("content-type", `${MEDIA[extname(file)]}; charset=utf-8`).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as { port: number };
  return { requests, port, stop: () => server.close() };
};

const fileOf = (example: string, pathname: string): string => {
  if (pathname === "/countersign.js") return join(PAGE, "library/dist/countersign.js");
  if (pathname.startsWith("/shared/")) return join(PAGE, "examples", pathname);
  return join(PAGE, "examples", example, pathname);
};
