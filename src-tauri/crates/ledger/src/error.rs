use std::io;
use std::path::{Path, PathBuf};

use countersign_contract::{Code, ErrorView};

/// Why the ledger did not do as asked. A message says what happened, what it means and what to do.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Another process, or another handle in this one, has it open.
    #[error(
        "The ledger in {} is open in another Countersign that is running. Two writers would break its chain, so this one \
         did not open it. Use the other one, or close it and start again.", .dir.display()
    )]
    InUse {
        /// The folder.
        dir: PathBuf,
    },
    /// The system refused something.
    #[error("Could not {action} {}: {source}. Check that it is there, that you may use it, and that the disk has room.", .path.display())]
    Io {
        /// What was tried, such as `read`.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It opened broken, or an earlier write failed. Nothing was written.
    #[error("The ledger can only be read: {why} Nothing can be recorded, so nothing can be released.")]
    ReadOnly {
        /// Whole sentences.
        why: String,
    },
    /// This very row was sent to the disk and the disk did not confirm it. It may or may not be there after a restart.
    #[error(
        "The row could not be made durable: {why} Nothing is released on it. Restart Countersign once the disk is well."
    )]
    NotDurable {
        /// Whole sentences.
        why: String,
    },
    /// A number that a ledger body cannot hold.
    #[error("The number {number} at {at} is not a whole number, and the ledger holds no others. Pass it as text.")]
    Float {
        /// JSON pointer from the top of the value.
        at: String,
        /// As it would be printed.
        number: String,
    },
    /// A whole number that other readers of JSON would round.
    #[error("The whole number {number} at {at} is beyond 2^53 - 1 and cannot be shown exactly. Pass it as text.")]
    UnsafeInteger {
        /// JSON pointer from the top of the value, or a place in the text.
        at: String,
        /// As it stands.
        number: String,
    },
    /// Nested further than a reader would follow.
    #[error("The value at {at} is nested more than {limit} deep. Flatten it.")]
    TooDeep {
        /// JSON pointer from the top of the value.
        at: String,
        /// The limit.
        limit: usize,
    },
    /// A row longer than the ledger takes.
    #[error("The row would be {bytes} bytes long and the ledger takes {limit}. Record a digest of the large part.")]
    TooLarge {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The text is not JSON.
    #[error("This is not JSON: {message}.")]
    NotJson {
        /// What is wrong, and where.
        message: String,
    },
    /// An object names a member twice, so two readers could see two different values.
    #[error("The member {key:?} stands twice in one object. Readers disagree on which one counts; keep one.")]
    DuplicateKey {
        /// The member's name.
        key: String,
    },
    /// A row that verified at opening does not any more.
    #[error(
        "Row {seq} of {} is not what was written: {message}. The file was changed while Countersign was running; keep a \
         copy of it before anything else.", .path.display()
    )]
    Altered {
        /// The file.
        path: PathBuf,
        /// The row.
        seq: u64,
        /// What was found.
        message: String,
    },
    /// A fault of ours.
    #[error("The ledger stopped: {0}. Restart Countersign.")]
    Stopped(String),
}

impl LedgerError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// The code a screen acts on.
    pub const fn code(&self) -> Code {
        match self {
            Self::InUse { .. } | Self::Io { .. } | Self::ReadOnly { .. } | Self::NotDurable { .. } => {
                Code::LedgerReadOnly
            }
            Self::Float { .. }
            | Self::UnsafeInteger { .. }
            | Self::TooDeep { .. }
            | Self::TooLarge { .. }
            | Self::NotJson { .. }
            | Self::DuplicateKey { .. } => Code::BadArguments,
            Self::Altered { .. } | Self::Stopped(_) => Code::Internal,
        }
    }
}

impl From<LedgerError> for ErrorView {
    fn from(error: LedgerError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}
