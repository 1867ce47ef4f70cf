use std::time::Duration;

use countersign_contract::{Code, ErrorView};

/// Why a model gave no reply. Each message says what happened and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No connection, no answer, or nothing that speaks the protocol at this address.
    #[error(
        "{server} cannot be reached: {why}. Check that it is running and that its address in the settings is right, then send the prompt again."
    )]
    Unreachable {
        /// The server, in words.
        server: String,
        /// What happened.
        why: String,
    },
    /// The key is missing or refused.
    #[error("{server} does not let us in: {why}. Store a valid key in the settings, then send the prompt again.")]
    Key {
        /// The server, in words.
        server: String,
        /// What happened.
        why: String,
    },
    /// The server does not have the model.
    #[error("{server} has no model named “{model}”. {hint}")]
    UnknownModel {
        /// The server, in words.
        server: String,
        /// The name that was asked for.
        model: String,
        /// What to do.
        hint: String,
    },
    /// Too many requests, or the server is overloaded or still starting.
    #[error("{server} is busy and did not answer. {}", wait_words(*.retry_after))]
    Busy {
        /// The server, in words.
        server: String,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// No credit, or a spend limit.
    #[error(
        "{server} will not answer because the credit or spend limit of this account is used up. Add credit or raise the limit there, or pick another model; sending again does not help."
    )]
    Quota {
        /// The server, in words.
        server: String,
    },
    /// The conversation is longer than the model can read.
    #[error(
        "The conversation no longer fits what {model} can read. Start a new conversation, close pages whose tools are not needed, or pick a model with a larger context."
    )]
    Context {
        /// The model.
        model: String,
    },
    /// The reply cannot be used, or ended in the middle.
    #[error(
        "{server} sent a reply that cannot be used: {why}. No tool call of it was made. Send the prompt again; if it happens again, pick another model."
    )]
    Reply {
        /// The server, in words.
        server: String,
        /// What is wrong with it.
        why: String,
    },
    /// The model cannot call tools.
    #[error("{model} cannot call tools, so it cannot use a page. Pick a model with tool support in the settings.")]
    NoTools {
        /// The model.
        model: String,
    },
    /// Cancelled by the person.
    #[error("Cancelled.")]
    Cancelled,
}

impl ModelError {
    /// The code for the screens. A model without tools counts as unknown: the remedy is the same, another model.
    pub const fn code(&self) -> Code {
        match self {
            Self::Unreachable { .. } => Code::ModelUnreachable,
            Self::Key { .. } => Code::ModelKey,
            Self::UnknownModel { .. } | Self::NoTools { .. } => Code::ModelUnknown,
            Self::Busy { .. } => Code::ModelBusy,
            Self::Quota { .. } => Code::ModelQuota,
            Self::Context { .. } => Code::ModelContext,
            Self::Reply { .. } => Code::ModelReply,
            Self::Cancelled => Code::Cancelled,
        }
    }

    /// The error as a window receives it.
    pub fn view(&self) -> ErrorView {
        ErrorView::new(self.code(), self.to_string())
    }
}

fn wait_words(retry_after: Option<Duration>) -> String {
    match retry_after.map(|wait| wait.as_secs().max(1)) {
        None => "Send the prompt again in a moment.".into(),
        Some(1) => "It asks to wait for a second; then send the prompt again.".into(),
        Some(seconds) if seconds < 120 => format!("It asks to wait for {seconds} seconds; then send the prompt again."),
        Some(seconds) => format!(
            "It asks to wait for {} minutes; then send the prompt again.",
            seconds.div_ceil(60)
        ),
    }
}
