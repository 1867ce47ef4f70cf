//! The append-only, hash-chained record of every act.
//!
//! One line a row: `<SHA-256 of body> <body>`, where the body is canonical JSON (RFC 8785) of
//! `{at, data, grade, ingress, kind, prev, ref, seat, seq, v}` and `prev` is the hash of the row before, 64 zeros for the
//! first. The stored bytes are the hashed bytes, so `sha256sum` can check a row.
//!
//! The life of a row: a caller hands a [`RowDraft`] to [`Ledger::append`]; its particulars are checked and made canonical
//! on the caller's side; one writer thread numbers, links and stamps it, writes it together with whatever else is
//! waiting, and syncs once; only then does the caller get a [`DurableRow`], which nothing outside this crate can make.
//!
//! What the chain shows: an edited, dropped, added or moved row. What it cannot show by itself: rows cut from the end, or
//! a chain rewritten from some row on. For that somebody has to remember a head.
//!
//! [`RowDraft`]: countersign_contract::RowDraft
#![forbid(unsafe_code)]

mod canonical;
mod error;
mod history;
mod ledger;
mod page;
mod parse;
mod recognise;
mod row;
mod scan;
mod storage;
mod take_five;
mod writer;

pub use canonical::{canonical, canonical_strict, sha256_hex};
pub use error::LedgerError;
pub use history::Unfinished;
pub use ledger::{Ledger, Opened, UtcClock};
pub use parse::parse_strict;
pub use row::{DurableRow, GENESIS};
pub use scan::{Depth, Line, log_file, scan, scan_file, verify_file, verify_stored};
pub use storage::{FileStorage, Storage};
pub use take_five::{looks_like_take_five, read_take_five};
