import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import type { Client, PanelState, SetClientsParams } from "../src/gen/contract";
import { clients, httpClient } from "../src/host/sample/clients";
import { panels } from "../src/host/sample/panels";
import Panel from "../src/panel/Panel.svelte";
import { command, ends } from "../src/words/client";
import { panelHost, painted } from "./fake";

const state = (name: string): PanelState => {
  const made = panels[name];
  if (made === undefined) throw new Error(`there is no sample ${name}`);
  return made();
};

async function show(at: PanelState, hash = "#settings") {
  location.hash = hash;
  const host = panelHost(at);
  const { container } = render(Panel);
  await screen.findByRole("main");
  return { host, container };
}

const withSettings = (at: PanelState, given: Partial<PanelState["settings"]["clients"]>): PanelState => ({
  ...at,
  settings: { ...at.settings, clients: { ...at.settings.clients, ...given } },
});
const part = () => screen.getByRole("group", { name: "Other programs" });
const program = (name: string) => within(part()).getByRole("article", { name: `Program ${name}` });
const press = (name: string) => fireEvent.click(within(part()).getByRole("button", { name }));
const words = (element: HTMLElement) => element.textContent.replace(/\s+/g, " ");

beforeEach(() => history.replaceState(null, "", "#"));

describe("programs in the settings", () => {
  it("say who they are, how they came and how often they are connected", async () => {
    await show(state("clients"));
    expect(words(program("claude-code"))).toMatch(
      /claude-code 2\.1\.4 c1 paired .*Program \/home\/you\/.*Paired since .* · 2 connections now/,
    );
    expect(words(program("my-script"))).toMatch(/Over HTTP, with the token “nightly report”.*Not connected now/);
    expect(words(program("zed"))).toContain("asks to be paired");
    expect(words(program("unknown-helper"))).toContain("turned away");
  });

  it("can be decided about in the approval window, and are paired nowhere here", async () => {
    const { host } = await show(state("clients"));
    expect(screen.getByRole("button", { name: "1 waiting" })).toBeTruthy();
    await fireEvent.click(within(program("zed")).getByRole("button", { name: "Decide…" }));
    expect(host.sent("show_approval")).toEqual([{}]);
    expect(within(part()).queryByRole("button", { name: /^pair/i })).toBeNull();
    expect(host.calls.some(({ command: called }) => called.startsWith("approval_"))).toBe(false);
  });

  it("are unpaired after it was said what that ends", async () => {
    const { host } = await show(state("clients"));
    await fireEvent.click(within(program("claude-code")).getByRole("button", { name: "End pairing…" }));
    expect(host.sent("unpair_client")).toEqual([]);
    const sure = screen.getByRole("group", { name: "End the pairing of claude-code" });
    expect(words(sure)).toContain("What it asked for and is held is taken back, and the rules made for it end.");
    expect(document.activeElement).toBe(within(sure).getByRole("button", { name: "Keep it" }));
    await fireEvent.click(within(sure).getByRole("button", { name: "End pairing" }));
    expect(host.sent("unpair_client")).toEqual([{ client: "c1" }]);
  });

  it("may ask again after they were turned away", async () => {
    const { host } = await show(state("clients"));
    await fireEvent.click(within(program("unknown-helper")).getByRole("button", { name: "Let it ask again" }));
    expect(host.sent("unpair_client")).toEqual([{ client: "c3" }]);
  });

  it("say beside themselves what went wrong", async () => {
    const { host } = await show(state("clients"));
    host.answers["unpair_client"] = () => {
      throw { code: "not-found", message: "There is no client c3 at the desk any more." };
    };
    await fireEvent.click(within(program("unknown-helper")).getByRole("button", { name: "Let it ask again" }));
    await painted();
    expect(within(program("unknown-helper")).getByRole("alert").textContent).toContain("There is no client c3");
  });

  it("are connected by one command, with a path that has spaces in quotes", async () => {
    await show(state("clients"));
    expect(part().textContent).toContain("/usr/bin/countersign-bridge mcp");
    expect(within(part()).getByRole("button", { name: "Copy the command" })).toBeTruthy();
    expect(command("/usr/bin/countersign-bridge")).toBe("/usr/bin/countersign-bridge mcp");
    expect(command("C:\\Program Files\\Countersign\\countersign-bridge.exe")).toBe(
      '"C:\\Program Files\\Countersign\\countersign-bridge.exe" mcp',
    );
  });

  it("are told by the file at the end of their path, however long that is", () => {
    expect(ends("/usr/bin/claude")).toBe("/usr/bin/claude");
    const long = ends(`/tmp/${"folder/".repeat(600)}claude`);
    expect(long).toMatch(/^\/tmp\/folder.*….*folder\/claude$/);
    expect(long.length).toBeLessThan(120);
  });

  it("cannot join when the socket or the program is missing, and that is said", async () => {
    await show(state("clients-problem"));
    expect(words(part())).toContain("the local socket could not be opened");
    expect(words(part())).toContain("is not beside Countersign");
    expect(within(part()).queryByRole("button", { name: "Copy the command" })).toBeNull();
  });
});

describe("what is held when a program goes away", () => {
  it.each([true, false])("is switched, and nothing else with it: %s", async (keep) => {
    const { host } = await show(withSettings(state("clients"), { keep, port: 7351 }));
    const toggle = within(part()).getByRole<HTMLInputElement>("switch", { name: "What it asked for stays held" });
    expect(toggle.checked).toBe(keep);
    await fireEvent.click(toggle);
    expect(host.sent("set_clients")).toEqual([{ keep: !keep, http: true, port: 7351 }]);
    expect(host.sent("save_settings")).toEqual([]);
  });

  it("shows what is so, also when it could not be switched", async () => {
    const { host } = await show(state("clients"));
    host.answers["set_clients"] = () => {
      throw { code: "settings", message: "Port 7350 on this computer cannot be had." };
    };
    const toggle = within(part()).getByRole<HTMLInputElement>("switch", { name: "What it asked for stays held" });
    await fireEvent.click(toggle);
    await painted();
    expect(toggle.checked).toBe(true);
    expect(part().textContent).toContain("Port 7350 on this computer cannot be had.");
  });
});

describe("HTTP for programs", () => {
  const port = () => within(part()).getAllByRole<HTMLInputElement>("spinbutton", { name: "Port" })[0];
  const set = async (value: string) => {
    const field = port();
    if (field === undefined) throw new Error("the part has a port");
    await fireEvent.input(field, { target: { value } });
    return field;
  };

  it("is off, and is turned on at a port", async () => {
    const { host } = await show(state("empty"));
    expect(part().textContent).not.toContain("http://127");
    await set("7400");
    await press("Turn HTTP on");
    expect(host.sent("set_clients")).toEqual<SetClientsParams[]>([{ keep: true, http: true, port: 7400 }]);
  });

  it("takes no port that there is not, and Enter sends no other settings", async () => {
    const { host } = await show(state("empty"));
    for (const value of ["", "0", "65536", "1.5"]) {
      await fireEvent.keyDown(await set(value), { key: "Enter" });
      expect(part().textContent).toContain("The port is a whole number from 1 to 65535.");
    }
    expect(host.sent("set_clients")).toEqual([]);
    expect(host.sent("save_settings")).toEqual([]);
  });

  it("gives the address to copy while it is on, and is turned off", async () => {
    const { host } = await show(state("clients"));
    expect(part().textContent).toContain("http://127.0.0.1:7350/mcp");
    expect(within(part()).getByRole("button", { name: "Copy the address" })).toBeTruthy();
    expect(port()?.disabled).toBe(true);
    await press("Turn HTTP off");
    expect(host.sent("set_clients")).toEqual([{ keep: true, http: false, port: 7350 }]);
  });

  it("says that nobody can come without a token", async () => {
    await show(withSettings(state("clients"), { tokens: [] }));
    expect(part().textContent).toContain("Nobody can come this way yet");
  });

  it("says why it could not be turned on, and can be tried elsewhere or left off", async () => {
    const { host } = await show(state("clients-problem"));
    expect(part().textContent).toContain("Port 7350 on this computer cannot be had");
    await press("Leave it off");
    await set("7400");
    await press("Turn HTTP on");
    expect(host.sent("set_clients")).toEqual([
      { keep: false, http: false, port: 7350 },
      { keep: false, http: true, port: 7400 },
    ]);
  });
});

describe("tokens", () => {
  const field = () => within(part()).getByRole<HTMLInputElement>("textbox", { name: "Name of a new token" });
  const make = async (name: string) => {
    await fireEvent.input(field(), { target: { value: name } });
    await fireEvent.keyDown(field(), { key: "Enter" });
    await painted();
  };

  it("are made with a name, shown once, and said not to be shown again", async () => {
    const { host } = await show(state("clients"));
    host.answers["make_client_token"] = () => ({ token: "cs_0123abcd" });
    await make(" my script ");
    expect(host.sent("make_client_token")).toEqual([{ name: "my script" }]);
    expect(words(part())).toContain("It is kept nowhere and not shown again, so copy it now.");
    expect(part().textContent.split("cs_0123abcd")).toHaveLength(2);
    expect(within(part()).getByRole("button", { name: "Copy the token" })).toBeTruthy();
    expect(field().value).toBe("");
    await press("I have it");
    expect(part().textContent).not.toContain("cs_0123abcd");
    expect(host.sent("save_settings")).toEqual([]);
  });

  it("are not made without a name, and what the app says against one is shown", async () => {
    const { host } = await show(state("clients"));
    await make("  ");
    expect(part().textContent).toContain("Give the token a name");
    expect(host.sent("make_client_token")).toEqual([]);
    host.answers["make_client_token"] = () => {
      throw { code: "settings", message: "There can be at most 50 tokens. Remove one first." };
    };
    await make("one more");
    expect(part().textContent).toContain("There can be at most 50 tokens.");
    expect(field().value).toBe("one more");
  });

  it("say that a new one of the same name takes the place of the old one", async () => {
    await show(state("clients"));
    await fireEvent.input(field(), { target: { value: "nightly report" } });
    expect(part().textContent).toContain("A new one takes its place, and the old one ends.");
  });

  it("are removed after it was said what that ends", async () => {
    const { host } = await show(state("clients"));
    await press("Remove the token nightly report…");
    const sure = screen.getByRole("group", { name: "Remove the token nightly report" });
    expect(words(sure)).toContain("Its pairing ends");
    expect(host.sent("remove_client_token")).toEqual([]);
    await fireEvent.click(within(sure).getByRole("button", { name: "Remove" }));
    expect(host.sent("remove_client_token")).toEqual([{ name: "nightly report" }]);
  });

  it("end no pairing where nobody is paired with it", async () => {
    const at = state("clients");
    await show({ ...at, desk: { ...at.desk, clients: [] } });
    await press("Remove the token nightly report…");
    expect(words(screen.getByRole("group", { name: "Remove the token nightly report" }))).not.toContain("pairing");
  });
});

describe("a rule of a client", () => {
  const rule = () => screen.getByRole("article", { name: "Rule r6" });
  const show6 = async (given: Client[]) => {
    const at = state("clients");
    await show({ ...at, desk: { ...at.desk, clients: given } }, "#rules");
  };

  it("says whose it is by name", async () => {
    await show6(clients);
    expect(words(rule())).toContain("Only asks from claude-code (c1), through MCP.");
    const details = rule().querySelector("details");
    if (details === null) throw new Error("a rule has particulars");
    details.open = true;
    await fireEvent(details, new Event("toggle"));
    await painted();
    expect(words(rule())).toContain("Whose asks those from claude-code (c1), through MCP");
  });

  it("says it by number where the client is not known", async () => {
    await show6([httpClient("c2")]);
    expect(words(rule())).toContain("Only asks from client c1, through MCP.");
  });
});
