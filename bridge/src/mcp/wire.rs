//! What `countersign-bridge mcp` and the app say to each other on the local socket, after the greeting.

use countersign_contract::{ProposalId, ToolKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::seat::{Asked, Surface, Told};

/// From the program. The first is `Introduce`; nothing else is heard before it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "say", content = "of")]
pub(super) enum FromProgram {
    /// Who the client says it is.
    Introduce { name: String, version: String },
    /// Answered with [`FromApp::Asked`].
    Ask { id: u64, tool: ToolKey, arguments: Value },
    /// The client does not want the answer of that ask any more. It is answered all the same.
    Cancel { id: u64 },
    /// Answered with [`FromApp::Told`], as the next two are.
    Check { id: u64, proposal: ProposalId },
    /// Takes it back.
    Withdraw { id: u64, proposal: ProposalId },
    /// Waits for the end.
    Settled { id: u64, proposal: ProposalId },
    /// Answered with [`FromApp::List`].
    List { id: u64 },
}

/// From the app.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "say", content = "of")]
pub(super) enum FromApp {
    /// What the client is given to see, whole, after every change.
    Surface(Surface),
    /// What came of an ask.
    Asked { id: u64, asked: Asked },
    /// How something stands.
    Told { id: u64, told: Option<Told> },
    /// Everything of this run.
    List { id: u64, list: Vec<Told> },
}

impl FromApp {
    /// The question it answers.
    pub fn id(&self) -> Option<u64> {
        match self {
            Self::Surface(_) => None,
            Self::Asked { id, .. } | Self::Told { id, .. } | Self::List { id, .. } => Some(*id),
        }
    }
}
