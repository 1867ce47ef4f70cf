use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What went wrong, for a screen that acts on it. A variant exists only if something reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum Code {
    /// Release was pressed before the card had been shown long enough.
    NotArmed,
    /// The card has changed since it was shown.
    Stale,
    /// A critical risk has not been acknowledged.
    Unacknowledged,
    /// Something moved between what was shown and the press; held again.
    Moved,
    /// The proposal is decided, expired or gone.
    NotHeld,
    /// An ask was not taken: the person, a rule or the governor said so.
    TurnedAway,
    /// The approval window is driven by UI automation.
    Automated,
    /// There is no such proposal, tool, tab or model.
    NotFound,
    /// The arguments are not an object, or hold what cannot be shown exactly.
    BadArguments,
    /// The ledger cannot be written: nothing can be released.
    LedgerReadOnly,
    /// No browser could be found.
    NoBrowser,
    /// The browser could not be started or has gone.
    BrowserGone,
    /// The page did not do as asked.
    Page,
    /// The model's server could not be reached.
    ModelUnreachable,
    /// The key was refused, or is missing.
    ModelKey,
    /// The server does not know the model.
    ModelUnknown,
    /// Too many requests; try later.
    ModelBusy,
    /// No credit, or a spend limit.
    ModelQuota,
    /// The conversation no longer fits the model.
    ModelContext,
    /// The server's reply cannot be read, or ended in the middle.
    ModelReply,
    /// No model is picked.
    NoModel,
    /// A turn is running already.
    Busy,
    /// The keyring cannot be used.
    Keyring,
    /// Cancelled by the person.
    Cancelled,
    /// Settings could not be stored.
    Settings,
    /// A fault of ours.
    Internal,
}

/// An error as a window receives it: what happened, what it means, what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
#[ts(export_to = "contract.ts")]
pub struct ErrorView {
    /// For the screen's logic.
    pub code: Code,
    /// For the person.
    pub message: String,
}

impl ErrorView {
    /// An error for a window.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}
