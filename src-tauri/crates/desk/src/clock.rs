use std::time::Instant;

use countersign_gate::At;

/// Where the desk gets the time from.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> At;
}

/// The machine's own clocks: a monotonic one for intervals, the wall clock for what people read.
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time starts now.
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }

    /// RFC 3339, UTC, with milliseconds.
    pub fn utc() -> String {
        format!("{:.3}", jiff::Timestamp::now())
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> At {
        let ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        At { ms, utc: Self::utc() }
    }
}
