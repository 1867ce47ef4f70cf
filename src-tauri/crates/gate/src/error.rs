use countersign_contract::{Code, ErrorView, ProposalId, RowDraft, RuleId};

/// Why the gate did not do as asked. Nothing has run when one of these comes back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// A read pass was asked for a tool that does not count as a read.
    #[error(
        "`{tool}` does not count as a read, so it did not run. Ask for it as a write: it will be held for a decision."
    )]
    NotARead {
        /// The tool's name.
        tool: String,
    },
    /// The arguments are not an object, or hold what cannot be shown exactly.
    #[error("The arguments cannot be taken: {why}. Nothing was asked of the page. Correct them and try again.")]
    BadArguments {
        /// Which of the two, and where.
        why: String,
    },
    /// An origin has as many open proposals as one may have.
    #[error(
        "{origin} has {open} writes waiting already, so this one was not taken and did not run. Decide some of them first."
    )]
    TooMany {
        /// The origin.
        origin: String,
        /// How many are open.
        open: usize,
    },
    /// An ask was not taken: the person, a rule or the governor said so. It was not held and has not run.
    #[error("Not run, and nothing has changed: {why}. This is a decision and not an error: do not try it again.")]
    TurnedAway {
        /// Why, as part of a sentence.
        why: String,
        /// What to record; absent when it is recorded already.
        row: Option<Box<RowDraft>>,
    },
    /// The tool does not exist for whoever asks.
    #[error("There is no tool `{tool}` on any open page now. Look at the list of tools again.")]
    NoSuchTool {
        /// The name that was asked for.
        tool: String,
    },
    /// A rule that cannot be made along with this decision.
    #[error("No rule was made, and nothing was decided: {why}.")]
    BadRule {
        /// Why, as part of a sentence.
        why: String,
    },
    /// There is no such rule (any more).
    #[error("There is no rule {0} in force. It may have ended by itself; the ledger still has it.")]
    NoRule(RuleId),
    /// There is no such client (any more).
    #[error("There is no client {0} at the desk any more.")]
    NoClient(countersign_contract::ClientId),
    /// An MCP client that nobody let in asked for something.
    #[error("Nothing was run and nothing was asked of any page: {why}.")]
    NotPaired {
        /// Why, as part of a sentence.
        why: String,
    },
    /// Too many clients wait to be let in.
    #[error(
        "Too many programs wait to be let in by the person already, so this one was not taken. Decide about those in Countersign's approval window first."
    )]
    TooManyClients,
    /// A ledger row is not the one of this rule.
    #[error(
        "The ledger row does not belong to rule {0}, so the rule is not in force. This is a fault of Countersign's."
    )]
    WrongRule(RuleId),
    /// The approval window was driven by UI automation.
    #[error(
        "Nothing was released: the approval window is driven by UI automation, and Countersign takes no release from a machine. Start it without automation."
    )]
    Automated,
    /// There is no such proposal, or it is not recorded yet.
    #[error("There is no proposal {0}. It may have been dropped from this run's list; the ledger still has it.")]
    NotFound(ProposalId),
    /// The proposal is not waiting for a decision any more.
    #[error("Proposal {proposal} can not be decided now: {how}.")]
    NotHeld {
        /// The proposal.
        proposal: ProposalId,
        /// How it stands, in words.
        how: String,
    },
    /// The card has changed since it was shown.
    #[error("The card has changed since it was shown, so nothing was done. Look at it again.")]
    Stale,
    /// Release was pressed before the card had been shown long enough.
    #[error(
        "The card has not been in view long enough, so nothing was released. Wait {remaining_ms} ms and press again."
    )]
    NotArmed {
        /// Milliseconds to go, from when the card is in view.
        remaining_ms: u64,
    },
    /// Release cannot be pressed however long one waits.
    #[error("Nothing was released: {why}.")]
    Dead {
        /// Why.
        why: String,
    },
    /// Critical risks have not been acknowledged.
    #[error("Nothing was released: critical risks are not acknowledged yet ({}). Tick each one.", ids.join(", "))]
    Unacknowledged {
        /// Which ones.
        ids: Vec<String>,
    },
    /// A paused request cannot be edited.
    #[error("A paused request can only be let go or refused as it is; its arguments cannot be edited.")]
    NotEditable,
    /// An edit that changes nothing.
    #[error("The arguments are the same as before, so there is no new version.")]
    Unchanged,
    /// A ledger row is not the one that belongs to this step.
    #[error(
        "The ledger row does not belong to this step of proposal {0}, so nothing was let through. This is a fault of Countersign's."
    )]
    WrongRow(ProposalId),
}

impl GateError {
    /// For the screens.
    pub const fn code(&self) -> Code {
        match self {
            Self::NotARead { .. } | Self::WrongRow(_) | Self::WrongRule(_) => Code::Internal,
            Self::BadArguments { .. } | Self::NotEditable | Self::Unchanged | Self::BadRule { .. } => {
                Code::BadArguments
            }
            Self::TooMany { .. } | Self::TooManyClients => Code::Busy,
            Self::TurnedAway { .. } | Self::NotPaired { .. } => Code::TurnedAway,
            Self::Automated => Code::Automated,
            Self::NotFound(_) | Self::NoSuchTool { .. } | Self::NoRule(_) | Self::NoClient(_) => Code::NotFound,
            Self::NotHeld { .. } => Code::NotHeld,
            Self::Stale => Code::Stale,
            Self::NotArmed { .. } | Self::Dead { .. } => Code::NotArmed,
            Self::Unacknowledged { .. } => Code::Unacknowledged,
        }
    }
}

impl From<GateError> for ErrorView {
    fn from(error: GateError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}
