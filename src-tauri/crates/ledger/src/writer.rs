use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use countersign_contract::Row;

use crate::row::{DurableRow, Prepared};
use crate::{LedgerError, Storage, UtcClock};

/// At most this much goes into one write. More only makes the first caller wait longer.
const BATCH_BYTES: usize = 1 << 20;
/// The longest wait for company, see [`gather`].
const PATIENCE: Duration = Duration::from_millis(2);

/// What is on the disk for certain. Readers look no further.
pub(crate) struct Committed {
    /// Where each row's line starts; row n is at n - 1.
    pub starts: Vec<u64>,
    /// Where the last line ends.
    pub end: u64,
    /// The hash of the last row.
    pub head: String,
    /// Why nothing more can be written, in whole sentences.
    pub read_only: Option<String>,
}

impl Committed {
    pub(crate) fn seq(&self) -> u64 {
        self.starts.len() as u64
    }
}

/// Shared between the writer and the readers. A panic elsewhere leaves it consistent: it is changed in one step.
#[derive(Clone)]
pub(crate) struct Board(Arc<Mutex<Committed>>);

impl Board {
    pub(crate) fn new(committed: Committed) -> Self {
        Self(Arc::new(Mutex::new(committed)))
    }

    pub(crate) fn read(&self) -> MutexGuard<'_, Committed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A row waiting to be written, and whom to tell.
pub(crate) struct Request {
    pub row: Prepared,
    pub reply: Reply,
}

pub(crate) type Reply = Box<dyn FnOnce(Result<DurableRow, LedgerError>) + Send>;

/// The only owner of the file, the numbering and the head.
pub(crate) struct Writer {
    pub storage: Box<dyn Storage>,
    pub clock: UtcClock,
    pub board: Board,
}

impl Writer {
    /// Writes until every handle is gone and the queue is empty.
    pub(crate) fn run(mut self, queue: &Receiver<Request>) {
        let mut company = 1;
        let mut patience = Duration::ZERO;
        while let Ok(first) = queue.recv() {
            let batch = gather(queue, first, company, Instant::now() + patience);
            company = batch.len();
            let start = Instant::now();
            self.commit(batch);
            patience = (start.elapsed() / 4).min(PATIENCE);
        }
    }

    fn commit(&mut self, batch: Vec<Request>) {
        let (mut seq, mut head, end) = {
            let committed = self.board.read();
            if let Some(why) = &committed.read_only {
                for request in batch {
                    (request.reply)(Err(LedgerError::ReadOnly { why: why.clone() }));
                }
                return;
            }
            (committed.seq(), committed.head.clone(), committed.end)
        };
        let mut lines = Vec::with_capacity(batch.iter().map(|request| request.row.len() + 256).sum());
        let mut starts = Vec::with_capacity(batch.len());
        let mut sealed: Vec<(Row, Reply)> = Vec::with_capacity(batch.len());
        for Request { row, reply } in batch {
            seq += 1;
            starts.push(end + lines.len() as u64);
            let row = row.seal(seq, &head, (self.clock)(), &mut lines);
            head.clone_from(&row.hash);
            sealed.push((row, reply));
        }
        match self.write(&lines, end) {
            Ok(()) => {
                {
                    let mut committed = self.board.read();
                    committed.starts.append(&mut starts);
                    committed.end = end + lines.len() as u64;
                    committed.head = head;
                }
                for (row, reply) in sealed {
                    reply(Ok(DurableRow::new(row)));
                }
            }
            Err(why) => {
                self.board.read().read_only = Some(why.clone());
                for (_, reply) in sealed {
                    reply(Err(LedgerError::NotDurable { why: why.clone() }));
                }
            }
        }
    }

    fn write(&mut self, lines: &[u8], end: u64) -> Result<(), String> {
        let length = self
            .storage
            .length()
            .map_err(|error| format!("The disk did not answer ({error})."))?;
        if length != end {
            return Err(format!(
                "The ledger file is {length} bytes long and should be {end}: something else changed it while it was open."
            ));
        }
        self.storage
            .append(lines)
            .map_err(|error| format!("The disk did not take the row ({error})."))?;
        self.storage
            .sync()
            .map_err(|error| format!("The disk did not confirm the row ({error})."))
    }
}

/// Everything that waits, for one write. Callers that were answered together tend to come back together, a moment after
/// the writer looked: as many as came last time are waited for, until `deadline`. A lone caller never waits.
fn gather(queue: &Receiver<Request>, first: Request, company: usize, deadline: Instant) -> Vec<Request> {
    let mut bytes = first.row.len();
    let mut batch = vec![first];
    while bytes < BATCH_BYTES {
        let next = queue.try_recv().ok().or_else(|| {
            let left = deadline.saturating_duration_since(Instant::now());
            (batch.len() < company).then(|| queue.recv_timeout(left).ok()).flatten()
        });
        let Some(next) = next else { break };
        bytes += next.row.len();
        batch.push(next);
    }
    batch
}
