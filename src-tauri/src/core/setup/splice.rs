//! Changing a text at named places and nowhere else.

use std::ops::Range;

/// A piece of a text, and what takes its place.
pub(super) struct Cut {
    pub range: Range<usize>,
    pub with: String,
}

impl Cut {
    pub fn out(range: Range<usize>) -> Self {
        Self {
            range,
            with: String::new(),
        }
    }

    pub fn into(at: usize, with: String) -> Self {
        Self { range: at..at, with }
    }

    /// Whether only white space gives way, or the sign for nothing.
    pub fn takes_nothing_from(&self, text: &str) -> bool {
        matches!(text[self.range.clone()].trim(), "" | "{}")
    }
}

/// Everything outside of the cuts is kept as it is.
pub(super) fn apply(text: &str, mut cuts: Vec<Cut>) -> String {
    cuts.sort_by_key(|cut| cut.range.start);
    let (mut made, mut at) = (String::with_capacity(text.len()), 0);
    for Cut { range, with } in cuts {
        made.push_str(&text[at.min(range.start)..range.start]);
        made.push_str(&with);
        at = range.end;
    }
    made + &text[at..]
}

pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Where the line begins that `at` is on.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line after the one begins that `at` is on, or the end of the text.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

pub(super) fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
