use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where a cost item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum Basis {
    /// The page's companion preview said so.
    Quoted,
    /// Countersign saw it.
    Measured,
    /// Nobody priced it. Never zero, and left out of every total.
    NotMeasured,
}

/// One thing an act costs, in any unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct CostItem {
    /// What it is for.
    pub label: String,
    /// A decimal number as text, such as `12.00`; absent when not measured.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// `EUR`, `things`, `minutes`…
    pub unit: String,
    /// The denominator, such as `52` in "7 things break, of 52".
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Where the figure comes from.
    pub basis: Basis,
}

/// What an act would cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Cost {
    /// The items; empty means nobody said anything about cost.
    pub items: Vec<CostItem>,
    /// Sums by unit over the items that have an amount.
    pub totals: Vec<CostTotal>,
    /// How many items were left out of the totals.
    pub not_measured: u32,
    /// When it was priced.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// How far a re-priced amount may move and still be released, as a decimal fraction such as `0.01`. Absent: not at all.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<String>,
}

/// The sum of the measured and quoted items of one unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct CostTotal {
    /// The sum, as decimal text.
    pub amount: String,
    /// Its unit.
    pub unit: String,
}
