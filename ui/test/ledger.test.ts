import { fireEvent, render, screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { LedgerRowsParams } from "../src/gen/contract";
import { useHost } from "../src/host";
import { rowPage } from "../src/host/sample/rows";
import Ledger from "../src/ledger/Ledger.svelte";
import { FakeHost } from "./fake";

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
});
