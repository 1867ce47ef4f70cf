use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::VerifyReport;

/// An entry of a Take Five ledger, as its page wrote it. Everything in it is that page's word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct TakeFiveEntry {
    /// Its number, from 1 on.
    #[ts(type = "number")]
    pub seq: u64,
    /// When, by the page's clock.
    pub at: String,
    /// What it records, in the page's own vocabulary.
    pub kind: String,
    /// Who did it.
    pub seat: String,
    /// The way it came in.
    pub ingress: String,
    /// How well the page says it knows.
    pub grade: String,
    /// The particulars; `null` when there are none.
    pub data: Value,
    /// SHA-256 of the entry without this member, in canonical form.
    pub hash: String,
}

/// A Take Five ledger that was opened to be looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct TakeFiveLedger {
    /// The entries that verify, oldest first, up to the first fault.
    pub entries: Vec<TakeFiveEntry>,
    /// How far it verifies.
    pub report: VerifyReport,
}

/// Asks for a Take Five ledger to be read and checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct TakeFiveParams {
    /// The file's text.
    pub text: String,
}
