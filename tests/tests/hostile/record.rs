//! The ledger as anybody can read it: its file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use countersign_contract::{Row, RowKind};
use countersign_ledger::log_file;
use serde_json::Value;

/// Every row, oldest first.
pub fn rows(ledger: &Path) -> Vec<Row> {
    rows_after(ledger, 0)
}

/// The length of the file in bytes.
pub fn length(ledger: &Path) -> u64 {
    std::fs::metadata(log_file(ledger)).map_or(0, |file| file.len())
}

/// Every row that was written since the file had this length, oldest first.
pub fn rows_after(ledger: &Path, length: u64) -> Vec<Row> {
    let mut text = String::new();
    let read = File::open(log_file(ledger)).and_then(|mut file| {
        file.seek(SeekFrom::Start(length))?;
        file.read_to_string(&mut text)
    });
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    read.map(|_| whole.lines().filter_map(row).collect())
        .unwrap_or_default()
}

fn row(line: &str) -> Option<Row> {
    let (hash, body) = line.split_once(' ')?;
    let mut body: Value = serde_json::from_str(body).ok()?;
    body["hash"] = hash.into();
    serde_json::from_value(body).ok()
}

/// How many rows say that something was released.
pub fn released(ledger: &Path) -> usize {
    let text = std::fs::read_to_string(log_file(ledger)).unwrap_or_default();
    text.lines()
        .filter(|line| line.contains(r#","kind":"released","#))
        .count()
}

/// Whether the rows of one proposal tell a life that can be: asked first, ended once, an outcome exactly where it was released.
///
/// # Errors
/// What is wrong.
pub fn life(proposal: &str, rows: &[Row]) -> Result<(), String> {
    use RowKind::{
        Amended, Expired, Outcome, PageGone, Proposed, Refused, Released, Repriced, RuleMade, SetAside, Withdrawn,
    };
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    let wrong = || Err(format!("the ledger tells of {proposal}: {kinds:?}"));
    let Some((Proposed, rest)) = kinds.split_first().map(|(first, rest)| (*first, rest)) else {
        return wrong();
    };
    let end = rest
        .iter()
        .skip_while(|kind| matches!(kind, Amended | Repriced | SetAside))
        .copied()
        .collect::<Vec<_>>();
    match end[..] {
        // A grant is a rule for one use, and runs nothing itself.
        [Released, Outcome] | [Refused | Withdrawn | Expired | PageGone | RuleMade] => Ok(()),
        _ => wrong(),
    }
}

/// Whether a rule could release this: it was made before, had not ended, had a use left, and is about the very definition.
///
/// # Errors
/// What is wrong.
pub fn ruled(release: &Row, rule: &str, rows: &[Row]) -> Result<(), String> {
    let before = || rows.iter().filter(|row| row.seq < release.seq);
    let made = before().find(|row| row.kind == RowKind::RuleMade && row.data["rule"]["id"] == rule);
    let rule_made = made.map(|row| &row.data["rule"]);
    let same = rule_made.is_some_and(|made| made["toolDigest"] == release.data["toolDigest"]);
    let ended = before().any(|row| row.kind == RowKind::RuleEnded && row.data["rule"] == rule);
    let uses = before().filter(|row| row.kind == RowKind::Released && row.data["byRule"] == rule);
    let uses = u64::try_from(uses.count()).unwrap_or(u64::MAX);
    let limit = rule_made.and_then(|made| made["limit"].as_u64());
    if same && !ended && limit.is_none_or(|limit| uses < limit) {
        Ok(())
    } else {
        Err(format!(
            "row {} is a release by {rule}, which could not make it",
            release.seq
        ))
    }
}
