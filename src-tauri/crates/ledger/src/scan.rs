use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use countersign_contract::{Fault, FaultReason, Row, RowKind, VerifyReport};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::LedgerError;
use crate::canonical::sha256_digits;
use crate::recognise::canonical_form;
use crate::row::{Body, FRAME, GENESIS, MAX_LINE};

/// How closely rows are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The stored bytes: every hash, every link, every number.
    Stored,
    /// Also that every body is canonical JSON and a row, and that its grade fits the way it came in.
    Deep,
}

/// A row that verified, while a ledger is being read.
pub struct Line<'a> {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: &'a str,
    /// Where its line starts, in bytes from the start of the file.
    pub start: u64,
    /// Where its line ends.
    pub end: u64,
    body: &'a [u8],
    facts: Option<Facts<'a>>,
}

/// What a row records, and the proposal it belongs to.
pub(crate) type Facts<'a> = (RowKind, Option<Cow<'a, str>>);

impl Line<'_> {
    /// The row, read from its body.
    ///
    /// # Errors
    /// When the body is not a row's, which only [`Depth::Deep`] rules out before.
    pub fn row(&self) -> Result<Row, String> {
        let body = std::str::from_utf8(self.body).map_err(|error| error.to_string())?;
        Body::<Value>::read(body).map(|body| body.into_row(self.hash))
    }

    /// Known to [`Depth::Deep`] only.
    pub(crate) const fn facts(&self) -> Option<&Facts<'_>> {
        self.facts.as_ref()
    }
}

/// The file that holds the rows: the path itself, or the log inside when it is a ledger's folder.
pub fn log_file(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join("000001.log")
    } else {
        path.to_owned()
    }
}

/// Checks a ledger file, deep. An empty file has no fault and no rows: say so rather than "verified".
///
/// # Errors
/// When the file cannot be read. A fault in it is not an error but part of the report.
pub fn verify_file(path: &Path) -> Result<VerifyReport, LedgerError> {
    scan_file(path, Depth::Deep, |_| ())
}

/// Checks a ledger file by its stored bytes alone; several times faster than [`verify_file`].
///
/// # Errors
/// When the file cannot be read.
pub fn verify_stored(path: &Path) -> Result<VerifyReport, LedgerError> {
    scan_file(path, Depth::Stored, |_| ())
}

/// Checks a ledger file and hands over every row that verifies, in order, until the first fault.
///
/// # Errors
/// When the file cannot be read.
pub fn scan_file(path: &Path, depth: Depth, visit: impl FnMut(&Line<'_>)) -> Result<VerifyReport, LedgerError> {
    scan_up_to(path, u64::MAX, depth, visit)
}

pub(crate) fn scan_up_to(
    path: &Path,
    end: u64,
    depth: Depth,
    visit: impl FnMut(&Line<'_>),
) -> Result<VerifyReport, LedgerError> {
    let file = File::open(path).map_err(LedgerError::io("open", path))?;
    scan(BufReader::with_capacity(1 << 18, file.take(end)), depth, visit).map_err(LedgerError::io("read", path))
}

/// [`scan_file`] over any bytes.
///
/// # Errors
/// When they cannot be read.
pub fn scan(mut bytes: impl BufRead, depth: Depth, mut visit: impl FnMut(&Line<'_>)) -> io::Result<VerifyReport> {
    let mut report = VerifyReport {
        rows: 0,
        head: GENESIS.to_owned(),
        fault: None,
    };
    let mut line = Vec::new();
    let mut start = 0;
    loop {
        line.clear();
        let read = (&mut bytes).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(report);
        }
        match check(&line, start, report.rows + 1, &report.head, depth) {
            Ok(row) => {
                visit(&row);
                report.head.clear();
                report.head.push_str(row.hash);
                report.rows += 1;
            }
            Err((reason, message)) => {
                report.fault = Some(Fault {
                    line: report.rows + 1,
                    reason,
                    message,
                });
                return Ok(report);
            }
        }
        start += read as u64;
    }
}

type Wrong = (FaultReason, String);

fn check<'a>(line: &'a [u8], start: u64, seq: u64, prev: &str, depth: Depth) -> Result<Line<'a>, Wrong> {
    let malformed = |message: &str| (FaultReason::Malformed, message.to_owned());
    if line.len() > MAX_LINE {
        return Err(malformed(&format!(
            "The line is longer than the {MAX_LINE} bytes a row can have."
        )));
    }
    let Some((b'\n', framed)) = line.split_last() else {
        let message = format!(
            "The last line has no end ({} bytes): a write was cut short, or is being made right now. A row is confirmed \
             only once its end is on the disk.",
            line.len()
        );
        return Err((FaultReason::TornTail, message));
    };
    if framed.len() < FRAME || framed[64] != b' ' {
        return Err(malformed(
            "The line does not begin with a hash of 64 digits and a blank.",
        ));
    }
    let body = &framed[65..];
    let digits = sha256_digits(body);
    let hash = match std::str::from_utf8(&framed[..64]) {
        Ok(hash) if hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) => hash,
        _ => {
            return Err(malformed(
                "The line does not begin with a hash of 64 lower-case hexadecimal digits.",
            ));
        }
    };
    if hash.as_bytes() != digits {
        let found = String::from_utf8_lossy(&digits);
        let message =
            format!("The row's body hashes to {found}, but {hash} stands before it: one of the two was changed.");
        return Err((FaultReason::HashMismatch, message));
    }
    let mut facts = None;
    let (found_seq, found_prev) = match depth {
        Depth::Stored => {
            links(body).ok_or_else(|| malformed("The body does not end like a row's, with its link and its number."))?
        }
        Depth::Deep => {
            let text =
                std::str::from_utf8(body).map_err(|error| malformed(&format!("The body is not text: {error}.")))?;
            canonical_form(text).map_err(|departure| {
                let message = format!(
                    "The body is not canonical JSON from byte {} on: {}.",
                    departure.at + 1,
                    departure.how
                );
                (FaultReason::NotCanonical, message)
            })?;
            let links = links(body)
                .ok_or_else(|| malformed("The body does not end like a row's, with its link and number."))?;
            let row = Body::<IgnoredAny>::read(text)
                .map_err(|message| malformed(&format!("This is not a row: {message}.")))?;
            facts = Some((row.kind, row.reference));
            links
        }
    };
    if found_seq != seq {
        let message = format!(
            "Row {found_seq} stands where row {seq} should be: rows are missing, were added, or were moved around here."
        );
        return Err((FaultReason::BadSequence, message));
    }
    if found_prev != prev.as_bytes() {
        let found = String::from_utf8_lossy(found_prev);
        let message = format!(
            "Row {seq} says the row before it hashes to {found}, but that is {prev}: the rows before it are not the ones it \
             was written after."
        );
        return Err((FaultReason::BrokenLink, message));
    }
    Ok(Line {
        seq,
        hash,
        start,
        end: start + line.len() as u64,
        body,
        facts,
    })
}

/// A canonical row's number and link, taken from the end of its body without reading the rest. After `prev` there are only
/// texts and numbers, and inside a text every quote has a backslash before it: the last `,"prev":"` is the row's own.
fn links(body: &[u8]) -> Option<(u64, &[u8])> {
    const PREV: &[u8] = b",\"prev\":\"";
    let rest = body.strip_suffix(b",\"v\":1}")?;
    let digits = rest.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (rest, number) = rest.split_at(rest.len() - digits);
    let seq = std::str::from_utf8(number).ok()?.parse().ok()?;
    let rest = rest.strip_suffix(b",\"seq\":")?;
    let at = rest.windows(PREV.len()).rposition(|window| window == PREV)? + PREV.len();
    let (prev, rest) = rest[at..].split_at_checked(64)?;
    rest.starts_with(b"\",\"ref\":").then_some((seq, prev))
}
