import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { approval, asError, ledger, panel, subscribe, useHost, windowPainted } from "../src/host";
import { desktop } from "../src/host/tauri";

vi.mock("@tauri-apps/api/core", () => ({ invoke: vi.fn(() => Promise.resolve()) }));
vi.mock("@tauri-apps/api/event", () => ({ listen: vi.fn() }));

beforeEach(() => {
  vi.mocked(invoke).mockClear();
  useHost(desktop);
});

describe("the desktop", () => {
  it("wraps parameters, and leaves them out where there are none", async () => {
    await panel.state();
    await panel.openUrl("https://shop.example/");
    await approval.setAside({ proposal: "p1", aside: true });
    await ledger.verify();
    await windowPainted("panel");
    await panel.revokeRule({ rule: "r3" });
    await panel.revokeRule({});
    await panel.revokeWrites({ revoked: true });
    await panel.hideTool({ tool: "f/t/1" });
    await panel.grantOnce({ tool: "f/t/1", arguments: {} });
    await approval.refuseAll({ proposals: ["p1"], reason: "", fingerprint: {} });
    await approval.resume({ origin: "https://shop.example", ingress: "page" });
    expect(vi.mocked(invoke).mock.calls).toEqual([
      ["panel_state", undefined],
      ["open_url", { params: { url: "https://shop.example/" } }],
      ["approval_set_aside", { params: { proposal: "p1", aside: true } }],
      ["ledger_verify", undefined],
      ["window_painted", { params: { window: "panel" } }],
      ["revoke_rule", { params: { rule: "r3" } }],
      ["revoke_rule", { params: {} }],
      ["revoke_writes", { params: { revoked: true } }],
      ["hide_tool", { params: { tool: "f/t/1" } }],
      ["grant_once", { params: { tool: "f/t/1", arguments: {} } }],
      ["approval_refuse_all", { params: { proposals: ["p1"], reason: "", fingerprint: {} } }],
      ["approval_resume", { params: { origin: "https://shop.example", ingress: "page" } }],
    ]);
  });

  it("hears what a stream carries, until it stops", async () => {
    const unlisten = vi.fn();
    vi.mocked(listen).mockResolvedValue(unlisten);
    const heard: string[] = [];
    const stop = subscribe("select", (proposal) => heard.push(proposal));
    const [event, hear] = vi.mocked(listen).mock.calls[0] ?? [];
    expect(event).toBe("select");
    hear?.({ event: "select", id: 1, payload: "p4" });
    expect(heard).toEqual(["p4"]);
    await Promise.resolve();
    stop();
    expect(unlisten).toHaveBeenCalledTimes(1);
  });

  it("stops even when asked before it began to hear", async () => {
    const unlisten = vi.fn();
    vi.mocked(listen).mockResolvedValue(unlisten);
    subscribe("ledger", () => undefined)();
    await Promise.resolve();
    await Promise.resolve();
    expect(unlisten).toHaveBeenCalledTimes(1);
  });
});

describe("an error", () => {
  it("is a view, whatever was thrown", () => {
    expect(asError({ code: "not-armed", message: "Too soon." })).toEqual({ code: "not-armed", message: "Too soon." });
    expect(asError("decide not allowed")).toEqual({ code: "internal", message: "decide not allowed" });
    expect(asError(undefined).message).not.toBe("");
  });
});
