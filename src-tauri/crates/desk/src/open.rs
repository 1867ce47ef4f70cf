use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_contract::{Beside, Ingress, LedgerState, MarkedRead, NamedBy, RowDraft, RowKind, SitePolicy};
use countersign_gate::{Descriptor, Gate, Policy, Recall};
use countersign_ledger::{Ledger, LedgerError, Unfinished};
use serde_json::json;
use tokio::sync::{Semaphore, watch};

use crate::world::World;
use crate::{Clock, Desk, Inner, SystemClock};

/// How a desk is set up.
#[derive(Clone, Debug)]
pub struct DeskConfig {
    /// The folder of the ledger.
    pub ledger: PathBuf,
    /// The gate's times.
    pub policy: Policy,
    /// The app's version, for the ledger.
    pub version: String,
}

impl Desk {
    /// Opens the ledger and starts the desk. What an earlier run left held is expired; what it left released without an
    /// outcome is recorded as unknown. Neither can run any more.
    ///
    /// # Errors
    /// When the ledger is in use by another process, or cannot be read at all.
    pub async fn open(config: DeskConfig, clock: Arc<dyn Clock>) -> Result<Self, LedgerError> {
        let mut recall = Recall::default();
        let (ledger, opened) =
            Ledger::open_seeing(&config.ledger, Arc::new(SystemClock::utc), &Recall::KINDS, |row| {
                recall.see(row);
            })?;
        let mut gate = Gate::new(config.policy, opened.last_proposal);
        // Of a ledger that does not verify nothing is taken over: a rule that was revoked later may be in it.
        if !matches!(opened.state, LedgerState::Broken { .. }) {
            gate.recall(recall, &clock.now());
        }
        let (changes, _) = watch::channel(1);
        let desk = Self {
            inner: Arc::new(Inner {
                gate: Mutex::new(gate),
                world: Mutex::new(World::default()),
                doors: Mutex::new(Vec::new()),
                sites: Mutex::new(Vec::new()),
                notices: Mutex::new(Vec::new()),
                beside: Mutex::new(Vec::new()),
                ledger,
                found: opened.state.clone(),
                clock,
                runtime: tokio::runtime::Handle::current(),
                changes,
                keeps: AtomicBool::new(true),
                sessions: AtomicU64::new(1),
                fates: Semaphore::new(2),
            }),
        };
        desk.record(desk_row(
            RowKind::Opened,
            None,
            json!({ "version": config.version, "found": opened.state }),
        ))
        .await;
        for unfinished in opened.unfinished {
            desk.record(ended_by_restart(&unfinished)).await;
        }
        desk.watch_expiry();
        Ok(desk)
    }

    /// How long what is asked from now on is held.
    pub fn set_hold_minutes(&self, minutes: u32) {
        self.gate().hold_for(u64::from(minutes.max(1)) * 60_000);
    }

    /// The tools of the relay's pages that the person takes for reads, from now on.
    pub fn mark_reads(&self, marked: &[MarkedRead]) {
        self.gate().mark_reads(marked.to_vec());
        self.changed();
    }

    /// What is to be done for single sites, from now on, at every door.
    pub fn set_sites(&self, sites: &[SitePolicy]) {
        let mut kept = self.inner.sites.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = sites.to_vec();
        for door in self.inner.doors.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            door.set_sites(sites);
        }
    }

    /// What is called along with single writes, from the next card on.
    pub fn set_beside(&self, beside: &[Beside]) {
        let mut kept = self.inner.beside.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = beside.to_vec();
    }

    /// The descriptors that make cards readable from now on, those that wait included.
    pub fn describe(&self, descriptors: Vec<(NamedBy, Descriptor)>) {
        let at = self.inner.clock.now();
        self.gate().describe(descriptors, &at);
        self.changed();
    }

    /// Closes every door; each fails what it holds first.
    pub async fn close(&self) {
        let doors = self.inner.doors.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for door in doors {
            door.close().await;
        }
    }

    fn watch_expiry(&self) {
        let desk = self.clone();
        tokio::spawn(async move {
            let mut changes = desk.changes();
            loop {
                let next = desk.expire().await.unwrap_or(Duration::from_secs(3600));
                tokio::select! {
                    () = tokio::time::sleep(next) => {}
                    changed = changes.changed() => if changed.is_err() { return },
                }
            }
        });
    }
}

fn ended_by_restart(unfinished: &Unfinished) -> RowDraft {
    let reference = Some(unfinished.proposal.0.clone());
    if unfinished.released {
        let message = "Released, and Countersign ended before it saw the outcome. It is not run again.";
        desk_row(
            RowKind::Outcome,
            reference,
            json!({ "outcome": "unknown", "message": message }),
        )
    } else {
        let message = "Countersign ended while it was held. Nothing ran, and it can not run any more.";
        desk_row(RowKind::Expired, reference, json!({ "message": message }))
    }
}

fn desk_row(kind: RowKind, reference: Option<String>, data: serde_json::Value) -> RowDraft {
    RowDraft {
        kind,
        ingress: Ingress::Desk,
        seat: "desk".into(),
        reference,
        data,
    }
}
