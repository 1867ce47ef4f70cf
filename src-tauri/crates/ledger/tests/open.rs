//! What opening finds.

mod support;

use std::fs;

use countersign_contract::{FaultReason, LedgerRowsParams, LedgerState, ProposalId, RowKind};
use countersign_ledger::{GENESIS, Ledger, LedgerError, Unfinished, log_file, verify_file};
use support::{clock, draft, lines, open_quick, written};

#[test]
fn a_new_folder_is_an_empty_ledger() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("not/there/yet");
    let (ledger, opened) = Ledger::open(&dir, clock()).unwrap();
    assert_eq!(opened.state, LedgerState::Intact);
    assert_eq!(
        (opened.seq, opened.head.as_str(), opened.last_proposal),
        (0, GENESIS, 0)
    );
    assert_eq!(ledger.head(), (0, GENESIS.to_owned()));
    let row = ledger.append_blocking(draft(RowKind::Opened, None)).unwrap().into_row();
    assert_eq!((row.seq, row.prev.as_str()), (1, GENESIS));
}

#[test]
fn a_reopened_ledger_goes_on_where_it_ended() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = Ledger::open(dir.path(), clock()).unwrap();
    let first = ledger.append_blocking(draft(RowKind::Opened, None)).unwrap().into_row();
    drop(ledger);
    let (ledger, opened) = Ledger::open(dir.path(), clock()).unwrap();
    assert_eq!((opened.seq, &opened.head), (1, &first.hash));
    let second = ledger.append_blocking(draft(RowKind::Opened, None)).unwrap().into_row();
    assert_eq!((second.seq, &second.prev), (2, &first.hash));
    assert_eq!(verify_file(ledger.path()).unwrap().head, second.hash);
}

#[test]
fn a_torn_end_is_cut_off_wherever_it_was_torn() {
    let source = tempfile::tempdir().unwrap();
    let log = written(source.path(), 5);
    let ends: Vec<usize> = lines(&log)
        .iter()
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect();
    let dir = tempfile::tempdir().unwrap();
    for cut in ends[1]..=log.len() {
        fs::write(log_file(dir.path()), &log[..cut]).unwrap();
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let torn = cut - ends[whole - 1];

        let (ledger, opened) = open_quick(dir.path());
        let rows = whole as u64 + u64::from(torn > 0);
        let state = if torn > 0 {
            LedgerState::TornTail { bytes: torn as u64 }
        } else {
            LedgerState::Intact
        };
        assert_eq!((opened.state, opened.seq), (state, rows), "cut at byte {cut}");
        if torn > 0 {
            let page = ledger
                .rows(&LedgerRowsParams {
                    before: None,
                    limit: 1,
                    filter: String::new(),
                })
                .unwrap();
            assert_eq!(page.rows[0].kind, RowKind::Recovered);
            assert_eq!(page.rows[0].data["bytes"], torn);
        }
        ledger.append_blocking(draft(RowKind::Opened, None)).unwrap();
        let report = ledger.verify().unwrap();
        assert_eq!((report.rows, report.fault), (rows + 1, None), "cut at byte {cut}");
        drop(ledger);
        assert!(
            fs::read(log_file(dir.path()))
                .unwrap()
                .starts_with(&log[..ends[whole - 1]]),
            "a whole row was touched"
        );
    }
}

#[test]
fn a_torn_end_on_a_real_disk_is_cut_and_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let log = written(dir.path(), 2);
    fs::write(log_file(dir.path()), &log[..log.len() - 1]).unwrap();
    let (_ledger, opened) = Ledger::open(dir.path(), clock()).unwrap();
    let torn = lines(&log)[1].len() as u64 - 1;
    assert_eq!((opened.state, opened.seq), (LedgerState::TornTail { bytes: torn }, 2));
}

#[test]
fn a_broken_ledger_is_read_only_and_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let log = written(dir.path(), 4);
    let mut edited = String::from_utf8(log).unwrap().replacen("12.00", "99.00", 3);
    // Torn as well: a fault before the end keeps even the torn end.
    edited.truncate(edited.len() - 10);
    let at = edited.find("99.00").unwrap();
    edited.replace_range(at..at + 5, "12.00");
    fs::write(log_file(dir.path()), &edited).unwrap();

    let (ledger, opened) = Ledger::open(dir.path(), clock()).unwrap();
    let LedgerState::Broken { fault } = opened.state else {
        panic!("{:?}", opened.state)
    };
    assert_eq!((fault.line, fault.reason), (2, FaultReason::HashMismatch));
    assert_eq!(
        (opened.seq, ledger.head().0),
        (1, 1),
        "only the rows before the fault count"
    );
    assert_eq!(opened.last_proposal, 1);

    let Err(LedgerError::ReadOnly { why }) = ledger.append_blocking(draft(RowKind::Opened, None)) else {
        panic!()
    };
    assert!(why.contains("Row 2") && !why.contains("99.00"), "{why}");
    assert_eq!(
        ledger
            .rows(&LedgerRowsParams {
                before: None,
                limit: 9,
                filter: String::new()
            })
            .unwrap()
            .rows
            .len(),
        1
    );
    assert_eq!(ledger.verify().unwrap().fault, Some(fault));
    drop(ledger);
    assert_eq!(
        fs::read_to_string(log_file(dir.path())).unwrap(),
        edited,
        "nothing is repaired"
    );
}

#[test]
fn proposals_without_an_end_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = open_quick(dir.path());
    let ends = [
        RowKind::Refused,
        RowKind::Expired,
        RowKind::Withdrawn,
        RowKind::PageGone,
    ];
    let write = |kind, id: &str| drop(ledger.append_blocking(draft(kind, Some(id))).unwrap());
    for (number, end) in ends.into_iter().enumerate() {
        write(RowKind::Proposed, &format!("p{}", number + 1));
        write(end, &format!("p{}", number + 1));
    }
    for id in ["p12", "p11", "p10", "p9"] {
        write(RowKind::Proposed, id);
    }
    write(RowKind::Amended, "p11");
    write(RowKind::SetAside, "p9");
    write(RowKind::Released, "p12");
    write(RowKind::Released, "p10");
    write(RowKind::Outcome, "p10");
    write(RowKind::Repriced, "p9");
    write(RowKind::Read, "no proposal");
    write(RowKind::Proposed, "an \"odd\" one");
    drop(ledger);

    let (_ledger, opened) = open_quick(dir.path());
    let unfinished = |id: &str, released| Unfinished {
        proposal: ProposalId(id.into()),
        released,
    };
    let expected = [
        unfinished("p12", true),
        unfinished("p11", false),
        unfinished("p9", false),
        unfinished("an \"odd\" one", false),
    ];
    assert_eq!(opened.unfinished, expected);
    assert_eq!(opened.last_proposal, 12);
}
