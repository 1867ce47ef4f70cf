use async_trait::async_trait;
use countersign_contract::{Answer, ChatItem, ProposalId, Tool, ToolKey};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// What the loop needs from whatever runs it, and nothing more.
#[async_trait]
pub trait Host: Send + Sync {
    /// The tools of every page that it may use, now. Companion previews are left out.
    async fn tools(&self) -> Vec<Tool>;

    /// Asks for a call. A read has run when this returns; a write is held and durable in the ledger. `caller` is the model's
    /// label. Cancelling ends a running read.
    async fn ask(&self, tool: &ToolKey, arguments: Value, caller: &str, cancel: CancellationToken) -> Asked;

    /// Waits, without a limit, until a held write is settled, and says how.
    async fn settled(&self, proposal: &ProposalId) -> Answer;

    /// Takes a held write back. Nothing happens when it is decided already.
    async fn withdraw(&self, proposal: &ProposalId);

    /// Puts a new entry at the end of the conversation and returns its number.
    fn push(&self, item: ChatItem) -> u64;

    /// Replaces an entry.
    fn update(&self, entry: u64, item: ChatItem);
}

/// What came of an ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// The read ran.
    Read {
        /// The page's answer. Untrusted text.
        result: String,
    },
    /// The write is held.
    Held {
        /// The proposal.
        proposal: ProposalId,
    },
    /// It was not taken, and has not run: the person, a rule or the governor said so.
    TurnedAway {
        /// For the model and the person; the desk's own words.
        message: String,
    },
    /// Nothing ran, or the page failed.
    Failed {
        /// For the model and the person.
        message: String,
    },
}
