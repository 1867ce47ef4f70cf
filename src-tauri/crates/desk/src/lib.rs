//! The one queue: every ask of every caller comes here, is run when it reads and held when it writes, and every release is
//! recorded before it takes effect. The gate decides, the ledger remembers, the doors execute; this crate carries messages
//! between them and owns none of their rules.
#![forbid(unsafe_code)]

mod ask;
mod beside;
mod changes;
mod choose;
mod chosen;
mod clients;
mod clock;
mod decide;
mod ended;
mod error;
mod events;
mod fate;
mod late;
mod open;
mod pages;
mod preview;
mod record;
mod rules;
mod seat;
mod world;

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_bridge::Door;
use countersign_contract::{Beside, DeskState, LedgerHead, LedgerState, Notice, SitePolicy};
use countersign_gate::Gate;
use countersign_ledger::Ledger;
use tokio::sync::watch;

pub use ask::{Asked, CallAsk};
pub use clock::{Clock, SystemClock};
pub use error::DeskError;
pub use open::DeskConfig;
use world::World;

/// A handle to the desk; clones are the same desk.
#[derive(Clone)]
pub struct Desk {
    inner: Arc<Inner>,
}

struct Inner {
    gate: Mutex<Gate>,
    world: Mutex<World>,
    doors: Mutex<Vec<Arc<dyn Door>>>,
    /// For doors that are still to come.
    sites: Mutex<Vec<SitePolicy>>,
    notices: Mutex<Vec<Notice>>,
    beside: Mutex<Vec<Beside>>,
    ledger: Ledger,
    found: LedgerState,
    clock: Arc<dyn Clock>,
    // The windows call from threads that are not of the runtime.
    runtime: tokio::runtime::Handle,
    changes: watch::Sender<u64>,
    /// Whether what an MCP client asked for stays held when it leaves.
    keeps: AtomicBool,
    /// How often a client was shown to its place.
    sessions: AtomicU64,
}

impl Desk {
    /// Everything the windows draw.
    pub fn state(&self) -> DeskState {
        let at = self.inner.clock.now();
        let (seq, hash) = self.inner.ledger.head();
        let world = self.world();
        let gate = self.gate();
        DeskState {
            revision: *self.inner.changes.borrow(),
            doors: world.doors(),
            tabs: world.tabs(),
            pages: world.listed(),
            page_lost: world.chosen.lost().map(str::to_owned),
            proposals: gate.proposals(&at),
            rules: gate.rules(&at),
            clients: gate.clients(&at),
            descriptors: gate.descriptors(),
            writes_revoked_at: gate.writes_revoked_at(),
            paused: gate.paused(),
            notices: self.notices(),
            ledger: LedgerHead {
                seq,
                hash,
                state: self.inner.found.clone(),
                read_only: self.inner.ledger.read_only(),
            },
        }
    }

    /// A number that grows with every change of [`Desk::state`].
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// The record of every act.
    pub fn ledger(&self) -> &Ledger {
        &self.inner.ledger
    }

    fn changed(&self) {
        self.inner.changes.send_modify(|revision| *revision += 1);
    }

    // A panic while a lock was held must not take the desk down with it: the gate's own rules hold whatever state it is in.
    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.inner.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.inner.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
