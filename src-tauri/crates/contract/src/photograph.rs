use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Change, Filled};

/// A read that is called before and after a released write, so that what the write changed can be seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Photograph {
    /// The read's name.
    pub read: String,
    /// The arguments it is called with.
    pub arguments: Vec<Filled>,
}

/// What was measured of a released write: what a person's reads answered before it and after it. It is the page's own word, told
/// by tools that did not know what they were asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Measured {
    /// What each read shows.
    pub photographs: Vec<Photographed>,
    /// What became of each change that the preview promised.
    pub promises: Vec<Promise>,
}

/// One read, before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Photographed {
    /// The read's name.
    pub read: String,
    /// What it shows.
    #[serde(flatten)]
    pub shows: Shows,
}

/// What two answers of one read show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum Shows {
    /// They were compared.
    #[serde(rename_all = "camelCase")]
    Compared {
        /// The difference, leaf by leaf; empty when the answers are the same.
        changes: Vec<Change>,
        /// How many more differences there are.
        #[ts(type = "number")]
        cut: usize,
        /// SHA-256 of the answer before.
        before_digest: String,
        /// SHA-256 of the answer after.
        after_digest: String,
    },
    /// One of them is missing.
    NotMeasured {
        /// Why.
        why: String,
    },
}

/// A change that the preview promised, and what the reads tell of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Promise {
    /// What was promised.
    pub promised: Change,
    /// What was found.
    #[serde(flatten)]
    pub found: Found,
}

/// What the reads tell of a promised change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "found")]
#[ts(export_to = "contract.ts")]
pub enum Found {
    /// Just what was promised.
    AsPromised {
        /// The read that tells it.
        read: String,
    },
    /// Something else.
    Otherwise {
        /// The read that tells it.
        read: String,
        /// The same place, before and after.
        measured: Change,
    },
    /// No read tells of this place, or more than one place could be meant.
    NotTold,
}
