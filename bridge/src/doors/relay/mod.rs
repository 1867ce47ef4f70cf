//! Pages that opt in, in whichever browser the person uses: HTTP on loopback, with the routes of Take Five's bridge, so that a
//! page made for that works unchanged. The page is believed about itself; `docs/relay.md` says what this door cannot hold.

mod body;
mod calls;
pub(super) mod clock;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod http;
mod line;
pub(super) mod origin;
pub(super) mod pushed;
mod state;
mod status;
mod stream;
pub(super) mod token;

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use countersign_contract::{DoorKind, HeldRef, Tool, ToolKey};
use countersign_gate::{ReadPass, Ticket};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use clock::WallClock;
use http::Run;
use line::Lines;
use state::{Absence, State};

pub use clock::RelayClock;
pub use status::{RelayInvitation, RelayOn, RelayStatus, SecondPage};
pub use token::RelayToken;

use crate::{Door, DoorError, DoorEvent, Executed};

/// Where pages look for the relay unless they are told otherwise.
pub const RELAY_PORT: u16 = 7340;

/// How long a page whose stream has ended may take to open it again. A browser tries after a few seconds.
const BACK: Duration = Duration::from_secs(10);
/// How long connections may take to end when the door closes.
const CLOSE: Duration = Duration::from_secs(2);

/// Whom the relay serves, and where.
#[derive(Clone, Debug)]
pub struct RelayConfig {
    /// The one origin it serves, as a browser writes it: `https://room.example`, or `chrome-extension://` and an id.
    pub origin: String,
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// What the page has to show. Make a new one each time the relay is turned on: calls are numbered from 1 by each start of the
    /// app, and a page that still has the last token could answer a call that it was not asked.
    pub token: RelayToken,
}

impl RelayConfig {
    /// A relay for this origin at the usual port, with a new token.
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            port: RELAY_PORT,
            token: RelayToken::random(),
        }
    }
}

/// Why the relay could not be turned on.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The origin is not one.
    #[error(
        "`{0}` is not an origin as a browser writes it. Give scheme, host and port and nothing more, like https://room.example."
    )]
    Origin(String),
    /// The token cannot be used.
    #[error(
        "The relay's token is too weak or does not fit an address. It takes 32 to 128 letters, digits, `_` and `-`."
    )]
    Token,
    /// The port cannot be had.
    #[error(
        "The relay could not listen on 127.0.0.1:{port}: {error}. Another program may use the port; pick another one."
    )]
    Port {
        /// The port.
        port: u16,
        /// The system's words.
        error: std::io::Error,
    },
}

/// The relay door. Clones are the same door.
#[derive(Clone)]
pub struct RelayDoor {
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<State>,
    status: watch::Receiver<RelayStatus>,
    clock: Arc<dyn RelayClock>,
    runtime: Mutex<Option<Handle>>,
    /// Held while the door is turned on or off, so that neither overtakes the other.
    serving: tokio::sync::Mutex<Option<Serving>>,
}

struct Serving {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl RelayDoor {
    /// A door that is closed until [`RelayDoor::listen`], and what it will report.
    pub fn new() -> (Self, mpsc::UnboundedReceiver<DoorEvent>) {
        Self::with_clock(Arc::new(WallClock))
    }

    /// The same, with its waits counted by somebody else.
    pub fn with_clock(clock: Arc<dyn RelayClock>) -> (Self, mpsc::UnboundedReceiver<DoorEvent>) {
        let (events, reported) = mpsc::unbounded_channel();
        let (told, status) = watch::channel(RelayStatus::default());
        let inner = Inner {
            state: Mutex::new(State::new(events, told)),
            status,
            clock,
            runtime: Mutex::new(None),
            serving: tokio::sync::Mutex::new(None),
        };
        (Self { inner: Arc::new(inner) }, reported)
    }

    /// Turns the relay on; one that is on already is closed first.
    ///
    /// # Errors
    /// When the origin is not one, or the port cannot be had. The relay is off then.
    pub async fn listen(&self, config: RelayConfig) -> Result<RelayInvitation, RelayError> {
        let origin = origin::bare(&config.origin)?;
        let mut serving = self.inner.serving.lock().await;
        self.inner.stop(serving.take()).await;
        let port = config.port;
        let failed = |error| RelayError::Port { port, error };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let on = RelayOn {
            address,
            origin: origin.clone(),
            fingerprint: config.token.fingerprint().to_owned(),
        };
        let invitation = RelayInvitation::new(on.clone(), config.token.reveal());
        *self.inner.runtime.lock().unwrap_or_else(PoisonError::into_inner) = Some(Handle::current());
        let number = {
            let mut state = self.inner.state();
            state.begin(on);
            state.run
        };
        let run = Arc::new(Run {
            inner: self.inner.clone(),
            number,
            origin,
            token: config.token,
        });
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let task = tokio::spawn(async move {
            let lines = Lines {
                listener,
                inner: run.inner.clone(),
                run: run.number,
            };
            let router = Router::new().fallback(http::answer).with_state(run);
            let served = axum::serve(lines, router).with_graceful_shutdown(stopped).await;
            if let Err(error) = served {
                tracing::error!(%error, "the relay has ended");
            }
        });
        *serving = Some(Serving { stop, task });
        Ok(invitation)
    }

    /// What a person has to be told about the relay, now and after each change.
    pub fn status(&self) -> watch::Receiver<RelayStatus> {
        self.inner.status.clone()
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, for a request of this run; `None` when that is over.
    fn current(&self, run: u64) -> Option<MutexGuard<'_, State>> {
        Some(self.state()).filter(|state| state.run == run)
    }

    /// Looks again, later, whether a page that is away has come back.
    fn watch(self: &Arc<Self>, absence: Option<Absence>) {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Some(absence), Some(runtime)) = (absence, runtime) {
            let inner = Arc::downgrade(self);
            let clock = self.clock.clone();
            runtime.spawn(async move {
                clock.wait(BACK).await;
                if let Some(inner) = inner.upgrade() {
                    inner.state().give_up(&absence);
                }
            });
        }
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
impl Door for RelayDoor {
    fn kind(&self) -> DoorKind {
        DoorKind::Relay
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
        self.inner.state().current(key).cloned()
    }

    /// The page is in a browser that is not ours.
    async fn open(&self, _: &str) -> Result<(), DoorError> {
        Err(DoorError::Page(
            "The relay cannot open a page. Open the relay's address in your own browser.".into(),
        ))
    }

    async fn close(&self) {
        let mut serving = self.inner.serving.lock().await;
        self.inner.stop(serving.take()).await;
    }
}
