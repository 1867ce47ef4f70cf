use countersign_agent::{Limits, call_by_hand, run_turn};
use countersign_contract::{Code, ErrorView, Ingress, RowDraft, RowKind, RunToolParams};
use countersign_ledger::sha256_hex;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::host::PanelHost;
use super::{Core, lock};

impl Core {
    /// Starts a turn: the prompt goes to the model, and its calls to the desk. Returns when it has started.
    ///
    /// # Errors
    /// When a turn is running already, or no model can be asked.
    pub async fn send_prompt(&self, text: String) -> Result<(), ErrorView> {
        let provider = self.provider().await?;
        let cancel = CancellationToken::new();
        {
            let mut turn = lock(&self.inner.turn);
            if turn.is_some() {
                return Err(ErrorView::new(
                    Code::Busy,
                    "The model is still working. Stop it, or wait for it to end.",
                ));
            }
            *turn = Some(cancel.clone());
        }
        self.inner.conversation.set_running(true);
        let core = self.clone();
        tokio::spawn(async move {
            core.record_prompt(&text, &provider.label()).await;
            let host = PanelHost {
                core: core.clone(),
                ingress: Ingress::PanelAgent,
                task: core.inner.conversation.task(),
            };
            let limits = Limits {
                rounds: core.settings().round_limit,
            };
            let (conversation, mut history) = core.inner.conversation.take_history();
            run_turn(&host, provider.as_ref(), &mut history, text, limits, cancel.clone()).await;
            core.inner.conversation.put_history(conversation, history);
            core.turn_ended();
        });
        Ok(())
    }

    /// Stops the turn: the model is not listened to any more, a running read is cancelled, a held write is withdrawn.
    pub fn cancel_turn(&self) {
        if let Some(cancel) = lock(&self.inner.turn).as_ref() {
            cancel.cancel();
        }
    }

    /// Stops the turn, and forgets the conversation. The ledger keeps what was done.
    pub fn new_conversation(&self) {
        self.cancel_turn();
        let task = self.inner.conversation.task();
        self.inner.conversation.clear();
        self.inner.desk.end_task(&task);
    }

    /// Calls a tool by hand. How it goes is seen in the conversation.
    pub fn run_tool(&self, params: RunToolParams) {
        let host = PanelHost {
            core: self.clone(),
            ingress: Ingress::PanelHand,
            task: self.inner.conversation.task(),
        };
        tokio::spawn(async move {
            call_by_hand(&host, &params.tool, params.arguments).await;
        });
    }

    fn turn_ended(&self) {
        *lock(&self.inner.turn) = None;
        self.inner.conversation.set_running(false);
    }

    async fn record_prompt(&self, text: &str, model: &str) {
        let row = RowDraft {
            kind: RowKind::Prompt,
            ingress: Ingress::PanelHand,
            seat: "panel".into(),
            reference: None,
            data: json!({ "digest": sha256_hex(text.as_bytes()), "bytes": text.len(), "model": model }),
        };
        if let Err(error) = self.desk().ledger().append(row).await {
            tracing::error!(%error, "the prompt could not be recorded");
        }
    }
}
