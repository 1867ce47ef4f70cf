use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{ProposalId, RuleId};

/// One conversation with a model, as the panel shows it. Lives in memory for the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Conversation {
    /// What was said and done, oldest first.
    pub entries: Vec<ChatEntry>,
    /// A turn is running and can be cancelled.
    pub running: bool,
}

/// One thing in a conversation. `id` is unique in it and never changes place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ChatEntry {
    /// Its number, from 1.
    #[ts(type = "number")]
    pub id: u64,
    /// What it is.
    pub item: ChatItem,
}

/// What can stand in a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[ts(export_to = "contract.ts")]
pub enum ChatItem {
    /// What the person typed.
    Prompt {
        /// The text.
        text: String,
    },
    /// What the model said; grows while it streams.
    Text {
        /// The text so far.
        text: String,
        /// No more will come.
        done: bool,
    },
    /// A tool call, by the model or by hand.
    Call(ToolCall),
    /// The turn stopped for a reason the person should see (round limit, cancelled, length).
    Stopped {
        /// Why, and what to do.
        message: String,
    },
    /// The turn failed.
    Failed(crate::ErrorView),
}

/// A tool call as it happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ToolCall {
    /// The tool's own name.
    pub tool: String,
    /// The origin of the page it belongs to; empty when the model named a tool that does not exist.
    pub origin: String,
    /// The arguments.
    pub arguments: Value,
    /// How it stands.
    pub state: CallState,
    /// Milliseconds from the call to its end, waiting for a person left out.
    #[ts(optional, type = "number")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// How a tool call stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum CallState {
    /// A read that is running, or a released write that is running.
    Running,
    /// A read's answer.
    Read {
        /// What the page answered. Untrusted text.
        result: String,
    },
    /// A write, waiting in the approval window.
    Held {
        /// The proposal.
        proposal: ProposalId,
    },
    /// A write that has been decided; the proposal has the particulars.
    Decided {
        /// The proposal.
        proposal: ProposalId,
        /// What the caller was told.
        answer: Answer,
    },
    /// It never reached the page, or the page failed.
    Failed {
        /// What happened and what to do.
        message: String,
    },
    /// Cancelled by the person.
    Cancelled,
}

/// What a caller is told about its write. `text` is complete: what happened, whether anything changed, what to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Answer {
    /// Which of the ends it is.
    pub verdict: Verdict,
    /// In words a model cannot mistake for a bug.
    pub text: String,
    /// The rule that released it, when nobody pressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub by_rule: Option<RuleId>,
}

/// The ends a write can come to, in the words of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum Verdict {
    /// Waiting for a decision; neither success nor failure.
    Held,
    /// Released and sent; how it ended is not known yet.
    Released,
    /// Released, and the page reported success.
    Committed,
    /// Released, and the page reported failure.
    Failed,
    /// Released, and a gate of the page's own still holds it; neither success nor failure.
    PageWaits,
    /// Released, and a gate of the page's own did not let it through.
    PageDeclined,
    /// One use was granted; nothing has run yet.
    Granted,
    /// Refused by decision.
    Refused,
    /// Nobody decided in time.
    Expired,
    /// Held again because a price or the definition moved.
    Repriced,
    /// Taken back by its caller.
    Withdrawn,
    /// The page is gone; nothing ran.
    PageGone,
    /// Released, and nobody saw how it ended.
    Unknown,
}
