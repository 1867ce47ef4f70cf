//! What the tests of this crate share: a clock, drafts, and disks with faults.
#![allow(dead_code, reason = "every test binary uses its own part")]

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use countersign_contract::{Ingress, RowDraft, RowKind};
use countersign_ledger::{FileStorage, Ledger, Opened, Storage, UtcClock, log_file};
use serde_json::json;

/// One millisecond later at every look.
pub fn clock() -> UtcClock {
    let looks = AtomicUsize::new(0);
    Arc::new(move || {
        format!(
            "2027-01-02T03:04:{:02}.{:03}Z",
            5,
            looks.fetch_add(1, Ordering::Relaxed) % 1000
        )
    })
}

pub fn draft(kind: RowKind, reference: Option<&str>) -> RowDraft {
    RowDraft {
        kind,
        ingress: Ingress::PanelAgent,
        seat: "a model, \"small\"".into(),
        reference: reference.map(str::to_owned),
        data: json!({ "tool": "add_to_cart", "arguments": "{\"qty\":2}", "prev": "not the link", "price": "12.00" }),
    }
}

/// Opens on a disk that never syncs: for tests about bytes, where the disk's pace is beside the point.
pub fn open_quick(dir: &Path) -> (Ledger, Opened) {
    let log = log_file(dir);
    Ledger::open_on(dir, clock(), |_| Box::new(Quick::open(&log))).expect("the ledger opens")
}

/// A ledger with `rows` rows, closed again; its bytes.
pub fn written(dir: &Path, rows: usize) -> Vec<u8> {
    let (ledger, _) = open_quick(dir);
    for number in 1..=rows {
        ledger
            .append_blocking(draft(RowKind::Proposed, Some(&format!("p{number}"))))
            .expect("the row is written");
    }
    drop(ledger);
    std::fs::read(log_file(dir)).expect("the log is there")
}

/// The bytes of `log`, line by line with their ends.
pub fn lines(log: &[u8]) -> Vec<&[u8]> {
    log.split_inclusive(|&b| b == b'\n').collect()
}

pub struct Quick(File);

impl Quick {
    fn open(path: &Path) -> Self {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .expect("the log is there");
        file.seek(SeekFrom::End(0)).expect("a file can be sought");
        Self(file)
    }
}

impl Storage for Quick {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.0.set_len(length)?;
        self.0.seek(SeekFrom::End(0)).map(drop)
    }
}

/// What a [`Faulty`] disk is to do, and what it was asked.
#[derive(Default)]
pub struct Plan {
    /// Take this many bytes of the next append, then fail like a full disk.
    pub full_after: Option<usize>,
    /// Fail the next sync.
    pub sync_fails: bool,
    pub appends: usize,
    pub syncs: usize,
}

pub struct Faulty {
    pub file: FileStorage,
    pub plan: Arc<Mutex<Plan>>,
}

pub fn open_faulty(dir: &Path) -> (Ledger, Arc<Mutex<Plan>>) {
    let plan = Arc::new(Mutex::new(Plan::default()));
    let ours = plan.clone();
    let (ledger, _) =
        Ledger::open_on(dir, clock(), |file| Box::new(Faulty { file, plan: ours })).expect("the ledger opens");
    (ledger, plan)
}

impl Storage for Faulty {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut plan = self.plan.lock().expect("no test panics while it holds the plan");
        plan.appends += 1;
        match plan.full_after.take() {
            Some(taken) => {
                self.file.append(&bytes[..taken.min(bytes.len())])?;
                Err(io::ErrorKind::StorageFull.into())
            }
            None => self.file.append(bytes),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut plan = self.plan.lock().expect("no test panics while it holds the plan");
        plan.syncs += 1;
        if std::mem::take(&mut plan.sync_fails) {
            return Err(io::Error::from_raw_os_error(5));
        }
        self.file.sync()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.cut(length)
    }
}
