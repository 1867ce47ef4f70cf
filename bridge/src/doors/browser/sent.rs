use countersign_contract::Tool;
use tokio::sync::oneshot;

use super::state::CallId;
use crate::{DoorError, Executed};

/// A call the door has made and that has not ended.
pub(super) struct Sent {
    pub session: String,
    pub tool: Tool,
    /// The browser's name for it, once it has answered.
    pub invocation: Option<String>,
    pub kind: SentKind,
}

pub(super) enum SentKind {
    /// A read. Whoever waited may have given up; the page is still running it.
    Read {
        done: Option<oneshot::Sender<Result<String, DoorError>>>,
    },
    /// A write of a tool the interceptor holds: it asks once more, with the ticket, before it runs.
    Script {
        nonce: String,
        arguments: String,
        spent: Spent,
        done: oneshot::Sender<Executed>,
    },
    /// A form that is armed for this ticket: its submit asks with it, as filled in.
    Form {
        nonce: String,
        arguments: String,
        armed: Option<oneshot::Sender<()>>,
        spent: Spent,
        done: oneshot::Sender<Executed>,
    },
    /// A write of a tool the interceptor never saw.
    Unwrapped { done: oneshot::Sender<Executed> },
}

/// What a ticket was spent on.
#[derive(Default)]
pub(super) struct Spent {
    /// The one call that showed it and was told to run.
    pub on: Option<CallId>,
    /// Another call showed it and got the door's words for an answer: the browser's word for the result may be those.
    pub shown_again: bool,
}

impl Sent {
    pub fn nonce(&self) -> Option<&str> {
        match &self.kind {
            SentKind::Script { nonce, .. } | SentKind::Form { nonce, .. } => Some(nonce),
            SentKind::Read { .. } | SentKind::Unwrapped { .. } => None,
        }
    }

    /// What its ticket was spent on, if it has one.
    pub fn spent(&self) -> Option<&Spent> {
        match &self.kind {
            SentKind::Script { spent, .. } | SentKind::Form { spent, .. } => Some(spent),
            SentKind::Read { .. } | SentKind::Unwrapped { .. } => None,
        }
    }
}

/// How a call the door made has ended.
pub(super) enum Waited {
    /// The page's function resolved.
    Completed { text: String },
    /// The page's function failed.
    Failed { message: String },
    /// It never started.
    NotRun { message: String },
    /// The page went away under it.
    Gone { words: String },
}

impl Sent {
    pub fn settle(self, how: Waited) {
        match self.kind {
            SentKind::Read { done } => {
                let result = match how {
                    Waited::Completed { text } => Ok(text),
                    Waited::Failed { message } => Err(DoorError::Page(message)),
                    Waited::NotRun { message } => Err(DoorError::PageGone(message)),
                    Waited::Gone { words } => Err(DoorError::PageGone(format!(
                        "{words} The read had not answered. Read the page again."
                    ))),
                };
                let _ = done.map(|done| done.send(result));
            }
            SentKind::Script { done, .. } | SentKind::Form { done, .. } | SentKind::Unwrapped { done } => {
                let _ = done.send(match how {
                    Waited::Completed { text } => Executed::Committed { result: text },
                    Waited::Failed { message } => Executed::Failed { message },
                    Waited::NotRun { message } => Executed::NotRun { message },
                    Waited::Gone { words } => Executed::Unknown {
                        message: unknown(&words),
                    },
                });
            }
        }
    }
}

/// What is known of something that had been sent when its page went away.
pub(super) fn unknown(words: &str) -> String {
    format!("{words} The released call had been sent to the page, and nobody saw how it ended.")
}
