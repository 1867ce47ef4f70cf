use countersign_bridge::Executed;
use countersign_contract::{Ingress, ProposalId, RowDraft, RowKind, Tool};
use countersign_gate::Ended;
use countersign_ledger::sha256_hex;
use serde_json::{Value, json};

use crate::Desk;

/// A page's words are cut to this.
const MAX_CHARS: usize = 500;

impl Desk {
    /// A page has told how a released write ended after that had been given up as unknown. The write stays unknown, and is not run
    /// again; what the page says now is recorded beside it.
    pub(crate) async fn ended_late(&self, proposal: &ProposalId, tool: &Tool, ended: Executed) {
        let mut data = match crate::ended::ended(ended) {
            Ended::Committed { result } => json!({
                "outcome": "committed",
                "ran": true,
                "resultDigest": sha256_hex(result.as_bytes()),
                "resultBytes": result.len().to_string(),
            }),
            Ended::PageGate { gate, result } => json!({
                "outcome": "page-gate",
                "ran": null,
                "gate": gate,
                "resultDigest": sha256_hex(result.as_bytes()),
                "resultBytes": result.len().to_string(),
            }),
            Ended::Failed { message } => json!({
                "outcome": "failed",
                "ran": true,
                "message": message.chars().take(MAX_CHARS).collect::<String>(),
            }),
            // Neither is an end that a page could tell.
            Ended::NotRun { .. } | Ended::Unknown { .. } => return,
        };
        if let Value::Object(data) = &mut data {
            data.insert("proposal".into(), json!(proposal));
            data.insert("late".into(), true.into());
        }
        // Its row comes after the one that says it is unknown.
        let _ = self.settled(proposal).await;
        self.record(RowDraft {
            kind: RowKind::Outcome,
            ingress: Ingress::Page,
            seat: tool.page.origin.clone(),
            reference: Some(proposal.0.clone()),
            data,
        })
        .await;
        self.changed();
    }
}
