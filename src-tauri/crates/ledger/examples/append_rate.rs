//! How much of the disk's own pace an append keeps, and how fast a ledger is checked. Both sides of every ratio are
//! measured in the same run, turn by turn, on the same disk.
//!
//! `cargo run --release -p countersign-ledger --example append_rate [FOLDER]` (the folder decides the disk).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use countersign_contract::{Ingress, RowDraft, RowKind};
use countersign_ledger::{FileStorage, Ledger, Storage, UtcClock, verify_file, verify_stored};
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

const ROUNDS: usize = 9;

const SINGLE: usize = 200;
const CALLERS: usize = 16;
const EACH: usize = 40;
const CHECKED: usize = 200_000;

fn main() -> Result<(), Failure> {
    let home = std::env::args_os()
        .nth(1)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = tempfile::tempdir_in(home)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    let syncs = Arc::new(AtomicUsize::new(0));
    let counted = syncs.clone();
    let (ledger, _) = Ledger::open_on(dir.path(), clock(), |file| Box::new(Counted { file, syncs: counted }))?;
    ledger.append_blocking(draft())?;
    let line = std::fs::read(ledger.path())?;
    println!(
        "a row is {} bytes; rows per second, medians of {ROUNDS} turns",
        line.len()
    );

    compare(
        "one row a sync",
        || append_raw(dir.path(), &line, SINGLE, 1),
        || {
            rate(SINGLE, || {
                (0..SINGLE).try_for_each(|_| ledger.append_blocking(draft()).map(drop))
            })
        },
    )?;
    syncs.store(0, Ordering::Relaxed);
    compare(
        &format!("{CALLERS} callers, against {CALLERS} rows a sync"),
        || append_raw(dir.path(), &line, CALLERS * EACH, CALLERS),
        || rate(CALLERS * EACH, || runtime.block_on(append_together(&ledger))),
    )?;
    let shared = (ROUNDS * CALLERS * EACH) as f64 / syncs.load(Ordering::Relaxed) as f64;
    println!("the {CALLERS} callers shared a sync for {shared:.1} rows");
    drop(ledger);

    let log = dir.path().join("checked");
    let (ledger, _) = Ledger::open(&log, clock())?;
    let rows = (0..CHECKED).map(|_| {
        let ledger = ledger.clone();
        runtime.spawn(async move { ledger.append(draft()).await.map(drop) })
    });
    for row in rows.collect::<Vec<_>>() {
        runtime.block_on(row)??;
    }
    let stored = rate(CHECKED, || verify_stored(ledger.path()).map(drop))?;
    let deep = rate(CHECKED, || verify_file(ledger.path()).map(drop))?;
    println!("checked: {stored:.0} rows/s by stored bytes, {deep:.0} rows/s deep");
    Ok(())
}

struct Counted {
    file: FileStorage,
    syncs: Arc<AtomicUsize>,
}

impl Storage for Counted {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.syncs.fetch_add(1, Ordering::Relaxed);
        self.file.sync()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.cut(length)
    }
}

fn append_raw(dir: &Path, line: &[u8], rows: usize, a_sync: usize) -> io::Result<f64> {
    let mut file: File = OpenOptions::new().append(true).create(true).open(dir.join("raw"))?;
    let group = line.repeat(a_sync);
    rate(rows, || {
        (0..rows / a_sync).try_for_each(|_| {
            file.write_all(&group)?;
            file.sync_data()
        })
    })
}

async fn append_together(ledger: &Ledger) -> Result<(), Failure> {
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let ledger = ledger.clone();
            tokio::spawn(async move {
                for _ in 0..EACH {
                    ledger.append(draft()).await?;
                }
                Ok::<(), countersign_ledger::LedgerError>(())
            })
        })
        .collect();
    for caller in callers {
        caller.await??;
    }
    Ok(())
}

fn rate<E>(rows: usize, work: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
    let start = Instant::now();
    work()?;
    Ok(rows as f64 / start.elapsed().as_secs_f64())
}

/// Turn by turn, so that a disk which changes its pace changes it for both.
fn compare<E: Into<Failure>>(
    what: &str,
    raw: impl Fn() -> io::Result<f64>,
    ours: impl Fn() -> Result<f64, E>,
) -> Result<(), Failure> {
    let mut turns = Vec::new();
    for _ in 0..ROUNDS {
        turns.push((raw()?, ours().map_err(Into::into)?));
    }
    let median = |figure: fn(&(f64, f64)) -> f64| {
        let mut figures: Vec<f64> = turns.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    let (raw, ours, kept) = (
        median(|turn| turn.0),
        median(|turn| turn.1),
        median(|turn| turn.1 / turn.0),
    );
    println!("{what}: raw {raw:.0}, ledger {ours:.0}, {:.0} % kept", 100.0 * kept);
    Ok(())
}

fn draft() -> RowDraft {
    RowDraft {
        kind: RowKind::Proposed,
        ingress: Ingress::PanelAgent,
        seat: "a model".into(),
        reference: Some("p12".into()),
        data: json!({ "tool": "add_to_cart", "origin": "https://shop.example", "argumentsDigest": "ab".repeat(32) }),
    }
}

fn clock() -> UtcClock {
    Arc::new(|| "2027-01-02T03:04:05.678Z".to_owned())
}
