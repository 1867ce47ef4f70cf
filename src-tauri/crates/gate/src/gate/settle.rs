use countersign_contract::{Ingress, PageGate, ProposalId, ProposalState, RowDraft, RowKind};
use serde_json::{Value, json};

use super::{Gate, not_held};
use crate::digest::sha256;
use crate::entry::Phase;
use crate::{At, GateError, rows};

/// How a released write ended, as its door tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It ran, and the page reported success.
    Committed {
        /// What the page answered.
        result: String,
    },
    /// It ran, and the page reported failure.
    Failed {
        /// The page's words.
        message: String,
    },
    /// A gate of the page's own answered in the tool's place.
    PageGate {
        /// What that gate says.
        gate: PageGate,
        /// What came back.
        result: String,
    },
    /// It certainly never started.
    NotRun {
        /// Why.
        message: String,
    },
    /// Nobody saw how it ended.
    Unknown {
        /// What is known.
        message: String,
    },
}

impl Gate {
    /// How a released write ended; once.
    ///
    /// # Errors
    /// [`GateError::NotFound`], or [`GateError::NotHeld`] when it is not running.
    pub fn settle(&mut self, id: &ProposalId, ended: Ended, _at: &At) -> Result<RowDraft, GateError> {
        let entry = self.recorded_mut(id)?;
        if entry.phase != Phase::Released {
            return Err(not_held(entry));
        }
        let page = if entry.tool().is_some() {
            Ingress::Page
        } else {
            Ingress::BrowserNetwork
        };
        let seat = if page == Ingress::Page {
            entry.page.origin.clone()
        } else {
            "browser".into()
        };
        let told = |outcome: &str, ran: Value, message: &str| json!({"proposal": id, "outcome": outcome, "ran": ran, "message": rows::words(message)});
        let (row, phase) = match ended {
            Ended::Committed { result } => {
                let digest = sha256(&result);
                let bytes = result.len().to_string();
                let data = json!({"proposal": id, "outcome": "committed", "ran": true, "resultDigest": digest, "resultBytes": bytes});
                (
                    rows::draft(RowKind::Outcome, page, &seat, id, data),
                    Phase::Ended(ProposalState::Committed { result, digest }),
                )
            }
            Ended::Failed { message } => {
                let data = told("failed", true.into(), &message);
                (
                    rows::draft(RowKind::Outcome, page, &seat, id, data),
                    Phase::Ended(ProposalState::Failed { message, ran: true }),
                )
            }
            Ended::PageGate { gate, result } => {
                let digest = sha256(&result);
                let bytes = result.len().to_string();
                let says = rows::page_gate(&gate);
                let data = json!({"proposal": id, "outcome": "page-gate", "ran": null, "gate": says, "resultDigest": digest, "resultBytes": bytes});
                (
                    rows::draft(RowKind::Outcome, page, &seat, id, data),
                    Phase::Ended(ProposalState::PageGate { gate, result, digest }),
                )
            }
            Ended::NotRun { message } => {
                let data = told("failed", false.into(), &message);
                (rows::by_desk(RowKind::Outcome, id, data), Phase::NotRun { message })
            }
            Ended::Unknown { message } => {
                let data = told("unknown", Value::Null, &message);
                (
                    rows::by_desk(RowKind::Outcome, id, data),
                    Phase::Ended(ProposalState::Unknown { message }),
                )
            }
        };
        self.end(id, phase);
        Ok(row)
    }
}
