use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use countersign_contract::{
    Fault, FaultReason, Ingress, LedgerRowsParams, LedgerState, Row, RowDraft, RowKind, RowPage, VerifyReport,
};
use serde_json::json;
use tokio::sync::oneshot;

use crate::history::History;
use crate::row::{DurableRow, Prepared};
use crate::scan::{Depth, Line, log_file, scan_up_to};
use crate::storage::{FileStorage, Storage, lock};
use crate::writer::{Board, Committed, Reply, Request, Writer};
use crate::{LedgerError, Unfinished, page, sha256_hex};

/// Tells the time of a row: RFC 3339, UTC, with milliseconds.
pub type UtcClock = Arc<dyn Fn() -> String + Send + Sync>;

/// What opening a ledger found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Whether it can be written.
    pub state: LedgerState,
    /// Proposals without an end, in the order in which they were proposed.
    pub unfinished: Vec<Unfinished>,
    /// The largest number a proposal has had; 0 when there was none.
    pub last_proposal: u64,
    /// Rows that verify, the one that records a recovery included.
    pub seq: u64,
    /// The hash of the last of them; 64 zeros when there is none.
    pub head: String,
}

/// A handle to an open ledger; cloning it is cheap. The last one to go waits until everything queued is on the disk, then
/// gives the folder free.
#[derive(Clone)]
pub struct Ledger {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    state: LedgerState,
    board: Board,
    queue: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
    _lock: File,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has told its callers already: their replies were dropped.
            let _ = writer.join();
        }
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seq, head) = self.head();
        f.debug_struct("Ledger")
            .field("path", &self.shared.path)
            .field("seq", &seq)
            .field("head", &head)
            .finish()
    }
}

impl Ledger {
    /// Opens the ledger of a folder, making both when they are not there, and reads all of it. An incomplete last line is
    /// cut off and a row says so; any other fault makes the ledger read-only, and nothing is repaired.
    ///
    /// # Errors
    /// When another handle or process has it open, or the system does not let it be read.
    pub fn open(dir: &Path, clock: UtcClock) -> Result<(Self, Opened), LedgerError> {
        Self::open_all(dir, clock, |file| Box::new(file), |_| ())
    }

    /// As [`Ledger::open`], and shows every row of these kinds, in order, as it is read.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open_seeing(
        dir: &Path,
        clock: UtcClock,
        kinds: &[RowKind],
        mut see: impl FnMut(&Row),
    ) -> Result<(Self, Opened), LedgerError> {
        let show = |line: &Line<'_>| {
            let wanted = line.facts().is_some_and(|(kind, _)| kinds.contains(kind));
            if let (true, Ok(row)) = (wanted, line.row()) {
                see(&row);
            }
        };
        Self::open_all(dir, clock, |file| Box::new(file), show)
    }

    /// As [`Ledger::open`], with something between the writer and the file. For tests of what a disk can do.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open_on(
        dir: &Path,
        clock: UtcClock,
        between: impl FnOnce(FileStorage) -> Box<dyn Storage>,
    ) -> Result<(Self, Opened), LedgerError> {
        Self::open_all(dir, clock, between, |_| ())
    }

    fn open_all(
        dir: &Path,
        clock: UtcClock,
        between: impl FnOnce(FileStorage) -> Box<dyn Storage>,
        mut show: impl FnMut(&Line<'_>),
    ) -> Result<(Self, Opened), LedgerError> {
        let lock = lock(dir)?;
        let path = log_file(dir);
        let mut storage = between(FileStorage::open(&path)?);
        let length = storage.length().map_err(LedgerError::io("read", &path))?;

        let mut history = History::default();
        let mut starts = Vec::new();
        let mut end = 0;
        let report = scan_up_to(&path, length, Depth::Deep, |line| {
            starts.push(line.start);
            end = line.end;
            if let Some((kind, reference)) = line.facts() {
                history.observe(line.seq, *kind, reference.as_deref());
            }
            show(line);
        })?;
        let mut committed = Committed {
            starts,
            end,
            head: report.head,
            read_only: None,
        };
        let (state, recovery) = match report.fault {
            None => (LedgerState::Intact, None),
            Some(Fault {
                reason: FaultReason::TornTail,
                ..
            }) => {
                let recovery = recovered(&path, end)?;
                storage
                    .cut(end)
                    .map_err(LedgerError::io("cut the torn end off", &path))?;
                (LedgerState::TornTail { bytes: length - end }, Some(recovery))
            }
            Some(fault) => {
                committed.read_only = Some(format!(
                    "Row {} of {} does not verify. {} Keep the file, and move its folder aside to start a new ledger.",
                    fault.line,
                    path.display(),
                    fault.message
                ));
                (LedgerState::Broken { fault }, None)
            }
        };

        let board = Board::new(committed);
        let (queue, requests) = mpsc::channel();
        let writer = Writer {
            storage,
            clock,
            board: board.clone(),
        };
        let writer = thread::Builder::new()
            .name("ledger".into())
            .spawn(move || writer.run(&requests))
            .map_err(LedgerError::io("start a thread to write", &path))?;
        let ledger = Self {
            shared: Arc::new(Shared {
                path,
                state: state.clone(),
                board,
                queue: Some(queue),
                writer: Some(writer),
                _lock: lock,
            }),
        };
        if let Some(row) = recovery {
            // When the disk does not take it the ledger is read-only from here on and says why at the next append; the rows
            // can still be read.
            let _ = ledger.append_blocking(row);
        }
        let (seq, head) = ledger.head();
        let last_proposal = history.last_proposal();
        Ok((
            ledger,
            Opened {
                state,
                unfinished: history.unfinished(),
                last_proposal,
                seq,
                head,
            },
        ))
    }

    /// Writes a row and returns once it would survive a power cut. When the returned future is dropped the row may still be
    /// written.
    ///
    /// # Errors
    /// Particulars that a body cannot hold (nothing was written), or a ledger that is or has just become read-only.
    pub async fn append(&self, draft: RowDraft) -> Result<DurableRow, LedgerError> {
        let (reply, answer) = oneshot::channel();
        // The caller may have gone; then nobody needs to know.
        self.enqueue(draft, Box::new(|result| drop(reply.send(result))))?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// [`Ledger::append`] for code without a runtime. It blocks its thread for the time of a disk sync.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn append_blocking(&self, draft: RowDraft) -> Result<DurableRow, LedgerError> {
        let (reply, answer) = mpsc::sync_channel(1);
        self.enqueue(draft, Box::new(move |result| drop(reply.send(result))))?;
        answer.recv().unwrap_or_else(|_| Err(stopped()))
    }

    fn enqueue(&self, draft: RowDraft, reply: Reply) -> Result<(), LedgerError> {
        if let Some(why) = self.read_only() {
            return Err(LedgerError::ReadOnly { why });
        }
        let row = Prepared::new(draft)?;
        let queue = self.shared.queue.as_ref().ok_or_else(stopped)?;
        queue.send(Request { row, reply }).map_err(|_| stopped())
    }

    /// The number and the hash of the last durable row; 0 and 64 zeros when there is none.
    pub fn head(&self) -> (u64, String) {
        let committed = self.shared.board.read();
        (committed.seq(), committed.head.clone())
    }

    /// What opening found.
    pub fn state(&self) -> &LedgerState {
        &self.shared.state
    }

    /// Why nothing can be written, in whole sentences; `None` while it can.
    pub fn read_only(&self) -> Option<String> {
        self.shared.board.read().read_only.clone()
    }

    /// The file with the rows.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// A page of durable rows, newest first; each hashes to the hash it is returned with. Reads the file: keep it off
    /// threads that must not block.
    ///
    /// # Errors
    /// When the file cannot be read, or a row in it is no longer what was written.
    pub fn rows(&self, params: &LedgerRowsParams) -> Result<RowPage, LedgerError> {
        let total = self.head().0;
        let rows = page::rows(&self.shared.path, &self.shared.board, params)?;
        Ok(RowPage {
            rows,
            total,
            path: self.shared.path.display().to_string(),
            state: self.shared.state.clone(),
        })
    }

    /// Checks the whole ledger, deep, and that it ends where this handle knows it ends: rows cut from the end while it is
    /// open are a fault too. Reads the file: keep it off threads that must not block.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn verify(&self) -> Result<VerifyReport, LedgerError> {
        let (seq, head, end) = {
            let committed = self.shared.board.read();
            let broken = matches!(self.shared.state, LedgerState::Broken { .. });
            (
                committed.seq(),
                committed.head.clone(),
                if broken { u64::MAX } else { committed.end },
            )
        };
        let mut report = scan_up_to(&self.shared.path, end, Depth::Deep, |_| ())?;
        if report.fault.is_none() && (report.rows, &report.head) != (seq, &head) {
            let message = format!(
                "The file ends with row {} and hash {}, but row {seq} with hash {head} was written: rows were cut off or \
                 rewritten while Countersign was running.",
                report.rows, report.head
            );
            let reason = if report.rows == seq {
                FaultReason::BrokenLink
            } else {
                FaultReason::BadSequence
            };
            report.fault = Some(Fault {
                line: report.rows + 1,
                reason,
                message,
            });
        }
        Ok(report)
    }
}

fn stopped() -> LedgerError {
    LedgerError::Stopped("its writer has ended".to_owned())
}

/// The row that says what is about to be cut off.
fn recovered(path: &Path, end: u64) -> Result<RowDraft, LedgerError> {
    const SHOWN: usize = 2000;
    let mut tail = Vec::new();
    let mut read = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(end))?;
        file.read_to_end(&mut tail)
    };
    read().map_err(LedgerError::io("read", path))?;
    let text: String = String::from_utf8_lossy(&tail).chars().take(SHOWN).collect();
    Ok(RowDraft {
        kind: RowKind::Recovered,
        ingress: Ingress::Desk,
        seat: "desk".into(),
        reference: None,
        data: json!({ "bytes": tail.len(), "sha256": sha256_hex(&tail), "text": text }),
    })
}
