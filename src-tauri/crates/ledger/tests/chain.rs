//! What a check of the chain finds.

mod support;

use std::fs;

use countersign_contract::{FaultReason, LedgerRowsParams, RowKind, VerifyReport};
use countersign_ledger::{Depth, GENESIS, LedgerError, log_file, scan, sha256_hex, verify_file, verify_stored};
use serde_json::{Value, json};
use support::{draft, lines, open_quick, written};

const NONE: [u64; 0] = [];
const BOTH: [Depth; 2] = [Depth::Stored, Depth::Deep];

fn check(log: &[u8], depth: Depth) -> VerifyReport {
    scan(log, depth, |_| ()).unwrap()
}

fn fault(log: &[u8], depth: Depth) -> (u64, FaultReason) {
    let fault = check(log, depth).fault.expect("there is a fault");
    (fault.line, fault.reason)
}

/// The line for a body that somebody who can compute a hash has made up.
fn forged(body: &str) -> Vec<u8> {
    format!("{} {body}\n", sha256_hex(body.as_bytes())).into_bytes()
}

#[test]
fn an_intact_ledger_has_its_rows_and_its_head() {
    let dir = tempfile::tempdir().unwrap();
    let log = written(dir.path(), 3);
    let head = String::from_utf8(lines(&log)[2][..64].to_vec()).unwrap();
    let report = VerifyReport {
        rows: 3,
        head,
        fault: None,
    };
    assert_eq!(verify_file(&log_file(dir.path())).unwrap(), report);
    assert_eq!(verify_stored(&log_file(dir.path())).unwrap(), report);
}

#[test]
fn an_empty_ledger_has_no_rows_and_no_fault() {
    assert_eq!(
        check(b"", Depth::Deep),
        VerifyReport {
            rows: 0,
            head: GENESIS.into(),
            fault: None
        }
    );
}

#[test]
fn every_flipped_bit_of_a_row_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let log = written(dir.path(), 4);
    let start = lines(&log)[0].len() + lines(&log)[1].len();
    let end = start + lines(&log)[2].len();
    for at in start..end {
        for bit in 0..8 {
            let mut flipped = log.clone();
            flipped[at] ^= 1 << bit;
            for depth in BOTH {
                let report = check(&flipped, depth);
                assert!(
                    report.rows == 2 && report.fault.is_some_and(|fault| fault.line == 3),
                    "byte {at}, bit {bit}"
                );
            }
        }
    }
}

#[test]
fn dropped_doubled_and_swapped_rows_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let log = written(dir.path(), 4);
    let [one, two, three, four] = lines(&log)[..] else {
        panic!()
    };
    for depth in BOTH {
        assert_eq!(
            fault(&[one, three, four].concat(), depth),
            (2, FaultReason::BadSequence),
            "dropped"
        );
        assert_eq!(
            fault(&[two, three, four].concat(), depth),
            (1, FaultReason::BadSequence),
            "the first dropped"
        );
        assert_eq!(
            fault(&[one, two, two, three, four].concat(), depth),
            (3, FaultReason::BadSequence),
            "doubled"
        );
        assert_eq!(
            fault(&[one, three, two, four].concat(), depth),
            (2, FaultReason::BadSequence),
            "swapped"
        );
        assert_eq!(
            fault(&log[..log.len() - 1], depth),
            (4, FaultReason::TornTail),
            "no end"
        );
        assert_eq!(
            fault(&[one, b"\n", two].concat(), depth),
            (2, FaultReason::Malformed),
            "an empty line"
        );
        assert_eq!(
            check(&[one, two, three].concat(), depth).fault,
            None,
            "cut at the end: the boundary of a chain alone"
        );
    }
}

#[test]
fn a_row_that_was_rewritten_with_its_hash_breaks_the_next_link() {
    let dir = tempfile::tempdir().unwrap();
    let log = written(dir.path(), 3);
    let [one, two, three] = lines(&log)[..] else { panic!() };
    let body = std::str::from_utf8(&two[65..two.len() - 1]).unwrap();
    let edited = forged(&body.replace("12.00", "99.00"));
    for depth in BOTH {
        assert_eq!(
            fault(&[one, &edited, three].concat(), depth),
            (3, FaultReason::BrokenLink)
        );
    }
}

#[test]
fn a_deep_check_sees_what_correct_hashes_hide() {
    let dir = tempfile::tempdir().unwrap();
    let log = written(dir.path(), 1);
    let body = std::str::from_utf8(&log[65..log.len() - 1]).unwrap();
    let deep = |body: &str| fault(&forged(body), Depth::Deep).1;
    let value: Value = serde_json::from_str(body).unwrap();

    assert_eq!(deep(&format!(" {body}")), FaultReason::NotCanonical);
    assert_eq!(
        deep(&serde_json::to_string_pretty(&value).unwrap().replace('\n', "")),
        FaultReason::NotCanonical
    );
    assert_eq!(
        deep(&body.replace(r#""price":"12.00""#, r#""price":12.5"#)),
        FaultReason::NotCanonical
    );
    assert_eq!(
        deep(&body.replace("server-observed", "attested")),
        FaultReason::Malformed
    );
    assert_eq!(
        deep(&body.replace(r#""kind":"proposed""#, r#""kind":"guessed""#)),
        FaultReason::Malformed
    );
    assert_eq!(
        deep(&body.replace(r#","seat""#, r#","sable":1,"seat""#)),
        FaultReason::Malformed
    );
    assert_eq!(deep("{}"), FaultReason::Malformed);
    assert_eq!(fault(&forged("{}"), Depth::Stored), (1, FaultReason::Malformed));
}

#[test]
fn an_endless_line_is_not_read_to_its_end() {
    let line = vec![b'a'; (16 << 20) + 2];
    assert_eq!(fault(&line, Depth::Stored), (1, FaultReason::Malformed));
}

#[test]
fn rows_come_newest_first_and_in_pages() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = open_quick(dir.path());
    let written: Vec<_> = (1..=7)
        .map(|number| {
            ledger
                .append_blocking(draft(RowKind::Read, Some(&format!("p{number}"))))
                .unwrap()
                .into_row()
        })
        .collect();
    let rows = |before, limit, filter: &str| {
        let page = ledger
            .rows(&LedgerRowsParams {
                before,
                limit,
                filter: filter.into(),
            })
            .unwrap();
        assert_eq!(page.total, 7);
        page.rows
    };
    let seqs = |rows: Vec<countersign_contract::Row>| rows.iter().map(|row| row.seq).collect::<Vec<_>>();
    let newest_first: Vec<_> = written.iter().rev().cloned().collect();
    assert_eq!(rows(None, 500, ""), newest_first, "what is read is what was written");
    assert_eq!(seqs(rows(None, 3, "")), [7, 6, 5]);
    assert_eq!(seqs(rows(Some(5), 3, "")), [4, 3, 2]);
    assert_eq!(seqs(rows(Some(2), 3, "")), [1]);
    assert_eq!(seqs(rows(Some(1), 3, "")), NONE);
    assert_eq!(seqs(rows(Some(u64::MAX), 0, "")), NONE);
    assert_eq!(seqs(rows(None, 500, "P3")), [3], "case does not matter");
    assert_eq!(seqs(rows(None, 2, " ADD_to_CART ")), [7, 6]);
    assert_eq!(seqs(rows(Some(6), 2, "add_to_cart")), [5, 4]);
    assert_eq!(
        seqs(rows(None, 9, &written[3].hash[..12])),
        [5, 4],
        "a digest is found as hash and as link"
    );
    assert_eq!(seqs(rows(None, 9, "nowhere")), NONE);
}

#[test]
fn a_filter_looks_through_every_row_of_a_long_ledger() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = open_quick(dir.path());
    ledger
        .append_blocking(draft(RowKind::Read, Some("the needle")))
        .unwrap();
    for _ in 0..600 {
        ledger.append_blocking(draft(RowKind::Read, None)).unwrap();
    }
    let page = ledger
        .rows(&LedgerRowsParams {
            before: None,
            limit: 5,
            filter: "Needle".into(),
        })
        .unwrap();
    assert_eq!(page.rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_row_changed_behind_the_back_of_an_open_ledger_is_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = open_quick(dir.path());
    for _ in 0..3 {
        ledger.append_blocking(draft(RowKind::Read, None)).unwrap();
    }
    let log = fs::read_to_string(ledger.path()).unwrap();
    fs::write(ledger.path(), log.replacen("12.00", "99.00", 1)).unwrap();
    let all = LedgerRowsParams {
        before: None,
        limit: 9,
        filter: String::new(),
    };
    assert!(matches!(ledger.rows(&all), Err(LedgerError::Altered { seq: 1, .. })));
    assert_eq!(
        ledger.verify().unwrap().fault.unwrap().reason,
        FaultReason::HashMismatch
    );

    let two: usize = log.split_inclusive('\n').take(2).map(str::len).sum();
    fs::write(ledger.path(), &log[..two]).unwrap();
    let report = ledger.verify().unwrap();
    assert_eq!(
        report.fault.map(|fault| (fault.line, fault.reason)),
        Some((3, FaultReason::BadSequence)),
        "rows cut off"
    );
}

#[test]
fn a_body_refuses_what_it_cannot_hold_exactly() {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = open_quick(dir.path());
    let with = |data| {
        ledger.append_blocking(countersign_contract::RowDraft {
            data,
            ..draft(RowKind::Read, None)
        })
    };
    let Err(LedgerError::Float { at, .. }) = with(json!({ "cost": { "amount": 0.5 } })) else {
        panic!()
    };
    assert_eq!(at, "/cost/amount");
    assert!(matches!(
        with(json!([1_u64 << 53])),
        Err(LedgerError::UnsafeInteger { .. })
    ));
    assert!(matches!(
        with(json!("a".repeat(16 << 20))),
        Err(LedgerError::TooLarge { .. })
    ));
    assert_eq!(ledger.head().0, 0, "nothing was written");
    assert!(
        with(json!({ "amount": "0.5" })).is_ok(),
        "a refused row does not stop the ledger"
    );
}
