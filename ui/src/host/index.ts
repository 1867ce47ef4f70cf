import type {
  Beside,
  ClientSetup,
  ClientTokenParams,
  DeskState,
  EditParams,
  ErrorView,
  ExampleName,
  GrantOnceParams,
  HideToolParams,
  LedgerRowsParams,
  ListModelsParams,
  MarkReadParams,
  ModelInfo,
  NewClientToken,
  PairParams,
  PanelState,
  RefuseAllParams,
  RefuseParams,
  McpBOnParams,
  RelayOnParams,
  ReleaseParams,
  ResumeParams,
  RevokeRuleParams,
  RevokeWritesParams,
  RowPage,
  RunToolParams,
  SetAsideParams,
  SetClientsParams,
  SetKeyParams,
  Settings,
  ShownClientParams,
  ShownParams,
  TakeFiveLedger,
  TakeFiveParams,
  TurnAwayParams,
  UnpairParams,
  VerifyReport,
  WriteClientSetupParams,
} from "../gen/contract";
import type { Host, Streams, WindowName } from "./bridge";

export type { Host, Streams, WindowName };

let host: Host | undefined;

/** Picks what runs this window: the desktop, or samples in a plain browser. */
export async function connect(): Promise<void> {
  if (host !== undefined) return;
  host = "__TAURI_INTERNALS__" in window ? (await import("./tauri")).desktop : (await import("./sample")).sampleHost();
}

/** Puts another host in place; for tests. */
export function useHost(other: Host | undefined): void {
  host = other;
}

function call<T>(command: string, params?: object): Promise<T> {
  if (host === undefined) return Promise.reject(new Error("No host is connected yet."));
  return host.call(command, params) as Promise<T>;
}

export function subscribe<S extends keyof Streams>(stream: S, hear: (value: Streams[S]) => void): () => void {
  return host?.subscribe(stream, hear) ?? (() => undefined);
}

/** Whatever a command rejected with, as an error a screen can show. */
export function asError(cause: unknown): ErrorView {
  if (typeof cause === "object" && cause !== null && "message" in cause && typeof cause.message === "string") {
    return { code: "internal", ...cause, message: cause.message };
  }
  return { code: "internal", message: typeof cause === "string" ? cause : "Something failed and gave no reason." };
}

export const windowPainted = (name: WindowName) => call<void>("window_painted", { window: name });

export const panel = {
  state: () => call<PanelState>("panel_state"),
  sendPrompt: (text: string) => call<void>("send_prompt", { text }),
  cancelTurn: () => call<void>("cancel_turn"),
  newConversation: () => call<void>("new_conversation"),
  runTool: (params: RunToolParams) => call<void>("run_tool", params),
  openExample: (example: ExampleName = "shop") => call<void>("open_example", { example }),
  openUrl: (url: string) => call<void>("open_url", { url }),
  closeBrowser: () => call<void>("close_browser"),
  showApproval: (proposal?: string) => call<void>("show_approval", proposal === undefined ? {} : { proposal }),
  showLedger: () => call<void>("show_ledger"),
  withdraw: (proposal: string) => call<void>("withdraw", { proposal }),
  saveSettings: (settings: Settings) => call<void>("save_settings", settings),
  setBeside: (params: Beside) => call<void>("set_beside", params),
  setKey: (params: SetKeyParams) => call<void>("set_key", params),
  listModels: (params: ListModelsParams) => call<ModelInfo[]>("list_models", params),
  revokeRule: (params: RevokeRuleParams) => call<void>("revoke_rule", params),
  revokeWrites: (params: RevokeWritesParams) => call<void>("revoke_writes", params),
  hideTool: (params: HideToolParams) => call<void>("hide_tool", params),
  grantOnce: (params: GrantOnceParams) => call<void>("grant_once", params),
  turnRelayOn: (params: RelayOnParams) => call<void>("turn_relay_on", params),
  turnRelayOff: () => call<void>("turn_relay_off"),
  turnMcpBOn: (params: McpBOnParams) => call<void>("turn_mcp_b_on", params),
  turnMcpBOff: () => call<void>("turn_mcp_b_off"),
  markRead: (params: MarkReadParams) => call<void>("mark_read", params),
  unpairClient: (params: UnpairParams) => call<void>("unpair_client", params),
  setClients: (params: SetClientsParams) => call<void>("set_clients", params),
  makeClientToken: (params: ClientTokenParams) => call<NewClientToken>("make_client_token", params),
  removeClientToken: (params: ClientTokenParams) => call<void>("remove_client_token", params),
  clientSetups: () => call<ClientSetup[]>("client_setups"),
  writeClientSetup: (params: WriteClientSetupParams) => call<ClientSetup[]>("write_client_setup", params),
};

export const approval = {
  state: () => call<DeskState>("approval_state"),
  shown: (params: ShownParams) => call<void>("approval_shown", params),
  release: (params: ReleaseParams) => call<void>("approval_release", params),
  refuse: (params: RefuseParams) => call<void>("approval_refuse", params),
  refuseAll: (params: RefuseAllParams) => call<void>("approval_refuse_all", params),
  resume: (params: ResumeParams) => call<void>("approval_resume", params),
  edit: (params: EditParams) => call<void>("approval_edit", params),
  setAside: (params: SetAsideParams) => call<void>("approval_set_aside", params),
  hide: () => call<void>("approval_hide"),
  clientShown: (params: ShownClientParams) => call<void>("approval_client_shown", params),
  pair: (params: PairParams) => call<void>("approval_pair", params),
  turnAway: (params: TurnAwayParams) => call<void>("approval_turn_away", params),
};

export const ledger = {
  rows: (params: LedgerRowsParams) => call<RowPage>("ledger_rows", params),
  verify: () => call<VerifyReport>("ledger_verify"),
  reveal: () => call<void>("ledger_reveal"),
  takeFive: (params: TakeFiveParams) => call<TakeFiveLedger>("ledger_take_five", params),
};
