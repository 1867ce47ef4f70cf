use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{Grade, Ingress};

/// What a row records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum RowKind {
    /// The ledger was opened by a starting app.
    Opened,
    /// A torn last line was cut off; says how many bytes.
    Recovered,
    /// A door opened or closed.
    Door,
    /// A read ran.
    Read,
    /// A write was held.
    Proposed,
    /// A held write's arguments were edited.
    Amended,
    /// A release was pressed but something had moved; held again.
    Repriced,
    /// A write was released. Durable before anything runs.
    Released,
    /// A write was refused.
    Refused,
    /// A write was put aside, still held.
    SetAside,
    /// A held write expired.
    Expired,
    /// A held write was taken back by its caller.
    Withdrawn,
    /// The page of a held write went away.
    PageGone,
    /// How a released write ended: committed, failed or unknown.
    Outcome,
    /// What reads beside a released write answered before and after it. The page's word on both sides.
    Photographed,
    /// A tool that calls itself a read was caught sending a write.
    LyingRead,
    /// What a page keeps in the browser changed while a tool ran that calls itself a read, or just after, and nobody had
    /// released it. Says what changed, by keys and digests, and whether it can have been anything but that tool.
    ChangedUnreleased,
    /// A page that keeps a chain of its own had the head of it recorded; nothing of it was checked.
    PageHead,
    /// A page entered another phase. Only in a page's own chain.
    Phase,
    /// What another origin claims, word for word. Only in a page's own chain.
    Claim,
    /// A person sent a prompt; its digest only.
    Prompt,
    /// A rule was made. Durable before it is in force.
    RuleMade,
    /// A rule ended: it was revoked.
    RuleEnded,
    /// An ask was turned away without being held: a rule, the governor or the switch said so.
    TurnedAway,
    /// A page was chosen for agents, or is chosen no more; says which, for whom and by what.
    PageChosen,
    /// An MCP client was let in. Durable before it may ask.
    ClientPaired,
    /// An MCP client was not let in.
    ClientRefused,
    /// An MCP client's pairing ended.
    ClientUnpaired,
    /// A source that asked without end was stopped.
    Paused,
    /// A stopped source is heard again.
    Resumed,
    /// Every write tool was withdrawn from agents.
    WritesRevoked,
    /// Agents have their write tools back.
    WritesRestored,
}

/// A row before the ledger numbers, links and stamps it. The grade is derived from `ingress`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowDraft {
    /// What it records.
    pub kind: RowKind,
    /// The way the act came in.
    pub ingress: Ingress,
    /// Who: the caller's name, or `desk`.
    pub seat: String,
    /// The proposal it belongs to, if any.
    pub reference: Option<String>,
    /// The particulars. No floats and no integer beyond 2^53: money and ids are text.
    pub data: Value,
}

/// A row as it stands in the ledger. Body: RFC 8785 JSON of all fields but `hash`; `hash` is SHA-256 of that body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Row {
    /// 1, 2, 3…
    #[ts(type = "number")]
    pub seq: u64,
    /// SHA-256 of this row's body.
    pub hash: String,
    /// SHA-256 of the body before; 64 zeros for the first.
    pub prev: String,
    /// When it was written.
    pub at: String,
    /// What it records.
    pub kind: RowKind,
    /// How well it is known.
    pub grade: Grade,
    /// The way the act came in.
    pub ingress: Ingress,
    /// Who.
    pub seat: String,
    /// The proposal it belongs to, if any.
    #[ts(optional)]
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The particulars.
    pub data: Value,
}

/// What opening a ledger found. Only `Intact` and `TornTail` may append.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum LedgerState {
    /// Every row verifies.
    Intact,
    /// The last line was incomplete and has been cut off.
    TornTail {
        /// Bytes cut.
        #[ts(type = "number")]
        bytes: u64,
    },
    /// A row does not verify; the ledger is read-only.
    Broken {
        /// The first fault.
        fault: Fault,
    },
}

/// The first thing found wrong in a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Fault {
    /// The line, from 1.
    #[ts(type = "number")]
    pub line: u64,
    /// What is wrong.
    pub reason: FaultReason,
    /// In words, with what was expected and what was found.
    pub message: String,
}

/// What can be wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum FaultReason {
    /// Not `<64 hex> <body>`.
    Malformed,
    /// The stored hash is not the SHA-256 of the stored body.
    HashMismatch,
    /// `prev` is not the hash of the row before.
    BrokenLink,
    /// `seq` does not follow.
    BadSequence,
    /// The body is not in canonical form.
    NotCanonical,
    /// The last line has no end.
    TornTail,
}

/// The result of checking a whole ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct VerifyReport {
    /// Rows that verify, counted from the first.
    #[ts(type = "number")]
    pub rows: u64,
    /// The hash of the last row that verifies; 64 zeros when there is none.
    pub head: String,
    /// The first fault, if any.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// A page of rows for the ledger window, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RowPage {
    /// The rows.
    pub rows: Vec<Row>,
    /// How many rows the ledger has in all.
    #[ts(type = "number")]
    pub total: u64,
    /// The file, for `sha256sum` and `countersign-bridge ledger verify`.
    pub path: String,
    /// What opening found.
    pub state: LedgerState,
}
