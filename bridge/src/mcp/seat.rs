use std::sync::Arc;

use async_trait::async_trait;
use countersign_contract::{ProposalId, Tool, ToolKey, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What a client is given to see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Surface {
    /// How the client stands.
    pub standing: Standing,
    /// The person withdrew every tool that changes something.
    pub writes_revoked: bool,
    /// The pages, and what each offers. Empty unless the client is here.
    pub pages: Vec<Page>,
}

/// How a client stands to the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum Standing {
    /// It may read, and ask for writes.
    Here,
    /// Not yet, or not any more: the app does not run, or nobody has let the client in.
    Away {
        /// Why, and what to do, in whole sentences.
        why: String,
    },
}

/// A tab, as clients know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// Its handle: `t` and a number that no other tab has while the app runs.
    pub handle: String,
    /// The title of the tab. Untrusted text.
    pub title: String,
    /// Its address.
    pub url: String,
    /// The tools of all its frames.
    pub tools: Vec<Offered>,
}

/// A tool, as the desk takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offered {
    /// The tool as its page published it.
    pub tool: Tool,
    /// A call runs at once; otherwise it is held.
    pub reads: bool,
}

impl Surface {
    /// Nothing to see, and why.
    pub fn away(why: impl Into<String>) -> Self {
        let why = why.into();
        Self {
            standing: Standing::Away { why },
            writes_revoked: false,
            pages: Vec::new(),
        }
    }
}

/// What came of an ask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "asked")]
pub enum Asked {
    /// The read ran.
    Read {
        /// The page's answer. Untrusted text.
        result: String,
    },
    /// The write is held, and the ledger has it.
    Held {
        /// What the client is told of it.
        told: Told,
    },
    /// Nothing was held. Where a read had begun, how it ended is not known.
    Failed {
        /// Why, and what to do.
        message: String,
    },
}

/// What a client is told of something it asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    /// The proposal.
    pub proposal: ProposalId,
    /// The tool it asked for.
    pub tool: String,
    /// How it stands.
    pub verdict: Verdict,
    /// The same for a model: what happened, whether anything changed, what to do.
    pub text: String,
    /// No further change can come.
    pub settled: bool,
}

/// One client's place at the desk.
#[async_trait]
pub trait Seat: Send + Sync {
    /// What it is given to see, from now on.
    fn surface(&self) -> watch::Receiver<Arc<Surface>>;

    /// Asks for a call. A read has run when this returns; a write is held and durable in the ledger. Cancelling ends a running
    /// read, and takes a write back that was held in the meantime.
    async fn ask(&self, tool: &ToolKey, arguments: Value, cancel: CancellationToken) -> Asked;

    /// How something stands that this client asked for, in this run or an earlier one; `None` when it never did.
    async fn check(&self, proposal: &ProposalId) -> Option<Told>;

    /// Everything of this run that the client asked for, oldest first.
    async fn list(&self) -> Vec<Told>;

    /// Takes something back that is still held, and says how it stands then.
    async fn withdraw(&self, proposal: &ProposalId) -> Option<Told>;

    /// Waits, without a limit, until it is settled. Whoever stops waiting changes nothing.
    async fn settled(&self, proposal: &ProposalId) -> Option<Told>;
}

/// Where a client is shown to its seat.
#[async_trait]
pub trait Lobby: Send + Sync + 'static {
    /// The seat of the client that calls itself so. The same client is given the same seat.
    async fn seat(&self, name: &str, version: &str, came: &Came) -> Result<Arc<dyn Seat>, String>;
}

/// What is known of how a request came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Came {
    /// The name of the token it had.
    pub token: Option<String>,
}
