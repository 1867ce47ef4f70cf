//! The app's own door for other programs of the same account: a Unix socket that only this account can open, or a named pipe.
//! No port is opened. What is said on it is one JSON value a line.

mod frames;
mod process;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncWrite};

pub use frames::{FrameError, Frames, Sender};
pub use process::{Process, behind};
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// Where the app keeps its things, for programs that are not the app: the folder of the ledger.
pub const IDENTIFIER: &str = "dev.countersign.desk";

/// The app's data folder, by the system's own rules; `COUNTERSIGN_DATA` names another one. `None` when this account has no home.
pub fn data_folder() -> Option<PathBuf> {
    match std::env::var_os("COUNTERSIGN_DATA") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => dirs::data_dir().map(|folder| folder.join(IDENTIFIER)),
    }
}

/// The first message of every program that connects: what it wants to be. The app closes a connection that says anything else, or
/// that is of another version of what is said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// What the connection is for.
    pub role: Role,
}

impl Hello {
    /// The greeting of this version.
    pub const fn of(role: Role) -> Self {
        let protocol = PROTOCOL;
        Self { protocol, role }
    }
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// An MCP client's server asks the desk.
    Mcp,
    /// A browser's extension offers its pages.
    Extension,
}

/// Raised whenever what is said on the socket changes, so that an app and a program of different versions tell each other so.
pub const PROTOCOL: u32 = 1;

/// Both directions of one connection.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A program that has connected.
pub struct Peer {
    /// The connection.
    pub stream: Box<dyn Stream>,
    /// Its process, where the system tells.
    pub process: Option<u32>,
}

/// The app's end. Dropping it ends listening.
pub struct Listener {
    inner: system::Listener,
}

impl Listener {
    /// Listens beside the data in `folder`. A socket that an app left which is not there any more is taken over.
    ///
    /// # Errors
    /// [`io::ErrorKind::AddrInUse`] when another app answers there, and what the system says otherwise.
    pub async fn bind(folder: &Path) -> io::Result<Self> {
        system::Listener::bind(folder).await.map(|inner| Self { inner })
    }

    /// The next program of this account that connects. Those of other accounts are turned away.
    ///
    /// # Errors
    /// What the system says; trying again may help.
    pub async fn accept(&mut self) -> io::Result<Peer> {
        self.inner.accept().await
    }
}

/// Connects to the app whose data is in `folder`.
///
/// # Errors
/// [`io::ErrorKind::NotFound`] or [`io::ErrorKind::ConnectionRefused`] when no app runs there.
pub async fn connect(folder: &Path) -> io::Result<Box<dyn Stream>> {
    system::connect(folder).await
}

#[cfg(test)]
mod tests;
