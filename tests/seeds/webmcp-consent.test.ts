// What the write-up of WebMCP Consent claims of behaviour, against our example `access`. Theirs is an extension before any page;
// what ours does before any page is tested in the desk, and docs/seeds.md names these tests.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Chromium, type ChromiumTab, openChromium } from "../../bridge/page/library/test/browser/chromium";
import { type ExampleSite, serveExamples } from "./example-site";
import { ask, exampleTab, openExample, press, proposeTo, seenText, standing, tick } from "./example-tab";

/** Keeps in hexadecimal what the page draws, and counts who asks for the name that is going away. */
const WATCH = `
  window.drawn = [];
  const draw = crypto.getRandomValues.bind(crypto);
  crypto.getRandomValues = (into) => {
    const bytes = draw(into);
    drawn.push(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
    return bytes;
  };
  window.oldName = 0;
  const { get } = Object.getOwnPropertyDescriptor(Navigator.prototype, "modelContext") ?? {};
  if (get) Object.defineProperty(Navigator.prototype, "modelContext", {
    configurable: true,
    get() { oldName += 1; return get.call(this); },
  });`;

let site: ExampleSite;
let browser: Chromium;
let tab: ChromiumTab;
beforeAll(async () => {
  site = await serveExamples();
  browser = await openChromium({ webmcp: true });
  tab = await exampleTab(browser, { before: WATCH });
});
afterAll(async () => {
  await browser.close();
  site.close();
});
beforeEach(async () => {
  await openExample(tab, site.at("access"), "revoke_key");
  await tab.run(() => sessionStorage.clear());
});

const REVOKE = { key: "payments" };
const ROTATE = { key: "storage", overlap_hours: 24 };
const running = () => seenText(tab, "#running");

describe("holding", () => {
  test("Every write is held until it is approved.", async () => {
    const writes: [string, object][] = [
      ["revoke_key", REVOKE],
      ["rotate_key", ROTATE],
      ["remove_role", { member: "on-call", role: "base operator" }],
      ["change_grant", { role: "batch", grant: "books:write", allowed: false }],
    ];
    const before = await ask(tab, "who_has_access");
    for (const [name, args] of writes) expect(await ask(tab, name, args)).toMatchObject({ status: "held" });
    expect(await ask(tab, "who_has_access")).toEqual(before);
    expect(await running()).toBe("52 of 52");
  });

  test("Reads run freely, with no prompt.", async () => {
    expect(await ask(tab, "key_uses", REVOKE)).toMatchObject({ running: "52 of 52 services" });
    expect(await ask(tab, "audit_trail", { limit: 1 })).toMatchObject({ entries: [{ entry: 1 }] });
    expect(await seenText(tab, "#held .waiting")).toBe("");
  });

  test("A call of the page itself is held like one of any agent.", async () => {
    await tab.press("#keys li:first-child button");
    await tab.run(() => until(() => document.querySelector(".held-card .summary")));
    expect(await seenText(tab, "#answer")).toContain("Held as p1. Nothing has changed yet.");
    expect(await running()).toBe("52 of 52");
  });

  test("An approved write runs once, with the very arguments that were shown.", async () => {
    const { proposal } = await proposeTo(tab, "change_grant", { role: "batch", grant: "deploy", allowed: true });
    await press(tab, proposal, "release");
    await standing(tab, proposal, "committed");
    const { roles } = (await ask(tab, "who_has_access")) as { roles: Record<string, string[]> };
    expect(roles["batch"]?.filter((grant) => grant === "deploy")).toEqual(["deploy"]);
    const { entries } = (await ask(tab, "audit_trail", { limit: 100 })) as { entries: { what: string }[] };
    expect(entries.filter(({ what }) => what === "committed.").length).toBe(1);
  });

  test("A declined write changes nothing.", async () => {
    const { proposal } = await proposeTo(tab, "revoke_key", REVOKE);
    await press(tab, proposal, "refuse");
    await standing(tab, proposal, "refused");
    expect(await running()).toBe("52 of 52");
    expect(await ask(tab, "key_uses", REVOKE)).toMatchObject({ state: "active" });
  });
});

describe("the card", () => {
  test("The approval card shows the tool's name and the real arguments.", async () => {
    const { proposal } = await proposeTo(tab, "rotate_key", ROTATE);
    await tab.press(`#card-${proposal} summary`);
    const card = await seenText(tab, `#card-${proposal}`);
    expect(card).toContain("Rotate a key");
    expect(card).toContain('rotate_key {\n  "key": "storage",\n  "overlap_hours": 24\n}');
  });

  test("It is no yes or no on an opaque name: what breaks is named before the decision.", async () => {
    const { proposal } = await proposeTo(tab, "revoke_key", REVOKE);
    const card = await seenText(tab, `#card-${proposal}`);
    expect(card).toContain("services › checkout");
    expect(card).toContain("stopped: its key payments is revoked");
    expect(card).toMatch(/Critical Stops: checkout/);
  });

  test("What is critical keeps the release button dead until it was read.", async () => {
    const { proposal } = await proposeTo(tab, "revoke_key", REVOKE);
    const dead = () =>
      tab.run(
        (id) => (document.querySelector(`#card-${id} [data-act=release]`) as HTMLButtonElement).disabled,
        proposal,
      );
    expect(await dead()).toBe(true);
    await tick(tab, proposal);
    expect(await dead()).toBe(false);
  });

  test("A card is decided by the keyboard alone.", async () => {
    const { proposal } = await proposeTo(tab, "revoke_key", REVOKE);
    const key = async (name: string, windowsVirtualKeyCode: number, text?: string) => {
      for (const type of ["keyDown", "keyUp"]) {
        const pressed = type === "keyDown" && text !== undefined ? { text } : {};
        await tab.send("Input.dispatchKeyEvent", {
          type,
          key: name,
          windowsVirtualKeyCode,
          ...pressed,
        });
      }
    };
    const at = () => tab.run(() => (document.activeElement as HTMLElement).dataset["act"]);
    for (let steps = 0; steps < 12 && (await at()) !== "acknowledge"; steps += 1) await key("Tab", 9);
    await key(" ", 32, " ");
    await key("Tab", 9);
    expect(await at()).toBe("release");
    await key("Enter", 13, "\r");
    await standing(tab, proposal, "committed");
    await tab.run(() => until(() => document.activeElement?.classList.contains("said")));
  });

  test("A page's text in a card is text and runs nothing.", async () => {
    const { proposal } = await proposeTo(tab, "revoke_key", REVOKE);
    await tab.press(`#${proposal}-reason`);
    await tab.send("Input.insertText", { text: "<img src=x onerror=alert(1)><b>no</b>" });
    await press(tab, proposal, "refuse");
    await standing(tab, proposal, "refused");
    expect(await seenText(tab, "#held .over")).toContain("<img src=x onerror=alert(1)><b>no</b>");
    expect(await tab.run(() => document.querySelectorAll("#held .over img, #held .over b").length)).toBe(0);
  });
});

describe("what the agent hears", () => {
  test("A declined call resolves with a clear answer that it was declined and is not to be retried.", async () => {
    const { proposal } = await proposeTo(tab, "revoke_key", REVOKE);
    await press(tab, proposal, "refuse");
    const answer = await standing(tab, proposal, "refused");
    expect(answer).toMatchObject({ changed: "nothing", reason: "No reason was given." });
    expect(answer["note"]).toMatch(/a decision and not an error: do not try it again/);
  });

  test("A thrown error loses its reason on the way to the agent, so that a refusal must be an answer.", async () => {
    const words = await tab.run(async () => {
      const context = (document as unknown as { modelContext: { registerTool(tool: object): Promise<void> } })
        .modelContext;
      const execute = () => Promise.reject(new Error("A person declined."));
      await context.registerTool({ name: "throws", description: "Throws", execute });
      return call("throws").then(
        () => "resolved",
        (error: Error) => `${error.name}: ${error.message}`,
      );
    });
    expect(words).toMatch(/^UnknownError/);
    expect(words).not.toContain("A person declined.");
  });

  test("An approved call's own result reaches the agent whole.", async () => {
    const { proposal } = await proposeTo(tab, "rotate_key", ROTATE);
    await press(tab, proposal, "release");
    const { result } = await standing(tab, proposal, "committed");
    const { secretEnds, ...rest } = JSON.parse(result as string) as Record<string, unknown>;
    expect(rest).toEqual({ done: true, running: "52 of 52 services" });
    expect(await ask(tab, "key_uses", { key: "storage" })).toMatchObject({ secretEnds });
  });

  test("A key's secret is never shown in full and is in no result: four characters of it are.", async () => {
    const { proposal } = await proposeTo(tab, "rotate_key", ROTATE);
    await press(tab, proposal, "release");
    await standing(tab, proposal, "committed");
    const { drawn, everything } = await tab.run(async () => ({
      drawn: (window as unknown as { drawn: string[] }).drawn,
      everything: [
        document.documentElement.outerHTML,
        await call("who_has_access"),
        await call("key_uses", { key: "storage" }),
        await call("audit_trail", { limit: 100 }),
        await call("check_proposal", { proposal: "p1" }),
        JSON.stringify({ ...sessionStorage }),
      ].join("\n"),
    }));
    expect(drawn.length).toBe(9);
    const newest = drawn.at(-1) ?? "";
    expect(everything).toContain(newest.slice(-4));
    for (const secret of drawn) expect(everything).not.toContain(secret.slice(0, 8));
    for (const secret of drawn) expect(everything).not.toContain(secret.slice(-6));
  });
});

describe("the approval channel", () => {
  test("A page's script that presses the button is recorded as one, and every decision in a page as client-asserted.", async () => {
    const { proposal } = await proposeTo(tab, "change_grant", { role: "batch", grant: "deploy", allowed: true });
    await tab.run((id) => (document.querySelector(`#card-${id} [data-act=release]`) as HTMLElement).click(), proposal);
    await standing(tab, proposal, "committed");
    const { entries } = (await ask(tab, "audit_trail", { limit: 100 })) as { entries: { what: string }[] };
    expect(entries.map(({ what }) => what)).toContain("Released by an event that a script made.");
    expect(await seenText(tab, "#held .grade")).toContain("client-asserted");
  });

  test("A press of the browser's own is recorded as one.", async () => {
    const { proposal } = await proposeTo(tab, "change_grant", { role: "batch", grant: "deploy", allowed: true });
    await press(tab, proposal, "release");
    await standing(tab, proposal, "committed");
    const { entries } = (await ask(tab, "audit_trail", { limit: 100 })) as { entries: { what: string }[] };
    expect(entries.map(({ what }) => what)).toContain("Released.");
  });

  test("With the desk there is nothing in the page to press.", async () => {
    const desked = await exampleTab(browser, { desk: true });
    await openExample(desked, site.at("access"), "revoke_key");
    expect(await seenText(desked, "#held")).toContain("Countersign decides");
    expect(await desked.run(() => document.querySelectorAll("#held button").length)).toBe(0);
    expect(await desked.run(async () => Object.keys(await listed()))).not.toContain("check_proposal");
  });
});

describe("classification", () => {
  test("A tool is a write unless it says strictly that it reads: none of our writes says so.", async () => {
    const hints = await tab.run(async () =>
      Object.values(await listed())
        .filter(({ annotations }) => annotations?.readOnlyHint !== true)
        .map(({ name }) => name)
        .sort(),
    );
    expect(hints).toEqual(["change_grant", "remove_role", "revoke_key", "rotate_key"]);
  });

  test("A read of ours changes nothing while it runs.", async () => {
    const before = await ask(tab, "who_has_access");
    for (const [name, args] of [
      ["key_uses", REVOKE],
      ["audit_trail", {}],
      ["revoke_key.preview", REVOKE],
      ["rotate_key.preview", ROTATE],
    ] as const) {
      await ask(tab, name, args);
    }
    expect(await ask(tab, "who_has_access")).toEqual(before);
    expect(await tab.run(() => (window as unknown as { drawn: string[] }).drawn.length)).toBe(8);
  });

  test("Permission can be taken back: without the write tools an agent keeps its reads.", async () => {
    await tab.press("#writes");
    await tab.run(() => until(async () => !("revoke_key" in (await listed()))));
    expect(await tab.run(async () => Object.keys(await listed()).sort())).toEqual([
      "audit_trail",
      "check_proposal",
      "key_uses",
      "list_proposals",
      "who_has_access",
    ]);
  });
});

describe("the platform", () => {
  test("The tools are listed by a promise, and a tool's schema may be text.", async () => {
    const [isPromise, required] = await tab.run(async () => {
      const { modelContext } = document as unknown as { modelContext: { getTools(): unknown } };
      const { inputSchema } = (await listed())["rotate_key"] ?? {};
      const schema = (typeof inputSchema === "string" ? JSON.parse(inputSchema) : inputSchema) as {
        required: string[];
      };
      return [modelContext.getTools() instanceof Promise, schema.required] as const;
    });
    expect(isPromise).toBe(true);
    expect(required).toEqual(["key", "overlap_hours"]);
  });

  test("The page asks document.modelContext and never the name that is going away.", async () => {
    expect(await tab.run(() => (window as unknown as { oldName: number }).oldName)).toBe(0);
  });
});
