//! The browser Countersign starts itself: an installed Chromium with a profile of its own, over its debugging pipe. Nobody but
//! the app has that pipe. The interceptor stands in every document before any page script; every request of the browser can be
//! paused from the start.

mod calls;
mod changes;
mod emit;
mod events;
mod extension;
mod find;
mod frames;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod guard;
mod heads;
mod held;
mod later;
mod launch;
mod network;
mod open;
mod page;
mod pipe;
mod profile;
mod protocol;
mod scope;
mod scripts;
mod sends;
mod sent;
mod sockets;
mod state;
mod submitted;
mod targets;
#[cfg(test)]
mod told;
mod tools;
mod workers;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_contract::wire::Head;
use countersign_contract::{DoorKind, HeldRef, PageRef, SitePolicy, Tool, ToolKey};
use countersign_gate::{ReadPass, Ticket};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use find::{BROWSER_VARIABLE, find_browser};
use guard::GuardTimes;
use state::State;

use crate::{Door, DoorError, DoorEvent, Executed};

/// How to start the browser.
#[derive(Clone, Debug)]
pub struct BrowserConfig {
    /// The program; `None` to look for one ([`find_browser`]).
    pub program: Option<PathBuf>,
    /// The browser's profile, which is not the person's own. Made when it is not there.
    pub profile_dir: PathBuf,
    /// Without a window.
    pub headless: bool,
    /// More arguments for the browser, last.
    pub extra_args: Vec<String>,
    /// How long after the end of a read its page's requests are still held.
    pub guard_after_read: Duration,
    /// The same for reads of an origin one of whose reads was caught sending something.
    pub guard_after_lie: Duration,
}

impl BrowserConfig {
    /// A browser with a window, found by itself, with this profile.
    pub fn new(profile_dir: PathBuf) -> Self {
        Self {
            program: None,
            profile_dir,
            headless: false,
            extra_args: Vec::new(),
            guard_after_read: Duration::from_secs(2),
            guard_after_lie: Duration::from_secs(30),
        }
    }
}

/// The browser door. Clones are the same door.
#[derive(Clone)]
pub struct BrowserDoor {
    inner: Arc<Inner>,
}

struct Inner {
    config: BrowserConfig,
    state: Mutex<State>,
    /// Held while the browser is being started, so that two callers do not start two.
    starting: tokio::sync::Mutex<()>,
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BrowserDoor {
    /// A door that is closed until something is opened, and what it will report.
    pub fn new(config: BrowserConfig) -> (Self, mpsc::UnboundedReceiver<DoorEvent>) {
        let (events, reported) = mpsc::unbounded_channel();
        let after = GuardTimes {
            read: config.guard_after_read,
            lie: config.guard_after_lie,
        };
        let inner = Arc::new_cyclic(|me| Inner {
            config,
            state: Mutex::new(State::new(me.clone(), events, after)),
            starting: tokio::sync::Mutex::new(()),
        });
        (Self { inner }, reported)
    }

    /// The process id of the browser, while it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.inner.state().browser.as_ref().map(|browser| browser.process.id())
    }
}

#[async_trait]
impl Door for BrowserDoor {
    fn kind(&self) -> DoorKind {
        DoorKind::Browser
    }

    async fn read(&self, pass: ReadPass, cancel: CancellationToken) -> Result<String, DoorError> {
        self.inner.read(pass, cancel).await
    }

    async fn execute(&self, ticket: Ticket) -> Executed {
        self.inner.execute(ticket).await
    }

    async fn answer(&self, held: &HeldRef, text: &str) {
        self.inner.answer(held, text).await;
    }

    async fn tool(&self, key: &ToolKey) -> Option<Tool> {
        self.inner.state().current(key)
    }

    fn tell_head(&self, page: &PageRef, number: u32, row: Option<Head>) {
        self.inner.state().tell_head(page, number, row);
    }

    fn set_sites(&self, sites: &[SitePolicy]) {
        self.inner.state().sites = sites.to_vec();
    }

    async fn open(&self, url: &str) -> Result<String, DoorError> {
        self.inner.open(url).await
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
