//! Secrets: kept in the keyring of the operating system, or in memory for the run when there is none; never in a file,
//! never printed.
#![forbid(unsafe_code)]

mod error;
mod sensitive;
mod store;
mod vault;

pub use error::VaultError;
pub use sensitive::Sensitive;
pub use store::{Keyring, Memory, SecretStore};
pub use vault::Vault;
