// A tab on an example, and what the cases do in it.
import { type Chromium, type ChromiumTab } from "../../bridge/page/library/test/browser/chromium";
import type {} from "../../bridge/page/library/test/browser/globals";
import { DESK, HELPERS } from "./example-site";

export interface Held {
  proposal: string;
  status: string;
  changed: string;
  note: string;
}

/** A tab whose pages have the helpers before their own first script, and something that plays the desk when asked for. */
export const exampleTab = async (browser: Chromium, { desk = false, before = "" } = {}): Promise<ChromiumTab> => {
  const tab = await browser.tab();
  for (const source of [before, HELPERS, ...(desk ? [DESK] : [])].filter(Boolean)) {
    await tab.send("Page.addScriptToEvaluateOnNewDocument", { source });
  }
  // Wide and high enough that every button can be pressed without scrolling.
  await tab.send("Emulation.setDeviceMetricsOverride", {
    width: 1200,
    height: 4000,
    deviceScaleFactor: 1,
    mobile: false,
  });
  return tab;
};

/** Opens an example and waits until its tools are there. */
export const openExample = async (tab: ChromiumTab, url: string, tool: string): Promise<void> => {
  await tab.go(url);
  await tab.run((name) => until(async () => name in (await listed())), tool);
};

/** Calls a tool that answers JSON. */
export const ask = (tab: ChromiumTab, name: string, args: object = {}): Promise<Record<string, unknown>> =>
  tab.run((tool, given) => asked(tool, given), name, args);

/** Calls a write and waits until its card has been priced. */
export const proposeTo = async (tab: ChromiumTab, name: string, args: object): Promise<Held> => {
  const held = (await ask(tab, name, args)) as unknown as Held;
  await tab.run((id) => until(() => document.querySelector(`#card-${id} :is(.summary, .warning)`)), held.proposal);
  return held;
};

/** Presses a button of a card with the browser's own mouse; what is critical is ticked first. */
export const press = async (tab: ChromiumTab, id: string, act: "release" | "refuse"): Promise<void> => {
  if (act === "release") await tick(tab, id);
  await tab.press(`#card-${id} [data-act=${act}]`);
};

export const tick = async (tab: ChromiumTab, id: string): Promise<void> => {
  const there = await tab.run((card) => document.querySelector(`#card-${card} [data-act=acknowledge]`) !== null, id);
  if (there) await tab.press(`#card-${id} [data-act=acknowledge]`);
};

/** Waits until a proposal has this status, and answers what an agent hears of it. */
export const standing = (tab: ChromiumTab, id: string, status: string): Promise<Record<string, unknown>> =>
  tab.run(
    async (proposal, wanted) => {
      await until(async () => (await asked("check_proposal", { proposal }))["status"] === wanted);
      return asked("check_proposal", { proposal });
    },
    id,
    status,
  );

/** The text of an element as it is seen, with plain spaces. */
export const seenText = (tab: ChromiumTab, selector: string): Promise<string> =>
  tab.run(
    (where) => ((document.querySelector(where) as HTMLElement | null)?.innerText ?? "").replaceAll("\u202f", " "),
    selector,
  );
