use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{Cost, Risk};

/// What a write would change, in five states and never a blank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum Preview {
    /// The page has been asked and has not answered yet.
    Pending,
    /// Nobody can say: the page offers no companion read tool, or it failed.
    Unavailable {
        /// Why, in words for a person.
        why: String,
    },
    /// The page offers no companion, and a read that the person named has quoted the price. What would change is not known.
    Quoted {
        /// The read's name.
        read: String,
        /// What it quoted.
        cost: Cost,
        /// Why nobody can say what would change.
        why: String,
        /// When it was asked.
        at: String,
    },
    /// The page says the write would be refused.
    WouldFail {
        /// The page's reason. Untrusted text.
        message: String,
        /// When it was asked.
        at: String,
    },
    /// The page says nothing would change.
    NoChange {
        /// What it would cost all the same.
        cost: Cost,
        /// When it was asked.
        at: String,
    },
    /// The page says what would change.
    Changes(Box<Changes>),
}

/// The answer of a companion preview.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Changes {
    /// One line in the page's words. Untrusted text.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The state before, as the page gave it.
    pub before: Value,
    /// The state after, as the page gave it.
    pub after: Value,
    /// The difference, leaf by leaf.
    pub changes: Vec<Change>,
    /// What it would cost.
    pub cost: Cost,
    /// Risks the page named.
    pub risks: Vec<Risk>,
    /// The descriptor the page carried in its answer, as it gave it; the card shows what is made of it.
    #[ts(skip)]
    #[serde(skip)]
    pub descriptor: Option<Value>,
    /// SHA-256 of the page's answer in canonical form.
    pub digest: String,
    /// When it was asked.
    pub at: String,
}

/// One leaf that differs. An absent side is *added* or *removed*, never zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Change {
    /// Path of keys and indexes, such as `basket.lines[0].quantity`.
    pub path: String,
    /// The value before; absent when added.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The value after; absent when removed.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}
