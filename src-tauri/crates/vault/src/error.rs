use countersign_contract::{Code, ErrorView};

/// Why a secret could not be kept, read or forgotten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// The keyring was there at the start and does not do as asked now.
    #[error("The keyring cannot be used: {why}. Nothing was stored or changed. Unlock it and try again.")]
    Keyring {
        /// What happened, without the secret.
        why: String,
    },
}

impl VaultError {
    /// The code for the screens.
    pub const fn code(&self) -> Code {
        match self {
            Self::Keyring { .. } => Code::Keyring,
        }
    }

    /// The error as a window receives it.
    pub fn view(&self) -> ErrorView {
        ErrorView::new(self.code(), self.to_string())
    }
}
