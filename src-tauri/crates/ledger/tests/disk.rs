//! What a disk, a second process and a crash can do to a ledger.

mod support;

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use countersign_contract::{LedgerRowsParams, LedgerState, RowKind};
use countersign_ledger::{FileStorage, GENESIS, Ledger, LedgerError, Storage, verify_file};
use support::{clock, draft, lines, open_faulty, written};

const ALL: LedgerRowsParams = LedgerRowsParams {
    before: None,
    limit: 500,
    filter: String::new(),
};

#[test]
fn a_sync_that_fails_makes_nothing_durable_and_ends_writing() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, plan) = open_faulty(dir.path());
    let first = ledger.append_blocking(draft(RowKind::Opened, None)).unwrap().into_row();
    plan.lock().unwrap().sync_fails = true;

    let lost = ledger.append_blocking(draft(RowKind::Released, Some("p1")));
    assert!(matches!(lost, Err(LedgerError::NotDurable { .. })), "{lost:?}");
    for _ in 0..2 {
        let after = ledger.append_blocking(draft(RowKind::Released, Some("p1")));
        assert!(matches!(after, Err(LedgerError::ReadOnly { .. })), "{after:?}");
    }
    assert_eq!(ledger.head(), (1, first.hash.clone()));
    assert_eq!(ledger.rows(&ALL).unwrap().rows, [first]);
    assert!(ledger.read_only().is_some_and(|why| why.contains("did not confirm")));
    let plan = plan.lock().unwrap();
    assert_eq!((plan.appends, plan.syncs), (2, 2), "a failed sync is not tried again");
}

#[test]
fn a_full_disk_makes_nothing_durable_and_the_next_run_recovers() {
    let source = tempfile::tempdir().unwrap();
    let length = written(source.path(), 1).len();
    for taken in [0, 1, 64, 65, length / 2, length - 1, length] {
        let dir = tempfile::tempdir().unwrap();
        let (ledger, plan) = open_faulty(dir.path());
        let first = ledger
            .append_blocking(draft(RowKind::Proposed, Some("p1")))
            .unwrap()
            .into_row();
        plan.lock().unwrap().full_after = Some(taken);
        let lost = ledger.append_blocking(draft(RowKind::Proposed, Some("p2")));
        assert!(matches!(lost, Err(LedgerError::NotDurable { .. })), "{lost:?}");
        assert_eq!(ledger.head(), (1, first.hash));
        drop(ledger);

        let (ledger, opened) = Ledger::open(dir.path(), clock()).unwrap();
        match taken {
            0 => assert_eq!((opened.state, opened.seq), (LedgerState::Intact, 1)),
            // All of it went in, though nobody was told: it counts, and its proposal has no end.
            _ if taken == length => assert_eq!((opened.state, opened.unfinished.len()), (LedgerState::Intact, 2)),
            _ => assert_eq!(
                (opened.state, opened.seq),
                (LedgerState::TornTail { bytes: taken as u64 }, 2)
            ),
        }
        ledger.append_blocking(draft(RowKind::Opened, None)).unwrap();
        assert_eq!(ledger.verify().unwrap().fault, None, "{taken} bytes taken");
    }
}

#[test]
fn bytes_added_by_somebody_else_end_writing() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = open_faulty(dir.path());
    ledger.append_blocking(draft(RowKind::Opened, None)).unwrap();
    let mut log = fs::read(ledger.path()).unwrap();
    log.extend_from_slice(b"a line of somebody's\n");
    fs::write(ledger.path(), &log).unwrap();
    let Err(LedgerError::NotDurable { why }) = ledger.append_blocking(draft(RowKind::Opened, None)) else {
        panic!()
    };
    assert!(why.contains("something else changed it"), "{why}");
    assert_eq!(
        fs::read(ledger.path()).unwrap(),
        log,
        "nothing is written into a file that is not ours any more"
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_was_moved_away_makes_nothing_durable() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = Ledger::open(dir.path(), clock()).unwrap();
    ledger.append_blocking(draft(RowKind::Opened, None)).unwrap();
    fs::copy(ledger.path(), dir.path().join("copy")).unwrap();
    fs::rename(dir.path().join("copy"), ledger.path()).unwrap();
    let Err(LedgerError::NotDurable { why }) = ledger.append_blocking(draft(RowKind::Opened, None)) else {
        panic!("a row went into a file nobody can find")
    };
    assert!(why.contains("not the file that was opened"), "{why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_appenders_make_one_chain() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = Ledger::open(dir.path(), clock()).unwrap();
    let appenders: Vec<_> = (0..64)
        .map(|number| {
            let ledger = ledger.clone();
            tokio::spawn(async move {
                let mut rows = Vec::new();
                for _ in 0..4 {
                    let row = ledger
                        .append(draft(RowKind::Read, Some(&format!("p{number}"))))
                        .await
                        .unwrap();
                    assert!(ledger.head().0 >= row.row().seq, "told before it was durable");
                    rows.push(row.into_row());
                }
                assert!(
                    rows.is_sorted_by_key(|row| row.seq),
                    "an appender's own rows keep their order"
                );
                rows
            })
        })
        .collect();
    let mut rows = Vec::new();
    for appender in appenders {
        rows.extend(appender.await.unwrap());
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.seq));
    assert_eq!(
        ledger.rows(&ALL).unwrap().rows,
        rows,
        "everybody's row is in the file, once, as it was told"
    );
    assert_eq!(ledger.verify().unwrap().rows, 256);
    assert_eq!(rows.last().map(|row| row.prev.as_str()), Some(GENESIS));
}

/// Stops in its first sync until it is let go.
struct Slow {
    file: FileStorage,
    syncs: Arc<AtomicUsize>,
    entered: mpsc::Sender<()>,
    go: mpsc::Receiver<()>,
}

impl Storage for Slow {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.syncs.fetch_add(1, Ordering::SeqCst) == 0 {
            self.entered.send(()).unwrap();
            self.go.recv().unwrap();
        }
        self.file.sync()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.cut(length)
    }
}

#[tokio::test]
async fn rows_that_wait_share_one_sync_and_none_is_seen_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let syncs = Arc::new(AtomicUsize::new(0));
    let (entered, is_in) = mpsc::channel();
    let (let_go, go) = mpsc::channel();
    let counted = syncs.clone();
    let (ledger, _) = Ledger::open_on(dir.path(), clock(), |file| {
        Box::new(Slow {
            file,
            syncs: counted,
            entered,
            go,
        })
    })
    .unwrap();
    let append = || {
        let ledger = ledger.clone();
        tokio::spawn(async move { ledger.append(draft(RowKind::Read, None)).await.map(drop) })
    };
    let first = append();
    tokio::task::yield_now().await;
    is_in.recv().unwrap();
    assert_eq!(ledger.head().0, 0, "written is not durable");
    assert!(ledger.rows(&ALL).unwrap().rows.is_empty());
    let waiting: Vec<_> = (0..20).map(|_| append()).collect();
    tokio::task::yield_now().await;
    assert!(!first.is_finished());
    let_go.send(()).unwrap();
    for appended in waiting.into_iter().chain([first]) {
        appended.await.unwrap().unwrap();
    }
    assert_eq!((ledger.head().0, syncs.load(Ordering::SeqCst)), (21, 2));
}

#[test]
fn a_second_handle_is_refused_until_the_first_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = Ledger::open(dir.path(), clock()).unwrap();
    let also = ledger.clone();
    drop(ledger);
    let second = Ledger::open(dir.path(), clock());
    assert!(matches!(second, Err(LedgerError::InUse { .. })), "{second:?}");
    drop(also);
    assert!(Ledger::open(dir.path(), clock()).is_ok());
}

const DIR: &str = "COUNTERSIGN_TEST_LEDGER";

/// Runs one of the ignored tests below in a process of its own.
fn child(test: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(DIR, dir);
    command
}

#[test]
fn a_second_process_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (_ledger, _) = Ledger::open(dir.path(), clock()).unwrap();
    let output = child("child_is_refused", dir.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("refused: The ledger in"),
        "{said}"
    );
}

#[test]
#[ignore = "the other process of a_second_process_is_refused"]
fn child_is_refused() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let error = Ledger::open(Path::new(&dir), clock()).unwrap_err();
    assert!(matches!(error, LedgerError::InUse { .. }), "{error}");
    println!("refused: {error}");
}

#[test]
fn a_killed_process_loses_no_row_it_was_told_of() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = child("child_appends_until_killed", dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(process.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let told: Vec<String> = said
        .filter_map(|line| line.strip_prefix("durable ").map(str::to_owned))
        .take(40)
        .collect();
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(told.len(), 40, "the other process wrote");

    let (ledger, opened) = Ledger::open(dir.path(), clock()).unwrap();
    assert!(
        !matches!(opened.state, LedgerState::Broken { .. }),
        "{:?}",
        opened.state
    );
    let log = fs::read(ledger.path()).unwrap();
    for (line, hash) in lines(&log).iter().zip(&told) {
        assert!(
            line.starts_with(hash.as_bytes()),
            "row {hash} was told of and is not there"
        );
    }
    assert_eq!(verify_file(ledger.path()).unwrap().fault, None);
}

#[test]
#[ignore = "the other process of a_killed_process_loses_no_row_it_was_told_of"]
fn child_appends_until_killed() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let (ledger, _) = Ledger::open(Path::new(&dir), clock()).unwrap();
    println!();
    for _ in 0..100_000 {
        println!(
            "durable {}",
            ledger.append_blocking(draft(RowKind::Read, None)).unwrap().row().hash
        );
    }
}
