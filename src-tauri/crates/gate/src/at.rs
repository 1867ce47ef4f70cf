use jiff::{SignedDuration, Timestamp};

/// A moment, as whoever drives the gate measured it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// Milliseconds on a clock that never goes back. Every rule counts with this one.
    pub ms: u64,
    /// The same moment as RFC 3339 UTC, for people.
    pub utc: String,
}

impl At {
    /// A moment.
    pub fn new(ms: u64, utc: impl Into<String>) -> Self {
        Self { ms, utc: utc.into() }
    }

    /// `ms` later, for people. The same text when `utc` cannot be read.
    pub(crate) fn utc_after(&self, ms: u64) -> String {
        let later = self.utc.parse::<Timestamp>().ok().and_then(|now| {
            now.checked_add(SignedDuration::from_millis(i64::try_from(ms).ok()?))
                .ok()
        });
        later.map_or_else(|| self.utc.clone(), |time| format!("{time:.3}"))
    }
}

#[cfg(test)]
mod tests {
    use super::At;

    #[test]
    fn later_is_counted_in_utc() {
        let at = At::new(0, "2026-02-28T23:59:30.500Z");
        assert_eq!(at.utc_after(90_000), "2026-03-01T00:01:00.500Z");
    }

    #[test]
    fn an_unreadable_time_stays_as_it_is() {
        assert_eq!(At::new(0, "soon").utc_after(1), "soon");
    }
}
