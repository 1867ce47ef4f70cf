//! Ledgers of Take Five, which have another shape and the same canonical form and hash: an entry's `hash` is the SHA-256 of
//! the entry without it, as canonical JSON, and its `prev` is the hash of the entry before.

use countersign_contract::{Fault, FaultReason, TakeFiveEntry, TakeFiveLedger, VerifyReport};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::row::GENESIS;
use crate::{LedgerError, parse_strict, sha256_hex};

#[derive(Deserialize)]
struct Entry {
    seq: u64,
    ts: String,
    kind: String,
    #[serde(default)]
    payload: Value,
    actor: Actor,
    prev: String,
}

#[derive(Deserialize)]
struct Actor {
    seat: String,
    ingress: String,
    grade: String,
}

type Wrong = (FaultReason, String);

/// Whether a file that begins like this may be such a ledger rather than one of ours, whose every line begins with a hash.
pub fn looks_like_take_five(start: &[u8]) -> bool {
    matches!(start.trim_ascii_start().first(), Some(b'[' | b'{'))
}

/// Reads and checks a Take Five ledger: a JSON array of its entries, an object that holds them as `entries`, or one entry a
/// line.
///
/// # Errors
/// When the text is none of these. A fault in an entry is not an error but part of the report.
pub fn read_take_five(text: &str) -> Result<TakeFiveLedger, LedgerError> {
    let mut entries = Vec::new();
    let mut report = VerifyReport {
        rows: 0,
        head: GENESIS.to_owned(),
        fault: None,
    };
    for value in values(text)? {
        match check(value, report.rows + 1, &report.head) {
            Ok(entry) => {
                report.rows += 1;
                report.head.clone_from(&entry.hash);
                entries.push(entry);
            }
            Err((reason, message)) => {
                report.fault = Some(Fault {
                    line: report.rows + 1,
                    reason,
                    message,
                });
                break;
            }
        }
    }
    Ok(TakeFiveLedger { entries, report })
}

fn values(text: &str) -> Result<Vec<Value>, LedgerError> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let whole = parse_strict(text);
    match whole {
        Ok(Value::Array(entries)) => Ok(entries),
        Ok(Value::Object(mut members)) => match members.remove("entries") {
            Some(Value::Array(entries)) => Ok(entries),
            Some(_) => Err(not_one("`entries` is not an array")),
            // A single entry on its own line.
            None => Ok(vec![Value::Object(members)]),
        },
        Ok(_) => Err(not_one("it is neither an array nor an object")),
        Err(_) if lines().count() > 1 => lines().map(parse_strict).collect(),
        Err(error) => Err(error),
    }
}

fn not_one(why: &str) -> LedgerError {
    LedgerError::NotJson {
        message: format!("this is no Take Five ledger: {why}"),
    }
}

fn check(value: Value, seq: u64, head: &str) -> Result<TakeFiveEntry, Wrong> {
    let malformed = |message: String| (FaultReason::Malformed, message);
    let Value::Object(mut body) = value else {
        return Err(malformed(format!("Entry {seq} is not an object.")));
    };
    let Some(Value::String(hash)) = body.shift_remove("hash") else {
        return Err(malformed(format!("Entry {seq} has no hash.")));
    };
    let found = digest(&body).map_err(|error| malformed(format!("Entry {seq} cannot be hashed: {error}")))?;
    if found != hash {
        let message = format!("Entry {seq} hashes to {found}, but it says {hash}: one of the two was changed.");
        return Err((FaultReason::HashMismatch, message));
    }
    let entry: Entry = serde_json::from_value(Value::Object(body))
        .map_err(|error| malformed(format!("Entry {seq} is not one of Take Five's: {error}.")))?;
    if entry.seq != seq {
        let message = format!(
            "Entry {} stands where entry {seq} should be: entries are missing, were added, or were moved around here.",
            entry.seq
        );
        return Err((FaultReason::BadSequence, message));
    }
    if entry.prev != head {
        let message = format!(
            "Entry {seq} says the entry before it hashes to {}, but that is {head}: it was written after another one.",
            entry.prev
        );
        return Err((FaultReason::BrokenLink, message));
    }
    Ok(TakeFiveEntry {
        seq,
        at: entry.ts,
        kind: entry.kind,
        seat: entry.actor.seat,
        ingress: entry.actor.ingress,
        grade: entry.actor.grade,
        data: entry.payload,
        hash,
    })
}

/// Unlike a row of ours, an entry may hold numbers that are not whole.
fn digest(body: &Map<String, Value>) -> Result<String, LedgerError> {
    let text = serde_json_canonicalizer::to_string(body).map_err(|error| LedgerError::Stopped(error.to_string()))?;
    Ok(sha256_hex(text.as_bytes()))
}
