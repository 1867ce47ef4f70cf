//! Pages that carry the widget of `@mcp-b/webmcp-local-relay`: a WebSocket on loopback that speaks that package's protocol, so that
//! such a page works unchanged. The page is believed about itself; `docs/mcp-b.md` says what this door cannot hold.

mod calls;
mod connection;
mod handshake;
mod message;
mod state;
mod status;

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_contract::{DoorKind, HeldRef, Tool, ToolKey};
use countersign_gate::{ReadPass, Ticket};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::relay::clock::WallClock;
use super::relay::origin;
use connection::Run;
use state::State;

pub use status::{McpBOn, McpBStatus, RefusedOrigin};

use crate::{Door, DoorError, DoorEvent, Executed, RelayClock};

/// Where the widget looks first unless its page tells it otherwise.
pub const MCP_B_PORT: u16 = 9333;

/// How long connections may take to end when the door closes.
const CLOSE: Duration = Duration::from_secs(2);

/// Whom the door serves, and where.
#[derive(Clone, Debug)]
pub struct McpBConfig {
    /// The origins of pages that may come, each as a browser writes it.
    pub origins: Vec<String>,
    /// Other origins that such pages take the widget from, such as `https://cdn.jsdelivr.net`. Whatever such an origin serves is
    /// believed when it says for which of the pages it speaks.
    pub widgets: Vec<String>,
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
}

/// Why the door could not be turned on.
#[derive(Debug, thiserror::Error)]
pub enum McpBError {
    /// An origin is not one.
    #[error(
        "`{0}` is not an origin as a browser writes it. Give scheme, host and port and nothing more, like https://room.example."
    )]
    Origin(String),
    /// Nobody may come.
    #[error(
        "No page may come yet. Give the origin of at least one page that carries the widget, like https://room.example."
    )]
    Nobody,
    /// The port cannot be had.
    #[error(
        "The door for mcp-b pages could not listen on 127.0.0.1:{port}: {error}. Another program, such as webmcp-local-relay itself, \
         may use the port; end it or pick another port."
    )]
    Port {
        /// The port.
        port: u16,
        /// The system's words.
        error: std::io::Error,
    },
}

/// The door for pages with the widget of `@mcp-b/webmcp-local-relay`. Clones are the same door.
#[derive(Clone)]
pub struct McpBDoor {
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<State>,
    status: watch::Receiver<McpBStatus>,
    clock: Arc<dyn RelayClock>,
    /// Held while the door is turned on or off, so that neither overtakes the other.
    serving: tokio::sync::Mutex<Option<Serving>>,
}

struct Serving {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl McpBDoor {
    /// A door that is closed until [`McpBDoor::listen`], and what it will report.
    pub fn new() -> (Self, mpsc::UnboundedReceiver<DoorEvent>) {
        Self::with_clock(Arc::new(WallClock))
    }

    /// The same, with its waits counted by somebody else.
    pub fn with_clock(clock: Arc<dyn RelayClock>) -> (Self, mpsc::UnboundedReceiver<DoorEvent>) {
        let (events, reported) = mpsc::unbounded_channel();
        let (told, status) = watch::channel(McpBStatus::default());
        let inner = Inner {
            state: Mutex::new(State::new(events, told)),
            status,
            clock,
            serving: tokio::sync::Mutex::new(None),
        };
        (Self { inner: Arc::new(inner) }, reported)
    }

    /// Turns the door on; one that is on already is closed first.
    ///
    /// # Errors
    /// When there is no origin or one that is none, or the port cannot be had. The door is off in the last case, and as it was in
    /// the others.
    pub async fn listen(&self, config: McpBConfig) -> Result<McpBOn, McpBError> {
        let origins = bare(&config.origins)?;
        let widgets = bare(&config.widgets)?;
        if origins.is_empty() {
            return Err(McpBError::Nobody);
        }
        let mut serving = self.inner.serving.lock().await;
        self.inner.stop(serving.take()).await;
        let port = config.port;
        let failed = |error| McpBError::Port { port, error };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let on = McpBOn { address };
        let number = {
            let mut state = self.inner.state();
            state.begin(on.clone());
            state.run
        };
        let stop = CancellationToken::new();
        let run = Arc::new(Run {
            inner: self.inner.clone(),
            number,
            address,
            origins,
            widgets,
            stop: stop.clone(),
        });
        let task = tokio::spawn(run.serve(listener));
        *serving = Some(Serving { stop, task });
        Ok(on)
    }

    /// What a person has to be told about the door, now and after each change.
    pub fn status(&self) -> watch::Receiver<McpBStatus> {
        self.inner.status.clone()
    }
}

fn bare(origins: &[String]) -> Result<Vec<String>, McpBError> {
    let bare = |text: &String| origin::bare(text).map_err(|_| McpBError::Origin(text.clone()));
    origins.iter().map(bare).collect()
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, for a connection of this run; `None` when that is over.
    fn current(&self, run: u64) -> Option<MutexGuard<'_, State>> {
        Some(self.state()).filter(|state| state.run == run)
    }

    async fn stop(&self, serving: Option<Serving>) {
        let Some(Serving { stop, mut task }) = serving else {
            return;
        };
        stop.cancel();
        self.state().end();
        if tokio::time::timeout(CLOSE, &mut task).await.is_err() {
            task.abort();
        }
    }
}

#[async_trait]
impl Door for McpBDoor {
    fn kind(&self) -> DoorKind {
        DoorKind::McpB
    }

    async fn read(&self, pass: ReadPass, cancel: CancellationToken) -> Result<String, DoorError> {
        self.inner.read(pass, cancel).await
    }

    async fn execute(&self, ticket: Ticket) -> Executed {
        self.inner.execute(ticket).await
    }

    /// Nothing of the page's own is held here, so nothing is answered.
    async fn answer(&self, _: &HeldRef, _: &str) {}

    async fn tool(&self, key: &ToolKey) -> Option<Tool> {
        self.inner.state().current(key).map(|(_, tool)| tool.clone())
    }

    /// The page is in a browser that is not ours.
    async fn open(&self, _: &str) -> Result<(), DoorError> {
        Err(DoorError::Page(
            "Pages with the mcp-b widget connect by themselves. Open the page in your own browser.".into(),
        ))
    }

    async fn close(&self) {
        let mut serving = self.inner.serving.lock().await;
        self.inner.stop(serving.take()).await;
    }
}
