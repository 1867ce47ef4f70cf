import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { LedgerRowsParams } from "../src/gen/contract";
import { useHost } from "../src/host";
import { rowPage } from "../src/host/sample/rows";
import Ledger from "../src/ledger/Ledger.svelte";
import { FakeHost, painted } from "./fake";

async function show(sample: string) {
  const host = new FakeHost();
  host.answers["ledger_rows"] = ({ limit, filter, before }: LedgerRowsParams) => rowPage(sample, limit, filter, before);
  useHost(host);
  render(Ledger);
  await screen.findByText(/ rows in$/);
  return host;
}

const rows = () => [...document.querySelectorAll("details")];

describe("ledger", () => {
  it("shows the newest rows first and loads older ones", async () => {
    const host = await show("full");
    expect(rows()).toHaveLength(100);
    expect(rows()[0]?.textContent).toContain("130");
    await fireEvent.click(screen.getByText("Load older rows"));
    await expect.poll(() => rows().length).toBe(130);
    expect(host.sent("ledger_rows").at(-1)).toEqual({ before: 31, limit: 100, filter: "" });
    expect(screen.queryByText("Load older rows")).toBeNull();
  });

  it("opens a row with its grade and all its particulars", async () => {
    await show("short");
    const row = rows().find((one) => one.textContent.includes("Held again"));
    if (row === undefined) throw new Error("the sample has a row that was held again");
    row.open = true;
    await fireEvent(row, new Event("toggle"));
    expect(row.textContent).toContain("server-observed: seen by Countersign itself");
    expect(row.textContent).toMatch(/before\s*20\.90 EUR\s*after\s*24\.40 EUR/);
  });

  it.each([
    ["Rule made", "r3 · allows · add_to_basket · http://127.0.0.1:5620"],
    ["Released", "p5 · add_to_basket · by rule r3"],
    ["Rule ended", "r3 · allows · used 4 times"],
    ["Turned away", "newsletter · http://127.0.0.1:5620 · refused by rule · r4"],
    ["Paused", "qwen3:8b through Ollama · http://127.0.0.1:5620"],
    ["Heard again", "http://127.0.0.1:5620 · 37 were turned away"],
    ["Writes revoked", "agents have no write tools"],
    ["Writes restored", "agents have write tools again"],
  ])("says in words what a row is about: %s", async (kind, about) => {
    await show("short");
    expect(screen.getByText(about).closest("summary")?.textContent).toContain(kind);
  });

  it("filters", async () => {
    const host = await show("full");
    await fireEvent.input(screen.getByRole("searchbox"), { target: { value: "lying-read" } });
    await expect.poll(() => rows().length).toBe(1);
    expect(host.sent("ledger_rows").at(-1)).toMatchObject({ filter: "lying-read" });
  });

  it("reads again when there are new rows", async () => {
    const host = await show("short");
    const before = host.sent("ledger_rows").length;
    await host.say("ledger", null);
    expect(host.sent("ledger_rows")).toHaveLength(before + 1);
  });

  it("names the first fault, and that a broken ledger is read-only", async () => {
    const host = await show("broken");
    expect(screen.getByText("This ledger is broken and read-only")).toBeTruthy();
    host.answers["ledger_verify"] = () => ({
      rows: 13,
      head: "a".repeat(64),
      fault: { line: 14, reason: "hash-mismatch", message: "Its bytes hash to something else." },
    });
    await fireEvent.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText("13 rows verify, then a fault")).toBeTruthy();
  });

  it("says that every row verifies", async () => {
    const host = await show("short");
    host.answers["ledger_verify"] = () => ({ rows: 10, head: "a".repeat(64) });
    await fireEvent.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText("All 10 rows verify")).toBeTruthy();
  });

  it("says that a torn tail was cut", async () => {
    await show("torn");
    expect(screen.getByText(/118 bytes of an unfinished row/)).toBeTruthy();
  });

  describe("a Take Five ledger", () => {
    const entry = {
      seq: 1,
      at: "2026-08-31T09:00:00.000Z",
      kind: "ruling_declined",
      seat: "host <b>",
      ingress: "ui",
      grade: "client-asserted",
      data: { ruling: "Keep it" },
      hash: "b".repeat(64),
    };

    async function opened(answer: () => unknown) {
      const host = await show("short");
      host.answers["ledger_take_five"] = answer;
      const file = new File(["[]"], "room.json", { type: "application/json" });
      // jsdom's files cannot be read as text.
      Object.assign(file, { text: () => Promise.resolve("[]") });
      await fireEvent.change(screen.getByLabelText("A Take Five ledger"), { target: { files: [file] } });
      await painted();
      return host;
    }

    it("is shown instead of the desk's own, with its page's words marked as such, until it is closed", async () => {
      const host = await opened(() => ({ entries: [entry], report: { rows: 1, head: entry.hash } }));
      expect(await screen.findByText("1 row verifies")).toBeTruthy();
      expect(host.sent("ledger_take_five")).toEqual([{ text: "[]" }]);
      expect(screen.queryByRole("list", { name: "Rows, newest first" })).toBeNull();
      const list = screen.getByRole("list", { name: "Entries, newest first" });
      await fireEvent.click(within(list).getByText("ruling_declined"));
      await expect.poll(() => list.textContent).toContain("client-asserted, in its page’s words");
      await fireEvent.click(screen.getByRole("button", { name: "Close" }));
      expect(screen.getByRole("list", { name: "Rows, newest first" })).toBeTruthy();
    });

    it("names the first fault", async () => {
      const fault = { line: 1, reason: "hash-mismatch", message: "Entry 1 hashes to something else." };
      await opened(() => ({ entries: [], report: { rows: 0, head: "0".repeat(64), fault } }));
      expect(await screen.findByText("0 rows verify, then a fault")).toBeTruthy();
      expect(screen.getByText("No entry of it verifies.")).toBeTruthy();
    });

    it("leaves the desk's own in view when the file is something else", async () => {
      await opened(() => {
        throw Object.assign(new Error(), { code: "internal", message: "This is not a ledger of Take Five." });
      });
      expect(await screen.findByText(/This is not a ledger of Take Five/)).toBeTruthy();
      expect(screen.getByRole("list", { name: "Rows, newest first" })).toBeTruthy();
    });
  });
});
