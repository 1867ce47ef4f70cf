use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{
    Client, ClientDoors, Conversation, DescriptorRef, DoorKind, DoorState, Fingerprint, LedgerState, McpBState,
    NewRule, Notice, Pause, Proposal, ProposalId, ProviderStatus, RelayState, Rule, Settings, Tab, ToolKey,
};

/// Everything the windows draw, as one value: a screen is a function of this and holds no other truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct DeskState {
    /// Grows by one with every change; an older state is dropped.
    #[ts(type = "number")]
    pub revision: u64,
    /// The doors to pages.
    pub doors: Vec<Door>,
    /// The tabs of every open door.
    pub tabs: Vec<Tab>,
    /// Open proposals first (oldest first, set-aside ones last), then settled ones of this run, newest first.
    pub proposals: Vec<Proposal>,
    /// Every rule that is in force, newest first.
    pub rules: Vec<Rule>,
    /// Every MCP client that is paired, asks to be, or was turned away; those that ask first.
    pub clients: Vec<Client>,
    /// Every descriptor that makes cards readable, the person's own first.
    pub descriptors: Vec<DescriptorRef>,
    /// When every write tool was withdrawn from agents; absent while they have them.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes_revoked_at: Option<String>,
    /// Who was stopped because they asked without end.
    pub paused: Vec<Pause>,
    /// What a person should see and need not decide, oldest first.
    pub notices: Vec<Notice>,
    /// What opening the ledger found, and the head now.
    pub ledger: LedgerHead,
}

impl DeskState {
    /// How many proposals wait for a decision.
    pub fn pending(&self) -> usize {
        self.proposals.iter().filter(|p| p.state.is_open()).count()
    }
}

/// A door, and what it is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Door {
    /// Which door.
    pub kind: DoorKind,
    /// What it is doing.
    pub status: DoorState,
}

/// The end of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct LedgerHead {
    /// Rows written.
    #[ts(type = "number")]
    pub seq: u64,
    /// The hash of the last one.
    pub hash: String,
    /// What opening found.
    pub state: LedgerState,
    /// Why nothing can be written now, and so nothing released; absent when all is well.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<String>,
}

/// What the panel window draws: the desk, the conversation, the settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct PanelState {
    /// The desk.
    pub desk: DeskState,
    /// The conversation.
    pub conversation: Conversation,
    /// The settings.
    pub settings: Settings,
    /// What is known of the model in use.
    pub provider: ProviderStatus,
    /// The door for pages that connect by themselves.
    pub relay: RelayState,
    /// The door for pages with the mcp-b widget.
    pub mcp_b: McpBState,
    /// How MCP clients reach the app.
    pub client_doors: ClientDoors,
}

/// `approval_shown`: the approval window has painted a card. Its own visibility and focus are measured by the shell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ShownParams {
    /// The card's proposal.
    pub proposal: ProposalId,
    /// The digest of what was painted.
    pub digest: String,
}

/// `approval_release`: release the proposal exactly as it was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ReleaseParams {
    /// The proposal.
    pub proposal: ProposalId,
    /// The digest of what was shown.
    pub digest: String,
    /// Ids of the critical risks that were ticked off one by one.
    pub acknowledged: Vec<String>,
    /// What was measured of the press.
    pub fingerprint: Fingerprint,
    /// Allow the asks after it along with it.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<NewRule>,
}

/// `approval_refuse`: nothing runs, and the caller is told why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RefuseParams {
    /// The proposal.
    pub proposal: ProposalId,
    /// The digest of what was shown.
    pub digest: String,
    /// Words for the caller; may be empty.
    pub reason: String,
    /// What was measured of the press.
    pub fingerprint: Fingerprint,
    /// Refuse the asks after it along with it.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<NewRule>,
}

/// `approval_edit`: other arguments; makes the next version, with its own digest and a fresh preview.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct EditParams {
    /// The proposal.
    pub proposal: ProposalId,
    /// The digest of the version that is being edited.
    pub digest: String,
    /// The new arguments: a JSON object.
    pub arguments: Value,
}

/// `approval_set_aside`: still held, at the back of the queue; with `false`, back to the front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct SetAsideParams {
    /// The proposal.
    pub proposal: ProposalId,
    /// Put aside, or take up again.
    pub aside: bool,
}

/// `run_tool`: call a tool by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RunToolParams {
    /// The tool.
    pub tool: ToolKey,
    /// A JSON object.
    pub arguments: Value,
}

/// `ledger_rows`: a page of rows, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct LedgerRowsParams {
    /// Only rows before this sequence number.
    #[ts(optional, type = "number")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// At most this many; 500 at most.
    pub limit: u32,
    /// Only rows whose text holds this, ignoring case; empty for all.
    pub filter: String,
}
