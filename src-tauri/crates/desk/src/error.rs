use countersign_bridge::DoorError;
use countersign_contract::{Code, ErrorView};
use countersign_gate::GateError;
use countersign_ledger::LedgerError;

/// Why the desk did not do as asked. Nothing was executed when one of these comes back.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The gate refused.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The act could not be recorded, so it was not done.
    #[error("Nothing was done, because it could not be recorded: {0}")]
    Ledger(#[from] LedgerError),
    /// A door refused.
    #[error(transparent)]
    Door(#[from] DoorError),
    /// The tool is not there (any more).
    #[error("There is no such tool on any open page now. The page may have changed; look at the list of tools again.")]
    NoTool,
    /// The page was not chosen for whoever asks.
    #[error(
        "Nothing was called: the page with the tool {tool}, on {host}, is none that the person chose for you. Do not ask for it \
         again before they choose it in Countersign’s panel."
    )]
    NotChosen {
        /// The tool.
        tool: String,
        /// The host of its document.
        host: String,
    },
    /// The tab is gone.
    #[error("That page is not open any more. Look at the list of pages again.")]
    NoTab,
    /// The tab is on another origin than it was shown to be.
    #[error("Nothing was chosen: that page has moved to {0} meanwhile. Look at it, and choose again.")]
    Elsewhere(String),
    /// No door of that kind.
    #[error("The door to that page is not open.")]
    NoDoor,
    /// The page, or its tool, went while it was being asked again.
    #[error("Nothing ran: the page replaced this tool, or does not offer it any more.")]
    Gone,
    /// Something moved between what was shown and the press.
    #[error("Held again, because something moved since it was shown: {0}")]
    Moved(String),
}

impl DeskError {
    /// The code a screen acts on.
    pub fn code(&self) -> Code {
        match self {
            Self::Gate(error) => error.code(),
            Self::Ledger(_) => Code::LedgerReadOnly,
            Self::Door(DoorError::NoBrowser(_)) => Code::NoBrowser,
            Self::Door(DoorError::BrowserGone(_)) => Code::BrowserGone,
            Self::Door(DoorError::PageGone(_) | DoorError::Page(_) | DoorError::Unguarded(_)) => Code::Page,
            Self::Door(DoorError::Cancelled) => Code::Cancelled,
            Self::NotChosen { .. } => Code::TurnedAway,
            Self::NoTool | Self::NoTab | Self::NoDoor | Self::Gone => Code::NotFound,
            Self::Moved(_) | Self::Elsewhere(_) => Code::Moved,
        }
    }

    /// The error as a window receives it.
    pub fn view(&self) -> ErrorView {
        ErrorView::new(self.code(), self.to_string())
    }
}
