//! The desk over a real browser and a ledger on disk. Only the clock is ours: what has to be looked at for half a second, or is
//! held for an hour, is so at once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_bridge::{BrowserConfig, BrowserDoor, find_browser};
use countersign_contract::{
    DoorKind, Fingerprint, NewRule, Proposal, ProposalId, ReleaseParams, Row, RowKind, ShownParams,
};
use countersign_desk::{Clock, Desk, DeskConfig, DeskError, SystemClock};
use countersign_gate::{At, Policy};
use countersign_ledger::{log_file, verify_file};

use crate::record;
use crate::site::Site;

/// Time that moves when it is told to.
#[derive(Default)]
pub struct Hand(Mutex<u64>);

impl Hand {
    /// Lets time pass.
    pub fn forward(&self, ms: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += ms;
    }
}

impl Clock for Hand {
    fn now(&self) -> At {
        let ms = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        At::new(ms, SystemClock::utc())
    }
}

/// Everything the cases share.
pub struct Rig {
    pub desk: Desk,
    pub clock: Arc<Hand>,
    pub site: Site,
    /// The ledger's folder.
    pub ledger: PathBuf,
    /// Every press of release: the proposal, and the digest of the card that was in view.
    presses: Mutex<Vec<(ProposalId, String)>>,
    _folder: tempfile::TempDir,
}

impl Rig {
    /// Starts all of it but the browser, which starts with the first page.
    pub async fn start(pages: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        find_browser(None)?;
        let folder = tempfile::tempdir()?;
        let ledger = folder.path().join("ledger");
        let clock = Arc::new(Hand::default());
        let config = DeskConfig {
            ledger: ledger.clone(),
            policy: Policy {
                keep_settled: 20,
                ..Policy::default()
            },
            version: "hostile pages".into(),
        };
        let desk = Desk::open(config, clock.clone()).await?;
        let mut config = BrowserConfig::new(folder.path().join("profile"));
        config.headless = std::env::var_os("COUNTERSIGN_TEST_WINDOW").is_none();
        // Nobody is there to press a button, and without a press a popup would be blocked before it could try anything.
        config.extra_args = vec!["--disable-popup-blocking".into(), "--ignore-certificate-errors".into()];
        // All cases share this browser: what one is caught at must not be held against the next for long.
        config.guard_after_lie = Duration::from_secs(3);
        let (door, events) = BrowserDoor::new(config);
        desk.add_door(Arc::new(door), events);
        let site = Site::start(pages, &ledger).await?;
        let rig = Self {
            desk,
            clock,
            site,
            ledger,
            presses: Mutex::default(),
            _folder: folder,
        };
        // Without a tab of its own the browser would end with the last page of a case.
        rig.desk.open_page(DoorKind::Browser, "about:blank").await?;
        Ok(rig)
    }

    /// Paints a card for as long as it takes to arm it, and gives its digest.
    pub fn show(&self, card: &Proposal) -> String {
        self.desk.window(true, true);
        self.desk.shown(&ShownParams {
            proposal: card.id.clone(),
            digest: card.digest.clone(),
        });
        self.clock.forward(Policy::default().arming_ms);
        card.digest.clone()
    }

    /// Presses release on a card with this digest, every risk ticked off.
    pub async fn press(&self, card: &Proposal, digest: &str) -> Result<(), DeskError> {
        self.pressing(card, digest, None).await
    }

    /// The same as something that can go its own way, with a rule to be made along with it.
    pub fn pressing(
        &self,
        card: &Proposal,
        digest: &str,
        rule: Option<NewRule>,
    ) -> impl Future<Output = Result<(), DeskError>> + Send + use<> {
        self.presses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((card.id.clone(), digest.to_owned()));
        let params = ReleaseParams {
            proposal: card.id.clone(),
            digest: digest.to_owned(),
            acknowledged: card.risks.iter().map(|risk| risk.id.clone()).collect(),
            fingerprint: Fingerprint {
                is_trusted: Some(true),
                ..Fingerprint::default()
            },
            rule,
        };
        let desk = self.desk.clone();
        async move { desk.release(params).await }
    }

    /// Ends the browser, then checks the whole ledger: every row verifies, every life is one that can be, and each release
    /// belongs to one press of that very card, or to a rule that was in force.
    pub async fn finish(self) -> Result<String, String> {
        self.desk.close().await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        let report = verify_file(&log_file(&self.ledger)).map_err(|error| error.to_string())?;
        if let Some(fault) = report.fault {
            return Err(format!("the ledger does not verify: {}", fault.message));
        }
        let rows = record::rows(&self.ledger);
        let mut presses = self.presses.into_inner().unwrap_or_else(PoisonError::into_inner);
        for row in rows.iter().filter(|row| row.kind == RowKind::Released) {
            if let Some(rule) = row.data["byRule"].as_str() {
                record::ruled(row, rule, &rows)?;
                continue;
            }
            let of = |(id, digest): &(ProposalId, String)| {
                row.reference.as_deref() == Some(id.0.as_str()) && row.data["cardDigest"] == digest.as_str()
            };
            let pressed = presses.iter().position(of);
            let pressed = pressed.ok_or_else(|| format!("row {} is a release that nobody pressed", row.seq))?;
            presses.swap_remove(pressed);
        }
        let lives = lives(&rows)?;
        Ok(format!(
            "{} rows, {lives} proposals, every release pressed once or by a rule in force",
            report.rows
        ))
    }
}

fn lives(rows: &[Row]) -> Result<usize, String> {
    let mut lives: std::collections::BTreeMap<&str, Vec<Row>> = std::collections::BTreeMap::new();
    for row in rows {
        if let Some(proposal) = &row.reference {
            lives.entry(proposal).or_default().push(row.clone());
        }
    }
    for (proposal, rows) in &lives {
        record::life(proposal, rows)?;
    }
    Ok(lives.len())
}
