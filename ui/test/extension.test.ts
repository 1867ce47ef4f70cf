import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { ExtensionHost, WriteExtensionHostParams } from "../src/gen/contract";
import { extensionFolder, hosts, noHosts } from "../src/host/sample/extension";
import ExtensionHolds from "../src/panel/ExtensionHolds.svelte";
import ExtensionLoad from "../src/panel/ExtensionLoad.svelte";
import SetUpBrowsers from "../src/panel/SetUpBrowsers.svelte";
import { extensionHolds } from "../src/words/extension-holds";
import { painted } from "./fake";

async function show(at: ExtensionHost[] = hosts()) {
  const list = vi.fn(() => Promise.resolve(at));
  const write = vi.fn((_: WriteExtensionHostParams): Promise<ExtensionHost[]> => Promise.resolve(at));
  render(SetUpBrowsers, { list, write });
  await painted();
  return { list, write };
}

const item = (name: string) => screen.getByRole("listitem", { name });
const press = async (name: string, within_ = document.body) => {
  await fireEvent.click(within(within_).getByRole("button", { name }));
  await painted();
};
const digest = (browser: string, remove = false) => {
  const found = hosts().find((host) => host.browser === browser);
  return (remove ? found?.remove : found?.add)?.digest;
};

describe("letting browsers start the program", () => {
  it("writes nothing before the file was shown, and then what was shown", async () => {
    const { write } = await show();
    await press("Connect: Chrome");
    expect(write).not.toHaveBeenCalled();
    const chrome = item("Chrome");
    expect(chrome.textContent).toContain("google-chrome/NativeMessagingHosts/dev.countersign.desk.json");
    expect(chrome.querySelector("ins")?.textContent).toContain("chrome-extension://");
    await press("Write this file", chrome);
    expect(write.mock.calls).toEqual([
      [{ browser: "chrome", remove: false, replace: false, digest: digest("chrome") }],
    ]);
    expect(within(item("Chrome")).getByRole("status").textContent).toContain("Load the extension in Chrome");
  });

  it("replaces another program's file only after saying whose it is", async () => {
    const { write } = await show();
    expect(within(item("Brave")).queryByRole("button", { name: "Disconnect Brave" })).toBeNull();
    await press("Replace: Brave");
    expect(item("Brave").textContent).toMatch(/\/opt\/another\/program.*is not Countersign’s/s);
    await press("Write this file", item("Brave"));
    expect(write.mock.calls).toEqual([[{ browser: "brave", remove: false, replace: true, digest: digest("brave") }]]);
  });

  it("removes what is ours, after showing it", async () => {
    const { write } = await show();
    await press("Disconnect Chromium");
    expect(item("Chromium").querySelector("del")?.textContent).toContain("dev.countersign.desk");
    await press("Remove this file", item("Chromium"));
    expect(write.mock.calls).toEqual([
      [{ browser: "chromium", remove: true, replace: false, digest: digest("chromium", true) }],
    ]);
  });

  it("shows the file anew when it has changed since", async () => {
    const { list, write } = await show();
    await press("Connect: Chrome");
    write.mockRejectedValueOnce({ code: "stale", message: "The file has changed since it was shown." });
    const add = { line: 1, before: "new", after: "newer", digest: "new" };
    list.mockResolvedValue(hosts().map((host) => (host.browser === "chrome" ? { ...host, add } : host)));
    await press("Write this file", item("Chrome"));
    expect(within(item("Chrome")).getByRole("alert").textContent).toContain("has changed since it was shown");
    await press("Write this file", item("Chrome"));
    expect(write.mock.lastCall?.[0].digest).toBe("new");
  });

  it("says that none was found, and looks again", async () => {
    const { list } = await show(noHosts());
    expect(screen.queryByRole("listitem")).toBeNull();
    list.mockResolvedValue(hosts());
    await press("Look again");
    expect(screen.getAllByRole("listitem")).toHaveLength(4);
  });

  it("marks what is invisible in what a file says", async () => {
    const standing = { state: "stale", program: "/x\u202e/bridge" } as const;
    await show(hosts().map((host) => ({ ...host, standing })));
    expect(document.body.textContent).not.toContain("\u202e");
  });
});

describe("loading the extension", () => {
  it("says which folder, or why there is none", async () => {
    const { unmount } = render(ExtensionLoad, { folder: () => Promise.resolve(extensionFolder) });
    expect(await screen.findByText(extensionFolder)).toBeTruthy();
    unmount();
    render(ExtensionLoad, { folder: () => Promise.reject({ code: "settings", message: "Install Countersign anew." }) });
    expect((await screen.findByText("Install Countersign anew.")).closest("[role=alert]")).toBeTruthy();
  });
});

describe("what is held", () => {
  it("says it of both doors for every row, and why", () => {
    render(ExtensionHolds);
    for (const row of extensionHolds) {
      const line = screen.getByRole("rowheader", { name: row.what }).closest("tr");
      const cells = Array.from(line?.querySelectorAll("td") ?? [], (cell) => cell.textContent);
      expect(cells).toEqual([row.own, row.extension]);
      expect(line?.nextElementSibling?.textContent).toBe(row.why);
    }
  });
});
