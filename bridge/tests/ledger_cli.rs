//! `countersign-bridge ledger …` as a person or a script runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use countersign_contract::{Ingress, Row, RowDraft, RowKind};
use countersign_ledger::{GENESIS, Ledger, log_file};
use serde_json::json;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_countersign-bridge"))
        .args(arguments)
        .output()
        .unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A ledger with three rows.
fn ledger(dir: &Path) -> Vec<Row> {
    let (ledger, _) = Ledger::open(dir, Arc::new(|| "2027-01-02T03:04:05.678Z".to_owned())).unwrap();
    let row = |number| RowDraft {
        kind: RowKind::Proposed,
        ingress: Ingress::PanelAgent,
        seat: "a model".into(),
        reference: Some(format!("p{number}")),
        data: json!({ "price": "12.00" }),
    };
    (1..=3)
        .map(|number| ledger.append_blocking(row(number)).unwrap().into_row())
        .collect()
}

#[test]
fn verify_prints_rows_head_and_its_boundary() {
    let dir = tempfile::tempdir().unwrap();
    let rows = ledger(dir.path());
    for path in [log_file(dir.path()), dir.path().to_owned()] {
        let output = run(&["ledger", "verify", path.to_str().unwrap()]);
        assert_eq!(code(&output), 0);
        assert!(said(&output).contains("rows  3, all intact\n"), "{}", said(&output));
        assert!(said(&output).contains(&format!("head  {}\n", rows[2].hash)));
        assert!(said(&output).contains("cannot see rows cut from the end"));
    }
}

#[test]
fn verify_names_the_first_fault() {
    let dir = tempfile::tempdir().unwrap();
    let rows = ledger(dir.path());
    let log = log_file(dir.path());
    let edited = fs::read_to_string(&log).unwrap().replacen("p2", "p7", 1);
    fs::write(&log, edited).unwrap();
    let output = run(&["ledger", "verify", log.to_str().unwrap()]);
    assert_eq!(code(&output), 1);
    assert!(said(&output).contains("rows  1 intact before the first fault\n"));
    assert!(said(&output).contains(&format!("head  {}\n", rows[0].hash)));
    assert!(
        said(&output).contains("fault line 2: hash-mismatch: "),
        "{}",
        said(&output)
    );
}

#[test]
fn verify_says_that_an_empty_ledger_is_empty() {
    let dir = tempfile::tempdir().unwrap();
    let log = log_file(dir.path());
    fs::write(&log, "").unwrap();
    let output = run(&["ledger", "verify", log.to_str().unwrap()]);
    assert_eq!(code(&output), 0);
    assert!(said(&output).contains("0 rows: the ledger is empty"));
    let head = run(&["ledger", "verify", "--head", &"a".repeat(64), log.to_str().unwrap()]);
    assert_eq!(code(&head), 1, "an empty ledger does not hold a head");
}

#[test]
fn a_remembered_head_shows_rows_cut_from_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let rows = ledger(dir.path());
    let log = log_file(dir.path());
    let path = log.to_str().unwrap();
    let older = run(&["ledger", "verify", path, "--head", &rows[1].hash]);
    assert_eq!(code(&older), 0);
    assert!(
        said(&older).contains("The remembered head is row 2; 1 row follows it."),
        "{}",
        said(&older)
    );

    let bytes = fs::read_to_string(&log).unwrap();
    let two: String = bytes.split_inclusive('\n').take(2).collect();
    fs::write(&log, two).unwrap();
    assert_eq!(
        code(&run(&["ledger", "verify", path])),
        0,
        "the boundary of a chain alone"
    );
    let cut = run(&["ledger", "verify", path, "--head", &rows[2].hash]);
    assert_eq!(code(&cut), 1);
    assert!(said(&cut).contains("rows were cut off or rewritten"), "{}", said(&cut));
}

#[test]
fn the_head_of_an_empty_ledger_is_in_every_chain() {
    let dir = tempfile::tempdir().unwrap();
    ledger(dir.path());
    let output = run(&["ledger", "verify", dir.path().to_str().unwrap(), "--head", GENESIS]);
    assert_eq!(code(&output), 0);
    assert!(said(&output).contains("The remembered head is that of an empty ledger; 3 rows follow it."));
}

#[test]
fn export_prints_the_rows_up_to_the_first_fault() {
    let dir = tempfile::tempdir().unwrap();
    let rows = ledger(dir.path());
    let log = log_file(dir.path());
    let exported = |output: &Output| -> Vec<Row> {
        said(output)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let whole = run(&["ledger", "export", log.to_str().unwrap()]);
    assert_eq!((code(&whole), exported(&whole)), (0, rows.clone()));

    let edited = fs::read_to_string(&log).unwrap().replacen("p3", "p7", 1);
    fs::write(&log, edited).unwrap();
    let broken = run(&["ledger", "export", log.to_str().unwrap()]);
    assert_eq!((code(&broken), exported(&broken)), (1, rows[..2].to_vec()));
    assert!(String::from_utf8_lossy(&broken.stderr).contains("Stopped at line 3"));
}

#[test]
fn wrong_usage_and_unreadable_files_exit_with_2() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = dir.path().join("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    let wrong: [&[&str]; 8] = [
        &[],
        &["ledger"],
        &["ledger", "verify"],
        &["ledger", "verify", nowhere],
        &["ledger", "verify", nowhere, "--head", "abc"],
        &["ledger", "export", nowhere],
        &["mcp", "more"],
        &["native-host", "chrome-extension://x/"],
    ];
    for arguments in wrong {
        let output = run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_forged_file_cannot_speak_to_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    ledger(dir.path());
    let log = log_file(dir.path());
    let line = fs::read_to_string(&log).unwrap().lines().next().unwrap().to_owned();
    let body = line[65..].replace(r#""kind":"proposed""#, "\"kind\":\"\u{9b}2J\"");
    fs::write(
        &log,
        format!("{} {body}\n", countersign_ledger::sha256_hex(body.as_bytes())),
    )
    .unwrap();
    let output = run(&["ledger", "verify", log.to_str().unwrap()]);
    assert_eq!(code(&output), 1);
    assert!(
        said(&output).contains("2J") && !said(&output).contains('\u{9b}'),
        "{}",
        said(&output)
    );
}

const ROOM: &str = include_str!("../../src-tauri/crates/ledger/tests/take-five/room.json");

#[test]
fn a_take_five_ledger_is_verified_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("room.json");
    fs::write(&file, ROOM).unwrap();
    let path = file.to_str().unwrap();
    let output = run(&["ledger", "verify", path]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    assert!(said(&output).starts_with("kind  a ledger of Take Five"));
    assert!(said(&output).contains("rows  10, all intact\n"), "{}", said(&output));

    let entries: Vec<serde_json::Value> = serde_json::from_str(ROOM).unwrap();
    let head = entries[6]["hash"].as_str().unwrap();
    let output = run(&["ledger", "verify", path, "--head", head]);
    assert!(said(&output).contains("The remembered head is row 7; 3 rows follow it."));

    fs::write(&file, ROOM.replacen("Reveal", "Ruling", 1)).unwrap();
    let output = run(&["ledger", "verify", path]);
    assert_eq!(code(&output), 1);
    assert!(
        said(&output).contains("fault line 6: hash-mismatch"),
        "{}",
        said(&output)
    );
}
