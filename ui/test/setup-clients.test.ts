import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { ClientSetup, WriteClientSetupParams } from "../src/gen/contract";
import { setups } from "../src/host/sample/setups";
import SetUpClients from "../src/panel/SetUpClients.svelte";
import { afterwards, clientNames, thenPair } from "../src/words/setup";
import { painted } from "./fake";

async function show(at: ClientSetup[] = setups()) {
  const list = vi.fn(() => Promise.resolve(at));
  const write = vi.fn((_: WriteClientSetupParams): Promise<ClientSetup[]> => Promise.resolve(at));
  render(SetUpClients, { list, write });
  await screen.findByRole("listitem", { name: "Codex" });
  return { list, write };
}

const item = (name: string) => screen.getByRole("listitem", { name });
const press = async (name: string, within_ = document.body) => {
  await fireEvent.click(within(within_).getByRole("button", { name }));
  await painted();
};
const one = (client: string) => {
  const found = setups().find((setup) => setup.client === client);
  if (found === undefined) throw new Error(`there is no sample of ${client}`);
  return found;
};

describe("setting clients up", () => {
  it("lists each with whether it is here and how it stands, in words", async () => {
    await show();
    const lines = Object.values(clientNames).map((name) => item(name).textContent);
    expect(lines[0]).toMatch(/not found here\s+not set up/);
    expect(lines[1]).toMatch(/found here\s+set up for another program.*It starts.*Downloads/s);
    expect(lines[2]).toMatch(/ found here\s+not set up/);
    expect(lines[3]).toMatch(/set up/);
    expect(lines[4]).toMatch(/cannot be set up from here.*Trailing commas are not allowed.*Mend it first/s);
    expect(lines[5]).toMatch(/not set up.*left as it is.*by hand/s);
  });

  it("writes nothing before the file and the change were shown, and then what was shown", async () => {
    const { write } = await show();
    await press("Set up Codex");
    expect(write).not.toHaveBeenCalled();
    const codex = item("Codex");
    expect(codex.textContent).toContain("/home/ada/.codex/config.toml");
    expect(within(codex).getByRole("group", { name: "The change from line 11 on" })).toBeTruthy();
    const came = Array.from(codex.querySelectorAll("ins"), (part) => part.textContent).join("");
    expect(came).toContain("[mcp_servers.countersign]");
    expect(codex.querySelector("del")).toBeNull();
    await press("Write this change", codex);
    expect(write.mock.calls).toEqual([[{ client: "codex", remove: false, digest: one("codex").add?.digest }]]);
    expect(within(item("Codex")).getByText("Written").closest("[role=status]")?.textContent).toContain(
      afterwards.codex,
    );
    expect(item("Codex").textContent).toContain(thenPair);
    expect(within(item("Codex")).queryByRole("button", { name: "Write this change" })).toBeNull();
  });

  it("shows what a replacement takes out", async () => {
    await show();
    await press("Set up Claude Code");
    const gone = Array.from(item("Claude Code").querySelectorAll("del"), (part) => part.textContent).join("");
    expect(gone).toContain("/home/ada/Downloads/countersign-bridge");
  });

  it("removes likewise, and says what to do then", async () => {
    const { write } = await show();
    await press("Remove from VS Code");
    expect(item("VS Code").querySelector("del")?.textContent).toContain("countersign");
    await press("Write this change", item("VS Code"));
    expect(write.mock.calls).toEqual([[{ client: "vs-code", remove: true, digest: one("vs-code").remove?.digest }]]);
    expect(item("VS Code").textContent).toContain(afterwards["vs-code"]);
    expect(item("VS Code").textContent).not.toContain(thenPair);
  });

  it("cancels without writing", async () => {
    const { write } = await show();
    await press("Set up Codex");
    await press("Cancel", item("Codex"));
    expect(write).not.toHaveBeenCalled();
    expect(item("Codex").querySelector("ins")).toBeNull();
  });

  it("shows an error whole, and takes nothing for written", async () => {
    const { write } = await show();
    const message = `The file could not be written (${"no space ".repeat(60)}).\nNothing was changed.`;
    write.mockRejectedValue({ code: "settings", message });
    await press("Set up Codex");
    await press("Write this change", item("Codex"));
    expect(within(item("Codex")).getByRole("alert").textContent.trim()).toBe(message);
    expect(within(item("Codex")).queryByText("Written")).toBeNull();
    expect(within(item("Codex")).getByRole("button", { name: "Write this change" })).toBeTruthy();
  });

  it("shows the change anew when the file has changed since, and writes that", async () => {
    const { list, write } = await show();
    await press("Set up Codex");
    const add = { line: 3, before: "a\n", after: "a\nb\n", digest: "new" };
    list.mockResolvedValue(setups().map((setup) => (setup.client === "codex" ? { ...setup, add } : setup)));
    write.mockRejectedValueOnce({ code: "stale", message: "The file has changed since it was shown." });
    await press("Write this change", item("Codex"));
    expect(within(item("Codex")).getByRole("alert").textContent).toContain("has changed since it was shown");
    expect(within(item("Codex")).getByRole("group", { name: "The change from line 3 on" })).toBeTruthy();
    await press("Write this change", item("Codex"));
    expect(write.mock.lastCall).toEqual([{ client: "codex", remove: false, digest: "new" }]);
  });

  it("offers what is to be written by hand where it is not written", async () => {
    await show();
    for (const client of ["cursor", "goose"] as const) {
      const at = item(clientNames[client]);
      expect(within(at).queryByRole("button", { name: /Set up|Remove/ })).toBeNull();
      expect(at.querySelector("pre")?.textContent).toBe(one(client).byHand);
    }
  });

  it("marks what is invisible in what a file says", async () => {
    const standing = { state: "other", program: "/x\u202e/bridge" } as const;
    await show(setups().map((setup) => (setup.client === "claude-code" ? { ...setup, standing } : setup)));
    expect(item("Claude Code").textContent).not.toContain("\u202e");
  });

  it("says why nothing can be listed", async () => {
    const list = () => Promise.reject({ code: "settings", message: "Install Countersign anew." });
    render(SetUpClients, { list, write: list });
    expect((await screen.findByText("Install Countersign anew.")).closest("[role=alert]")).toBeTruthy();
  });
});
