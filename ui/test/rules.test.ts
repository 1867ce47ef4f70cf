import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import Approval from "../src/approval/Approval.svelte";
import type { DeskState, RefuseParams, ReleaseParams } from "../src/gen/contract";
import { desk, desks } from "../src/host/sample/desks";
import { proposal, request } from "../src/host/sample/proposals";
import { adding, grant, redefined, rules } from "../src/host/sample/standing";
import { approvalHost, painted } from "./fake";

async function show(at: DeskState) {
  const host = approvalHost(at);
  render(Approval);
  await screen.findByRole("main");
  await painted();
  return host;
}

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>("button", { name });
const press = (name: string | RegExp) => fireEvent.click(button(name));
const canonical = '{"product":"notebook","quantity":2,"gift":false,"note":"For the harbour office"}';

describe("release and allow", () => {
  it("starts as narrow as a rule can be, says what it does, and sends it with the release", async () => {
    const host = await show(desk([adding("p3")]));
    await press("Allow more like it…");
    const form = screen.getByRole("group", { name: "Allow more like it" });
    expect(within(form).getByRole("status").textContent).toMatch(
      /Until this conversation ends, add_to_basket of http:\/\/127\.0\.0\.1:5620 runs without asking with exactly \{"product"/,
    );
    await press("Release and allow");
    expect(host.sent("approval_release")).toMatchObject([
      { proposal: "p3", rule: { lasts: "task", arguments: { covers: "exactly", canonical } } },
    ]);
    const [sent] = host.sent("approval_release") as ReleaseParams[];
    expect(sent?.rule).not.toHaveProperty("limit");
    expect(sent?.rule).not.toHaveProperty("minutes");
  });

  it("names every member: as it is, up to a number, or free", async () => {
    const host = await show(desk([adding("p3")]));
    await press("Allow more like it…");
    await fireEvent.click(screen.getByRole("radio", { name: /^Always/ }));
    await fireEvent.click(screen.getByRole("radio", { name: "Some of these as they are" }));
    await fireEvent.click(screen.getByRole("checkbox", { name: /^note/ }));
    await fireEvent.click(screen.getByRole("checkbox", { name: "quantity: up to a number" }));
    await fireEvent.input(screen.getByRole("textbox", { name: "quantity: the largest number" }), {
      target: { value: "3" },
    });
    await fireEvent.input(screen.getByRole("textbox", { name: /times/ }), { target: { value: "5" } });
    await fireEvent.input(screen.getByRole("textbox", { name: /minutes/ }), { target: { value: "30" } });
    expect(within(screen.getByRole("group", { name: "Allow more like it" })).getByRole("status").textContent).toMatch(
      /^Until you revoke it, .* when product is “notebook”, quantity is at most 3 and gift is false, whatever note is\. It ends by itself after 5 uses or 30 minutes/,
    );
    await press("Release and allow");
    expect(host.sent("approval_release")).toMatchObject([
      {
        rule: {
          lasts: "always",
          limit: 5,
          minutes: 30,
          arguments: {
            covers: "members",
            members: [
              { name: "product", test: { is: "same", value: "notebook" } },
              { name: "quantity", test: { is: "at-most", value: 3 } },
              { name: "gift", test: { is: "same", value: false } },
              { name: "note", test: { is: "any" } },
            ],
          },
        },
      },
    ]);
  });

  it.each([
    ["quantity: the largest number", "1"],
    ["quantity: the largest number", "many"],
    ["At most how many times", "0"],
    ["At most how many times", "1.5"],
    ["For how many minutes", "527041"],
  ])("is dead while %s is %j", async (field, typed) => {
    const host = await show(desk([adding("p3")]));
    await press("Allow more like it…");
    await fireEvent.click(screen.getByRole("radio", { name: "Some of these as they are" }));
    await fireEvent.click(screen.getByRole("checkbox", { name: "quantity: up to a number" }));
    expect(button("Release and allow").disabled).toBe(false);
    const box = screen.getByRole("textbox", { name: field });
    await fireEvent.input(box, { target: { value: typed } });
    expect(box.getAttribute("aria-invalid")).toBe("true");
    expect(button("Release and allow").disabled).toBe(true);
    await press("Release and allow");
    expect(host.sent("approval_release")).toEqual([]);
  });

  it("is never made by a key, and never along with a plain release", async () => {
    const host = await show(desk([adding("p3")]));
    await press("Allow more like it…");
    await fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    expect(host.sent("approval_release")).toEqual([]);
    await fireEvent.keyDown(document.body, { key: "Escape" });
    await painted();
    expect(document.activeElement).toBe(button("Allow more like it…"));
    expect(host.sent("approval_set_aside")).toEqual([]);
    await press("Release this write");
    const [sent] = host.sent("approval_release") as ReleaseParams[];
    expect(sent).not.toHaveProperty("rule");
  });

  it("is over when the card becomes another one", async () => {
    const host = await show(desk([adding("p3")]));
    await press("Allow more like it…");
    await host.say("desk", { ...desk([adding("p3", { digest: "d".repeat(64) })]), revision: 2 });
    expect(screen.queryByRole("button", { name: "Release and allow" })).toBeNull();
    expect(button("Release this write")).toBeTruthy();
  });

  it("is dead as long as release is", async () => {
    const host = await show(desk([adding("p3", { arming: { state: "unseen" } })]));
    await press("Allow more like it…");
    await press("Release and allow");
    expect(host.sent("approval_release")).toEqual([]);
  });

  it("is not offered where the gate does not, and says why", async () => {
    await show(desk([proposal("p3")]));
    expect(screen.queryByRole("button", { name: /Allow more/ })).toBeNull();
    expect(screen.getByRole("contentinfo").textContent).toContain("It costs something, so it is decided one by one.");
  });
});

describe("refuse from now on", () => {
  it("makes a rule along with the refusal when it is ticked", async () => {
    const host = await show(desk([adding("p3")]));
    await press("Refuse");
    await fireEvent.input(screen.getByRole("textbox", { name: /Why not/ }), { target: { value: "Enough." } });
    await fireEvent.click(screen.getByRole("checkbox", { name: "Refuse this from now on" }));
    await fireEvent.click(screen.getByRole("radio", { name: /^Always/ }));
    await fireEvent.click(screen.getByRole("radio", { name: "Any arguments" }));
    expect(screen.getByRole("contentinfo").textContent).toMatch(
      /Until you revoke it, add_to_basket of \S+ is refused without asking, whatever its arguments are\./,
    );
    await press("Refuse from now on");
    expect(host.sent("approval_refuse")).toMatchObject([
      { proposal: "p3", reason: "Enough.", rule: { lasts: "always", arguments: { covers: "any" } } },
    ]);
  });

  it("makes none when it is not", async () => {
    const host = await show(desk([adding("p3")]));
    await press("Refuse");
    await press("Refuse now");
    expect((host.sent("approval_refuse") as RefuseParams[])[0]).not.toHaveProperty("rule");
  });

  it("is not offered for a request, which no rule covers", async () => {
    await show(desk([request("p6")]));
    await press("Refuse");
    expect(screen.queryByRole("checkbox", { name: "Refuse this from now on" })).toBeNull();
  });
});

describe("a card that a rule releases", () => {
  it("says which, leaves only refusing, and does not set aside", async () => {
    const host = await show(desk([adding("p3", { byRule: "r3" })], { rules }));
    expect(screen.getByRole("heading", { level: 3, name: "Rule r3 releases this" })).toBeTruthy();
    expect(screen.getByRole("main").textContent).toContain("quantity is at most 3");
    for (const name of [/Release/, /Allow/, /Edit/, /Set aside/])
      expect(screen.queryByRole("button", { name })).toBeNull();
    await fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    await fireEvent.keyDown(document.body, { key: "Escape" });
    expect(host.sent("approval_release")).toEqual([]);
    expect(host.sent("approval_set_aside")).toEqual([]);
    await press("Refuse");
    await press("Refuse now");
    expect(host.sent("approval_refuse")).toHaveLength(1);
  });

  it("does not come up before one that needs a person", async () => {
    await show(desk([adding("p3", { byRule: "r3" }), proposal("p4")], { rules }));
    expect(document.querySelector("[data-proposal='p4']")).not.toBeNull();
  });

  it("says afterwards which rule it was", async () => {
    const host = await show((desks["by-rule-done"] ?? (() => desk([])))());
    await host.say("select", "p3");
    expect(screen.getByText("Released by rule r3.")).toBeTruthy();
  });
});

describe("one use", () => {
  it("says in heading, button and outcome that nothing runs yet", async () => {
    const host = await show(desk([grant("p3")]));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toMatch(/^Grant agents one use of/);
    expect(screen.getByText("Granting runs nothing yet")).toBeTruthy();
    await press("Grant one use");
    expect(host.sent("approval_release")).toMatchObject([{ proposal: "p3" }]);
    const state = { state: "granted", rule: "r7" } as const;
    await host.say("desk", { ...desk([{ ...grant("p3"), state }]), revision: 2 });
    expect(screen.getByRole("heading", { level: 3, name: "One use granted" })).toBeTruthy();
    expect(screen.getByText(/^Nothing has run\./)).toBeTruthy();
  });
});

describe("a definition that changed", () => {
  const block = () => screen.getByRole("region", { name: /definition changed since it was last released/ });

  it("shows each part before and now, with what went and what came marked", async () => {
    await show(desk([redefined("p3")]));
    expect([...block().querySelectorAll("ins")].map((one) => one.textContent)).toEqual([
      "put in:\u00a0 and pay",
      "put in:\u00a0It",
      "put in:\u00a0at once.",
    ]);
    expect([...block().querySelectorAll("del")].map((one) => one.textContent)).toEqual([
      "taken out:\u00a0Nothing",
      "taken out:\u00a0yet.",
    ]);
    expect(within(block()).getByText("… 30 words as before …")).toBeTruthy();
    expect(within(block()).getByRole("row", { name: /properties\.quantity\.maximum.*10.*9999/ })).toBeTruthy();
    expect(within(block()).getByRole("row", { name: /says that it only reads.*yes.*no/ })).toBeTruthy();
  });

  it("is not there when nothing did", async () => {
    await show(desk([adding("p3")]));
    expect(screen.queryByRole("region", { name: /definition changed/ })).toBeNull();
  });

  it("shows words it does not know as they are", async () => {
    const moved = [
      { what: "definition", before: "digest: aaa", after: "digest: bbb" },
      { what: "x", before: "q", after: "w" },
    ];
    await show(desk([adding("p3", { redefined: moved })]));
    expect(block().textContent).toMatch(/Digest of the definition.*aaa.*bbb.*x.*q.*w/s);
  });
});
