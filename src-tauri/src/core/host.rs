use async_trait::async_trait;
use countersign_agent::{Asked, Host};
use countersign_contract::{Answer, Caller, ChatItem, Fingerprint, Ingress, ProposalId, Tool, ToolKey, Verdict};
use countersign_desk::{CallAsk, DeskError};
use countersign_gate::GateError;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Core;

/// The core as the agent's loop sees it: the panel's model asks, or the panel by hand.
pub struct PanelHost {
    pub core: Core,
    pub ingress: Ingress,
    /// The conversation it belongs to.
    pub task: String,
}

#[async_trait]
impl Host for PanelHost {
    async fn tools(&self) -> Vec<Tool> {
        match self.ingress {
            Ingress::PanelAgent => self.core.desk().agents_tools(),
            _ => self.core.desk().tools(),
        }
    }

    async fn ask(&self, tool: &ToolKey, arguments: Value, caller: &str, cancel: CancellationToken) -> Asked {
        let ask = CallAsk {
            caller: Caller::new(self.ingress, caller),
            tool: tool.clone(),
            arguments,
            fingerprint: Fingerprint::default(),
            task: self.task.clone(),
        };
        match self.core.desk().ask(ask, cancel).await {
            Ok(countersign_desk::Asked::Read(result)) => Asked::Read { result },
            Ok(countersign_desk::Asked::Held(proposal)) => Asked::Held { proposal },
            Err(DeskError::Gate(error @ GateError::TurnedAway { .. })) => Asked::TurnedAway {
                message: error.to_string(),
            },
            Err(error @ DeskError::NotChosen { .. }) => Asked::TurnedAway {
                message: error.to_string(),
            },
            Err(error) => Asked::Failed {
                message: error.to_string(),
            },
        }
    }

    async fn settled(&self, proposal: &ProposalId) -> Answer {
        let lost = || Answer {
            verdict: Verdict::Unknown,
            text: format!("Nobody knows what became of {proposal}. Do not repeat it; ask the person at the desk."),
            by_rule: None,
        };
        self.core.desk().settled(proposal).await.unwrap_or_else(lost)
    }

    async fn withdraw(&self, proposal: &ProposalId) {
        self.core.desk().withdraw(proposal, self.ingress).await;
    }

    fn push(&self, item: ChatItem) -> u64 {
        self.core.inner.conversation.push(item)
    }

    fn update(&self, entry: u64, item: ChatItem) {
        self.core.inner.conversation.update(entry, item);
    }
}
