use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use countersign_contract::{Caller, Fingerprint, Ingress, PageRef, Preview, ReleaseParams, RowDraft, Tool};
use countersign_gate::{Ask, AskedAct, At, Gate, Policy, Ticket};
use countersign_ledger::{DurableRow, Ledger, Storage};

/// Rows are numbered from the first again after this many: the ledger remembers where each begins.
const ROWS: u32 = 100_000;

/// A real gate, whose released rows are durable on a disk that keeps nothing.
pub(super) struct Releases {
    pub gate: Gate,
    ms: u64,
    tickets: u8,
}

impl Releases {
    pub fn new() -> Self {
        Self {
            // How often somebody may ask is the gate's own subject.
            gate: Gate::new(
                Policy {
                    burst: u32::MAX,
                    ..Policy::default()
                },
                0,
            ),
            ms: 0,
            tickets: 0,
        }
    }

    /// Proposes, shows, waits the arming time, presses, re-checks and releases. `None` when the gate says no.
    pub fn ticket(&mut self, page: PageRef, act: AskedAct) -> Option<Ticket> {
        let tool: Option<Box<Tool>> = match &act {
            AskedAct::Call { tool, .. } | AskedAct::Grant { tool, .. } | AskedAct::HeldCall { tool, .. } => {
                Some(tool.clone())
            }
            AskedAct::HeldRequest { .. } => None,
        };
        let ingress = Ingress::PanelHand;
        let ask = Ask {
            caller: Caller::new(ingress, "fuzz"),
            page,
            act,
            fingerprint: Fingerprint::default(),
            task: "fuzz".into(),
        };
        let at = self.at();
        let (id, row) = self.gate.propose(ask, &at).ok()?;
        self.gate.recorded(&id, &durable(row)?, &at).ok()?;
        if let Some(version) = self.gate.preview_wanted(&id) {
            let why = String::from("none");
            self.gate.set_preview(&id, version, Preview::Unavailable { why }, &at);
        }
        self.gate.window(true, true, &at);
        let card = self.gate.get(&id, &at)?;
        self.gate.shown(&id, &card.digest, &at);
        self.ms += 1000;
        let at = self.at();
        let params = ReleaseParams {
            proposal: id,
            digest: card.digest,
            acknowledged: card.risks.iter().map(|risk| risk.id.clone()).collect(),
            fingerprint: Fingerprint::default(),
            rule: None,
        };
        let press = self.gate.press(&params, &at).ok()?;
        let draft = self.gate.recheck(press, tool.as_deref(), None, &at).ok()?;
        let row = durable(draft.row().clone())?;
        self.tickets += 1;
        self.gate.release(draft, row, [self.tickets; 16], &at).ok()
    }

    fn at(&self) -> At {
        At::new(self.ms, "2026-01-01T00:00:00.000Z")
    }
}

/// Takes every byte and keeps none.
struct Nowhere(u64);

impl Storage for Nowhere {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0 += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.0 = length;
        Ok(())
    }
}

fn durable(row: RowDraft) -> Option<DurableRow> {
    thread_local! {
        static LEDGER: RefCell<Option<(Ledger, u32)>> = const { RefCell::new(None) };
    }
    LEDGER.with_borrow_mut(|ledger| {
        let full = ledger.as_ref().is_none_or(|(_, rows)| *rows >= ROWS);
        if full {
            *ledger = None;
        }
        let (ledger, rows) = ledger.get_or_insert_with(|| (opened(), 0));
        *rows += 1;
        ledger.append_blocking(row).ok()
    })
}

fn opened() -> Ledger {
    let thread = std::thread::current().id();
    let name = format!("countersign-fuzz-{}-{thread:?}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let clock = Arc::new(|| "2026-01-01T00:00:00.000Z".to_owned());
    let (ledger, _) = Ledger::open_on(&folder, clock, |_| Box::new(Nowhere(0))).expect("a folder can be made");
    let _ = std::fs::remove_dir_all(&folder);
    ledger
}
