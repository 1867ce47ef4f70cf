import { afterAll, beforeAll, describe } from "vitest";
import { BROWSERS } from "./browsers";
import { serve, type Server } from "./server";
import type { Browser, Tab } from "./tab";

/** What the cases of one browser stand on. */
export interface Here {
  readonly tab: Tab;
  readonly server: Server;
  /** Whether the browser has WebMCP itself. */
  readonly native: boolean;
  /** What its pages load before the library. */
  readonly scripts: string[];
}

/** The same cases in each browser that is here. */
export const inEachBrowser = (cases: (here: Here) => void): void =>
  describe.each(BROWSERS)("$name", ({ scripts, open }) => {
    let browser: Browser;
    let tab: Tab;
    let server: Server;
    beforeAll(async () => {
      server = await serve();
      browser = await open();
      tab = await browser.tab();
    });
    afterAll(async () => {
      await browser.close();
      server.close();
    });
    cases({
      scripts,
      get tab() {
        return tab;
      },
      get server() {
        return server;
      },
      get native() {
        return browser.native;
      },
    });
  });
