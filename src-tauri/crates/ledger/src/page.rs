use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use countersign_contract::{LedgerRowsParams, Row};
use serde_json::Value;

use crate::LedgerError;
use crate::canonical::sha256_digits;
use crate::row::Body;
use crate::writer::Board;

const LIMIT: usize = 500;
/// Rows read at once while looking for a text.
const CHUNK: usize = 256;
/// From this length on a filter is also looked for inside digests. A shorter one, such as `add` or `cafe`, stands in some
/// digest by chance in every few rows.
const DIGEST_PREFIX: usize = 8;

/// The rows asked for, newest first.
pub(crate) fn rows(path: &Path, board: &Board, params: &LedgerRowsParams) -> Result<Vec<Row>, LedgerError> {
    let limit = usize::try_from(params.limit).unwrap_or(LIMIT).min(LIMIT);
    let filter = params.filter.trim().to_lowercase();
    let mut file = File::open(path).map_err(LedgerError::io("open", path))?;
    let mut found = Vec::new();
    let mut below = board.read().starts.len();
    if let Some(before) = params.before {
        below = below.min(usize::try_from(before.saturating_sub(1)).unwrap_or(usize::MAX));
    }
    while below > 0 && found.len() < limit {
        let wanted = if filter.is_empty() { limit - found.len() } else { CHUNK };
        let first = below.saturating_sub(wanted);
        for (index, line) in read(&mut file, path, board, first, below)?
            .into_iter()
            .enumerate()
            .rev()
        {
            if found.len() == limit {
                break;
            }
            if filter.is_empty() || holds(&String::from_utf8_lossy(&line).to_lowercase(), &filter) {
                let seq = (first + index + 1) as u64;
                let altered = |message| LedgerError::Altered {
                    path: path.to_owned(),
                    seq,
                    message,
                };
                found.push(row(&line, seq).map_err(altered)?);
            }
        }
        below = first;
    }
    Ok(found)
}

/// The lines of rows `first + 1` to `below`, without their ends.
fn read(file: &mut File, path: &Path, board: &Board, first: usize, below: usize) -> Result<Vec<Vec<u8>>, LedgerError> {
    let bounds: Vec<u64> = {
        let committed = board.read();
        let end = committed.starts.get(below).copied().unwrap_or(committed.end);
        committed.starts[first..below].iter().copied().chain([end]).collect()
    };
    file.seek(SeekFrom::Start(bounds[0]))
        .map_err(LedgerError::io("read", path))?;
    let lines = bounds.windows(2).map(|bound| {
        let mut line = vec![0; usize::try_from(bound[1] - bound[0]).unwrap_or_default()];
        file.read_exact(&mut line).map_err(LedgerError::io("read", path))?;
        line.pop();
        Ok(line)
    });
    lines.collect()
}

/// What is shown is what hashes to the hash it is shown with.
fn row(line: &[u8], seq: u64) -> Result<Row, String> {
    let (hash, body) = line.split_at_checked(65).ok_or("the line is too short")?;
    if hash[..64] != sha256_digits(body) {
        return Err("its body does not hash to the hash before it".to_owned());
    }
    let text = |bytes| std::str::from_utf8(bytes).map_err(|error| error.to_string());
    let row = Body::<Value>::read(text(body)?)?.into_row(text(&hash[..64])?);
    if row.seq == seq {
        Ok(row)
    } else {
        Err(format!("it says it is row {}", row.seq))
    }
}

fn holds(line: &str, filter: &str) -> bool {
    line.match_indices(filter)
        .any(|(at, _)| filter.len() >= DIGEST_PREFIX || !in_digest(line, at, filter.len()))
}

/// The place lies in a run of exactly 64 hexadecimal digits.
fn in_digest(line: &str, at: usize, length: usize) -> bool {
    let digit = |b: &&u8| b.is_ascii_hexdigit();
    let (before, rest) = line.as_bytes().split_at(at);
    let before = before.iter().rev().take_while(digit).count();
    let after = rest.iter().take_while(digit).count();
    after >= length && before + after == 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_filter_is_not_found_inside_a_digest() {
        let digest = "00add00000000000000000000000000000000000000000000000000000000000";
        assert!(!holds(&format!(r#"{digest} {{"prev":"{digest}"}}"#), "add"));
        assert!(holds(&format!(r#"{digest} {{"tool":"add_to_cart"}}"#), "add"));
        assert!(holds(&format!(r#"{{"prev":"{digest}"}}"#), "00add0000"));
    }
}
