use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Photograph;

/// What a person put beside a write: reads of the same document that are called along with it. It is bound to the definition of
/// the tool; another definition is another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Beside {
    /// The origin of the page.
    pub origin: String,
    /// The write's name.
    pub tool: String,
    /// The digest of the write's definition.
    pub digest: String,
    /// The read that quotes its price, where the page offers no preview.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<Quote>,
    /// The reads that are called before and after it.
    #[serde(default)]
    pub photographs: Vec<Photograph>,
}

/// How a read quotes the price of a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Quote {
    /// The read's name.
    pub read: String,
    /// The arguments it is called with.
    pub arguments: Vec<Filled>,
    /// Where in its answer the amount is: a JSON pointer (RFC 6901); empty when the answer is the amount.
    pub amount: String,
    /// What the amount is in, such as `EUR`.
    pub unit: String,
}

/// One argument of a read, taken from the arguments of the write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Filled {
    /// The read's argument.
    pub name: String,
    /// The write's: a JSON pointer (RFC 6901). The argument is left out when nothing is there.
    pub from: String,
}
