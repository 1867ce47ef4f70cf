import { fireEvent, render, screen } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import Approval from "../src/approval/Approval.svelte";
import type { Client, DeskState, PanelState, Proposal, Row } from "../src/gen/contract";
import { useHost } from "../src/host";
import { rowPage } from "../src/host/sample/rows";
import Ledger from "../src/ledger/Ledger.svelte";
import Panel from "../src/panel/Panel.svelte";
import { visible } from "../src/words/visible";
import { approvalHost, FakeHost, painted, panelHost } from "./fake";
import { clients, entries, notices, paused, poisoned, proposals, rowKinds, rules, tab } from "./untrusted";

// Everything a page, a model or a caller can choose is filled with the same text, twice: once with a harmless one, once with
// one that tries to become something. What is drawn must have the same elements with the same attributes both times.

const nasty =
  '"><img src=x onerror=alert(1)><script>alert(1)</script><a href="javascript:alert(1)">x</a>' +
  "</p></bdi></main><style>*{display:none}</style><svg/onload=alert(1)><iframe srcdoc=x></iframe><form action=//e.example>" +
  "{@html 1}{{1+1}}${1} [click](https://e.example) **b** # h https://e.example <!-- \u202e\u2066\u200b\u0000\u0007\u00ad\u{e0041} --> ";
const plain = "Nothing here but words, about as many of them as there are in the other. "
  .repeat(5)
  .slice(0, nasty.length);

/** Every element as its name and attributes, with the values of those that say where to go or what to do. */
function shape(root: ParentNode): Set<string> {
  const all = [...root.querySelectorAll("*")].map((element) => {
    const names = [...element.attributes].map(({ name }) => name).sort();
    return `${element.localName} ${names.join(" ")}`;
  });
  return new Set(all);
}

const marks = new Set(["span class title"]);
const active = "script, img, a, iframe, object, embed, style, svg, link, base, meta, math, template, video, audio, b";

function isText(root: HTMLElement, harmless: Set<string>) {
  expect(root.querySelector(active)).toBeNull();
  const added = [...shape(root)].filter((one) => !harmless.has(one) && !marks.has(one));
  expect(added).toEqual([]);
  for (const element of root.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^on|^(href|src|srcdoc|action|formaction|style)$/);
      expect(value).toBe(visible(value));
    }
  }
  expect(root.textContent).toBe(visible(root.textContent));
}

const boring = (revision: number, given: Partial<DeskState>): DeskState => ({
  revision,
  doors: [{ kind: "browser", status: { state: "open", product: "Chrome" } }],
  tabs: [],
  proposals: [],
  rules: [],
  clients: [],
  descriptors: [],
  paused: [],
  notices: [],
  ledger: { seq: 1, hash: "0".repeat(64), state: { state: "intact" } },
  ...given,
});

/** Opens everything that can be opened, so that what is folded away is drawn as well. */
async function unfold(root: HTMLElement) {
  for (const details of root.querySelectorAll("details")) {
    details.open = true;
    await fireEvent(details, new Event("toggle"));
  }
  for (const button of root.querySelectorAll<HTMLElement>("[aria-expanded=false]:not([data-from])"))
    await fireEvent.click(button);
  await painted();
}

async function drawn(show: () => { container: HTMLElement; unmount: () => void }, steps: string[] = []) {
  const { container, unmount } = show();
  await screen.findByRole("main");
  await painted();
  await unfold(container);
  for (const name of steps) {
    const step = screen.queryAllByRole("button", { name }).at(0) ?? screen.queryAllByLabelText(name).at(0);
    if (step === undefined) throw new Error(`there is nothing called ${name}`);
    await fireEvent.click(step);
    await painted();
  }
  return { container, unmount };
}

async function bothWays(show: (text: string) => { container: HTMLElement; unmount: () => void }, steps?: string[]) {
  const first = await drawn(() => show(plain), steps);
  expect(first.container.textContent).toContain(plain.slice(0, 20));
  const harmless = shape(first.container);
  first.unmount();
  const second = await drawn(() => show(nasty), steps);
  isText(second.container, harmless);
  return second.container;
}

beforeEach(() => history.replaceState(null, "", "#"));

describe("text of others in the approval window", () => {
  const card = (name: string, text: string): Proposal => poisoned(proposals[name] as Proposal, text);
  const paired = clients.filter(({ standing }) => standing.state === "paired");
  const asking = clients.filter(({ standing }) => standing.state === "asking");
  const window = (given: Partial<DeskState>) => {
    approvalHost(boring(1, given));
    return render(Approval);
  };

  it.each(Object.keys(proposals))("is text in every part of a card: %s", async (name) => {
    const container = await bothWays((text) =>
      window({ proposals: [card(name, text)], rules: poisoned(rules, text), clients: poisoned(paired, text) }),
    );
    expect(container.querySelector("h1")?.textContent).toContain('"><img src=x onerror=alert(1)>');
  });

  it.each([
    [["Allow more like it…", "Some of these as they are"]],
    [["Allow more like it…", "Any arguments"]],
    [["Refuse", "Refuse this from now on"]],
    [["Edit arguments"]],
    [["Edit arguments", "Edit as JSON"]],
  ])("is text where a rule or an edit is made: %j", async (steps) => {
    await bothWays((text) => window({ proposals: [card("plain", text)] }), steps);
  });

  it("is text in the queue, in its groups and in what is paused", async () => {
    await bothWays(
      (text) => {
        const many = [1, 2, 3].map((at) => ({ ...card("plain", text), id: `p${at}` }));
        return window({ proposals: [card("request", text), ...many], paused: poisoned(paused, text) });
      },
      ["Refuse all 3…"],
    );
  });

  it.each([0, 1])("is text in every part of the card of a client: %i", async (at) => {
    const container = await bothWays((text) => window({ clients: poisoned([...asking.slice(at), ...paired], text) }));
    expect(container.querySelector("h1")?.textContent).toContain('"><img src=x onerror=alert(1)>');
    expect(container.querySelector("nav")?.textContent).toContain('"><img src=x onerror=alert(1)>');
  });

  it.each(["Pair", "Do not pair"])("is text in what is said of a client after %s", async (name) => {
    const to = clients.find(({ standing }) => standing.state === (name === "Pair" ? "paired" : "refused")) as Client;
    const container = await bothWays(
      (text) => {
        const [one] = poisoned(asking, text) as [Client];
        const host = approvalHost(boring(1, { clients: [one] }));
        const after = boring(2, { clients: [{ ...one, standing: to.standing }] });
        host.answers["approval_pair"] = host.answers["approval_turn_away"] = () => host.say("desk", after);
        return render(Approval);
      },
      [name],
    );
    expect(container.querySelector("main")?.textContent).toMatch(/alert\(1\).*paired/s);
  });

  it("never gets longer than its place in the heading, the footer and the queue", async () => {
    const wall = "W".repeat(50_000);
    const { container } = await drawn(() => window({ proposals: [card("plain", wall), card("request", wall)] }));
    for (const place of ["h1", "footer", "nav"])
      expect(container.querySelector(place)?.textContent.length).toBeLessThan(2_000);
  });
});

describe("text of others in the panel", () => {
  const state = (text: string, conversation = true): PanelState => ({
    desk: boring(1, {
      tabs: [poisoned(tab, text)],
      descriptors: [{ by: "countersign", origin: text, tool: text }],
      rules: poisoned(rules, text),
      clients: poisoned(clients, text),
      paused: poisoned(paused, text),
      notices: notices.map((seen) => ({
        ...seen,
        ...poisoned({ tool: seen.tool, origin: seen.origin }, text),
        changes: seen.changes.map((change) => ({ ...change, key: text })),
      })),
    }),
    conversation: { entries: conversation ? poisoned(entries, text) : [], running: false },
    settings: {
      ...{ provider: "none", sites: [], beside: [], relay: { on: false, origin: text, port: 7340 } },
      mcpB: { on: true, origins: [text], widgets: [text], port: 9333 },
      clients: { keep: true, http: true, port: 7350, tokens: [{ name: text, digest: text }] },
      markedReads: [{ origin: text, tool: text, digest: text }],
      descriptors: [JSON.stringify({ descriptor: 1, tool: text, origin: text })],
    } as unknown as PanelState["settings"],
    provider: { label: text, ready: false, problem: text, keys: { state: "keyring" }, keysFor: [] },
    relay: { attached: false, silent: false },
    mcpB: { on: text, pages: 1, refused: { reason: text, times: 2 } },
    clientDoors: { program: text, problem: text, http: text },
  });
  const window = (hash: string, text: string, conversation?: boolean) => {
    location.hash = hash;
    panelHost(state(text, conversation));
    return render(Panel);
  };

  it.each(["", "#tools", "#rules", "#settings"])("is text in every view: %j", async (hash) => {
    const container = await bothWays((text) => window(hash, text));
    expect(container.textContent).toContain("<script>alert(1)</script>");
  });

  it("is text where a pairing is ended, where a token was made, and in what went wrong", async () => {
    await bothWays(
      (text) => {
        const one = state(text);
        const kept = poisoned(
          clients.filter(({ id }) => id === "c1"),
          text,
        );
        location.hash = "#settings";
        const host = panelHost({ ...one, desk: { ...one.desk, clients: kept }, clientDoors: { httpProblem: text } });
        host.answers["make_client_token"] = () => ({ token: text });
        host.answers["set_clients"] = () => {
          throw { code: "settings", message: text };
        };
        const shown = render(Panel);
        void screen
          .findByLabelText("Name of a new token")
          .then((field) => fireEvent.input(field, { target: { value: text } }));
        return shown;
      },
      ["End pairing…", "Make a token", "Turn HTTP on"],
    );
    expect(screen.getByText("The new token")).toBeTruthy();
  });

  it("is text before the first prompt", async () => {
    await bothWays((text) => window("", text, false));
  });
});

describe("text of others in the ledger", () => {
  it("is text in every kind of row", async () => {
    const rows = (text: string): Row[] => {
      const [some] = rowPage("full", 1, "").rows;
      return rowKinds.map((kind, at) => ({
        ...(some as Row),
        seq: at + 1,
        kind,
        seat: text,
        data: {
          who: { name: text, program: text, token: text },
          ...Object.fromEntries(
            [
              ...["tool", "name", "origin", "url", "reason", "caller", "why", "how", "effect", "uses", "byRule"],
              ...["client", text],
            ].map((member) => [member, text]),
          ),
        },
      }));
    };
    const container = await bothWays((text) => {
      const host = new FakeHost();
      const all = rows(text);
      host.answers["ledger_rows"] = () => ({ rows: all, total: all.length, path: text, state: { state: "intact" } });
      useHost(host);
      return render(Ledger);
    });
    expect(container.querySelectorAll("details")).toHaveLength(rowKinds.length);
  });
});
