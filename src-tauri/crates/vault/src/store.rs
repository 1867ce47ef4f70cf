use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use keyring::Entry;

use crate::Sensitive;

/// A place for secrets, one a name. Calls may block, for as long as a person takes to unlock a keyring. Errors are words
/// for a person, without the secret.
pub trait SecretStore: Send + Sync {
    /// The secret under this name.
    ///
    /// # Errors
    /// Why the place cannot be used.
    fn get(&self, account: &str) -> Result<Option<Sensitive<String>>, String>;

    /// Stores a secret, over any other of this name.
    ///
    /// # Errors
    /// Why the place cannot be used.
    fn set(&self, account: &str, secret: &Sensitive<String>) -> Result<(), String>;

    /// Forgets a secret, if there is one.
    ///
    /// # Errors
    /// Why the place cannot be used.
    fn delete(&self, account: &str) -> Result<(), String>;
}

/// The keyring of the operating system.
#[derive(Clone, Debug)]
pub struct Keyring {
    service: String,
}

impl Keyring {
    /// The secrets of one service in it.
    pub fn new(service: impl Into<String>) -> Self {
        Self {
            service: service.into(),
        }
    }

    fn entry(&self, account: &str) -> Result<Entry, String> {
        Entry::new(&self.service, account).map_err(in_words)
    }
}

impl SecretStore for Keyring {
    fn get(&self, account: &str) -> Result<Option<Sensitive<String>>, String> {
        match self.entry(account)?.get_password() {
            Ok(secret) => Ok(Some(secret.into())),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(in_words(error)),
        }
    }

    fn set(&self, account: &str, secret: &Sensitive<String>) -> Result<(), String> {
        self.entry(account)?.set_password(secret.expose()).map_err(in_words)
    }

    fn delete(&self, account: &str) -> Result<(), String> {
        match self.entry(account)?.delete_credential() {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(in_words(error)),
        }
    }
}

/// Only these variants are printed: others carry the secret's bytes.
fn in_words(error: keyring::Error) -> String {
    match error {
        keyring::Error::NoDefaultStore => "no keyring service answers in this session".into(),
        keyring::Error::NoStorageAccess(cause) => format!("it is locked, or cannot be unlocked here ({cause})"),
        keyring::Error::PlatformFailure(cause) => format!("its service failed ({cause})"),
        keyring::Error::TooLong(..) => "the secret is too long for it".into(),
        keyring::Error::BadEncoding(_) | keyring::Error::BadDataFormat(..) => "what it holds cannot be read".into(),
        _ => "its service did not do as asked".into(),
    }
}

/// Memory, until the app ends.
#[derive(Debug, Default)]
pub struct Memory {
    secrets: Mutex<HashMap<String, Sensitive<String>>>,
}

impl SecretStore for Memory {
    fn get(&self, account: &str) -> Result<Option<Sensitive<String>>, String> {
        Ok(self
            .secrets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(account)
            .cloned())
    }

    fn set(&self, account: &str, secret: &Sensitive<String>) -> Result<(), String> {
        self.secrets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(account.to_owned(), secret.clone());
        Ok(())
    }

    fn delete(&self, account: &str) -> Result<(), String> {
        self.secrets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(account);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use keyring::Error;

    use super::in_words;

    #[test]
    fn no_error_prints_a_secret() {
        let secret = || b"sk-1234".to_vec();
        for error in [
            Error::BadEncoding(secret()),
            Error::BadDataFormat(secret(), "odd".into()),
            Error::BadStoreFormat("sk-1234".into()),
        ] {
            let words = in_words(error);
            assert!(!words.contains("sk-1234") && !words.contains("115"), "{words}");
        }
    }
}
