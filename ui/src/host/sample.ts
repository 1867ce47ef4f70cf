import type {
  Client,
  ClientStanding,
  ClientTokenParams,
  DeskState,
  HideToolParams,
  LedgerRowsParams,
  PairParams,
  PanelState,
  ProposalState,
  RefuseAllParams,
  ReleaseParams,
  RefuseParams,
  ResumeParams,
  RevokeRuleParams,
  RevokeWritesParams,
  SetAsideParams,
  SetClientsParams,
  TurnAwayParams,
  UnpairParams,
} from "../gen/contract";
import { isOpen } from "../words/act";
import type { Host, Streams } from "./bridge";
import { armed } from "./sample/clients";
import { broken, desks } from "./sample/desks";
import { panels } from "./sample/panels";
import { extensionFolder, hosts, noHosts } from "./sample/extension";
import { rowPage } from "./sample/rows";
import { digest } from "./sample/shop";
import { hideRule } from "./sample/standing";

/** Presses a button by its words, so that a picture can show what lies behind it: `&press=Refuse`. */
function press(label: string) {
  const buttons = Array.from(document.querySelectorAll<HTMLElement>("button, summary"));
  buttons.find((button) => (button.ariaLabel ?? button.textContent).trim() === label)?.click();
}

/** A host without a desktop: `panel.html?sample=held` shows one state of one window, and decisions only change the sample. */
export function sampleHost(name = new URLSearchParams(location.search).get("sample") ?? ""): Host {
  const hearers = new Map<keyof Streams, Set<(value: never) => void>>();
  let panel = (panels[name] ?? panels["empty"])?.();
  let desk = (desks[name] ?? desks["held"])?.();

  function tell(next: DeskState) {
    desk = { ...next, revision: next.revision + 1 };
    for (const hear of hearers.get("desk") ?? []) hear(desk as never);
  }

  function settle(proposal: string, state: ProposalState) {
    if (desk === undefined) return;
    tell({ ...desk, proposals: desk.proposals.map((one) => (one.id === proposal ? { ...one, state } : one)) });
  }

  function tellPanel(change: (at: DeskState) => Partial<DeskState>) {
    if (panel === undefined) return;
    panel = { ...panel, desk: { ...panel.desk, ...change(panel.desk) } };
    for (const hear of hearers.get("panel") ?? []) hear(panel as never);
  }

  /** Puts a client where the panel and the approval window are told of it. */
  const stand = (clients: Client[], id: string, standing: ClientStanding) =>
    clients.map((one) => (one.id === id ? { ...one, standing } : one));

  function tellSettings(
    settings: Partial<PanelState["settings"]["clients"]>,
    doors: Partial<PanelState["clientDoors"]>,
  ) {
    if (panel === undefined) return;
    const clients = { ...panel.settings.clients, ...settings };
    panel = { ...panel, settings: { ...panel.settings, clients }, clientDoors: { ...panel.clientDoors, ...doors } };
    for (const hear of hearers.get("panel") ?? []) hear(panel as never);
  }

  const withoutToken = (name: string) => panel?.settings.clients.tokens.filter((token) => token.name !== name) ?? [];

  const commands: Record<string, (params: never) => unknown> = {
    panel_state: () => panel,
    approval_state: () => desk,
    approval_release: ({ proposal }: ReleaseParams) =>
      settle(proposal, { state: "committed", result: '{"order":"o-1042"}', digest: digest("result") }),
    approval_refuse: ({ proposal, reason }: RefuseParams) => settle(proposal, { state: "refused", reason }),
    approval_refuse_all: ({ proposals, reason }: RefuseAllParams) =>
      proposals.forEach((proposal) => settle(proposal, { state: "refused", reason })),
    approval_resume: ({ origin, ingress }: ResumeParams) => {
      if (desk === undefined) return;
      tell({ ...desk, paused: desk.paused.filter((one) => one.origin !== origin || one.ingress !== ingress) });
    },
    revoke_rule: ({ rule }: RevokeRuleParams) =>
      tellPanel(({ rules }) => ({
        rules: rules.filter((one) => (rule === undefined ? one.effect === "hide" : one.id !== rule)),
      })),
    revoke_writes: ({ revoked }: RevokeWritesParams) =>
      tellPanel(() => ({ writesRevokedAt: revoked ? new Date().toISOString() : undefined })),
    hide_tool: ({ tool }: HideToolParams) => tellPanel(({ rules }) => ({ rules: [hideRule(tool), ...rules] })),
    approval_pair: ({ client }: PairParams) => {
      const paired = { state: "paired", at: new Date().toISOString() } as const;
      if (desk !== undefined) tell({ ...desk, clients: stand(desk.clients, client, paired) });
    },
    approval_turn_away: ({ client }: TurnAwayParams) => {
      if (desk !== undefined) tell({ ...desk, clients: stand(desk.clients, client, { state: "refused" }) });
    },
    unpair_client: ({ client }: UnpairParams) =>
      tellPanel(({ clients }) => ({ clients: stand(clients, client, armed) })),
    set_clients: ({ keep, http, port }: SetClientsParams) =>
      tellSettings(
        { keep, http, port },
        { http: http ? `http://127.0.0.1:${port}/mcp` : undefined, httpProblem: undefined },
      ),
    make_client_token: ({ name: made }: ClientTokenParams) => {
      tellSettings({ tokens: [...withoutToken(made), { name: made, digest: digest(made) }] }, {});
      return { token: `cs_${digest(made).slice(0, 43)}` };
    },
    remove_client_token: ({ name: gone }: ClientTokenParams) => tellSettings({ tokens: withoutToken(gone) }, {}),
    approval_set_aside: ({ proposal, aside }: SetAsideParams) => settle(proposal, { state: "held", setAside: aside }),
    ledger_rows: ({ limit, filter, before }: LedgerRowsParams) => rowPage(name, limit, filter, before),
    ledger_verify: () =>
      name === "broken"
        ? { rows: 13, head: digest("row13"), fault: broken.state === "broken" ? broken.fault : undefined }
        : { rows: 130, head: digest("row130") },
    extension_hosts: () => (name === "extension-none" ? noHosts() : hosts()),
    write_extension_host: () => hosts(),
    extension_folder: () => extensionFolder,
    list_models: () => [
      { name: "qwen3:8b", tools: true },
      { name: "gemma3:4b", tools: false },
      { name: "llama3.2:3b" },
    ],
  };

  const presses = new URLSearchParams(location.search).getAll("press");
  if (presses.length > 0)
    setTimeout(() => presses.forEach((label, at) => setTimeout(() => press(label), at * 100)), 300);

  return {
    call: (command, params) => Promise.resolve(commands[command]?.(params as never)),
    subscribe(stream, hear) {
      const all = hearers.get(stream) ?? new Set();
      hearers.set(stream, all.add(hear as (value: never) => void));
      const ended = desk?.proposals.find((proposal) => !isOpen(proposal.state));
      if (stream === "select" && ended !== undefined && desk?.proposals[0] === ended) hear(ended.id as never);
      return () => all.delete(hear as (value: never) => void);
    },
  };
}
