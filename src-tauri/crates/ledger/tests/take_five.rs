//! Ledgers of Take Five. `take-five/room.json` was written by another implementation of its canonical form, in JavaScript.

use countersign_contract::FaultReason;
use countersign_ledger::{GENESIS, looks_like_take_five, read_take_five};
use serde_json::{Value, json};

const ROOM: &str = include_str!("take-five/room.json");
const HEAD: &str = "28c9089c5d6b61755e4de24ec1b3c0fc4c693321d67d39b89fecec8044dbbd53";

fn entries() -> Vec<Value> {
    serde_json::from_str(ROOM).unwrap()
}

fn fault(entries: &[Value]) -> (u64, FaultReason) {
    let read = read_take_five(&json!(entries).to_string()).unwrap();
    let fault = read.report.fault.expect("it was changed");
    assert_eq!(read.report.rows, fault.line - 1);
    assert_eq!(
        read.entries.len() as u64,
        read.report.rows,
        "only what verifies is shown"
    );
    (fault.line, fault.reason)
}

#[test]
fn a_whole_ledger_verifies_in_every_form_it_comes_in() {
    let lines = entries().iter().map(|entry| format!("{entry}\n")).collect::<String>();
    let wrapped = json!({ "room": "r", "entries": entries() }).to_string();
    for text in [ROOM, &lines, &wrapped] {
        assert!(looks_like_take_five(text.as_bytes()));
        let read = read_take_five(text).unwrap();
        assert_eq!(read.report.fault, None);
        assert_eq!((read.report.rows, read.report.head.as_str()), (10, HEAD));
        let carried = &read.entries[9];
        assert_eq!(
            (carried.kind.as_str(), carried.grade.as_str()),
            ("partner_attestation", "inherited")
        );
        assert_eq!(carried.data["origin"], "https://partner.example");
    }
}

#[test]
fn the_order_and_the_spelling_of_members_do_not_matter() {
    let turned = entries().into_iter().map(|entry| {
        let members = entry.as_object().unwrap().clone();
        Value::Object(members.into_iter().rev().collect())
    });
    let text = serde_json::to_string_pretty(&turned.collect::<Vec<_>>()).unwrap();
    let text = text.replace("Commit", "\\u0043ommit");
    assert_eq!(read_take_five(&text).unwrap().report.head, HEAD);
}

#[test]
fn every_change_is_found_where_it_was_made() {
    for at in 0..10 {
        for (member, value) in [
            ("kind", json!("ruling_ratified")),
            ("ts", json!("2026-08-31T09:00:00.999Z")),
            ("payload", json!({ "ruling": "Give it away" })),
            ("prev", json!(GENESIS.replace('0', "1"))),
        ] {
            let mut changed = entries();
            changed[at][member] = value;
            assert_eq!(fault(&changed), (at as u64 + 1, FaultReason::HashMismatch));
        }
        let mut raised = entries();
        raised[at]["actor"]["grade"] = json!("attested");
        assert_eq!(fault(&raised), (at as u64 + 1, FaultReason::HashMismatch));
    }
}

#[test]
fn entries_that_are_missing_doubled_or_moved_are_found() {
    let mut missing = entries();
    missing.remove(3);
    assert_eq!(fault(&missing), (4, FaultReason::BadSequence));
    let mut doubled = entries();
    doubled.insert(3, doubled[2].clone());
    assert_eq!(fault(&doubled), (4, FaultReason::BadSequence));
    let mut moved = entries();
    moved.swap(4, 5);
    assert_eq!(fault(&moved), (5, FaultReason::BadSequence));
}

#[test]
fn an_entry_that_was_hashed_anew_breaks_the_link_after_it() {
    let mut forged = entries();
    forged[2]["payload"]["to"] = json!("Ruling");
    let mut body = forged[2].as_object().unwrap().clone();
    body.remove("hash");
    let text = countersign_ledger::canonical(&Value::Object(body)).unwrap();
    forged[2]["hash"] = json!(countersign_ledger::sha256_hex(text.as_bytes()));
    assert_eq!(fault(&forged), (4, FaultReason::BrokenLink));
}

#[test]
fn what_is_no_entry_is_named() {
    let two = entries().into_iter().take(2).collect::<Vec<_>>();
    for odd in [json!(5), json!({ "seq": 3 }), json!({ "hash": "0" })] {
        let mut with = two.clone();
        with.push(odd.clone());
        let (line, reason) = fault(&with);
        assert_eq!(line, 3, "{odd}");
        assert!(
            matches!(reason, FaultReason::Malformed | FaultReason::HashMismatch),
            "{odd}"
        );
    }
    for text in ["", "5", "{\"entries\":5}", "[1", "{\"a\":1,\"a\":2}"] {
        assert!(read_take_five(text).is_err(), "{text}");
    }
    let empty = read_take_five("[]").unwrap().report;
    assert_eq!((empty.rows, empty.head.as_str()), (0, GENESIS));
}
