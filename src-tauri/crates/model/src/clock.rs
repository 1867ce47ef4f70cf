use std::time::{Duration, SystemTime};

use async_trait::async_trait;

/// Time and chance, as waiting between retries needs them.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Returns after `wait`.
    async fn sleep(&self, wait: Duration);

    /// The time of day, to read a `Retry-After` date.
    fn now(&self) -> SystemTime;

    /// A number in `0.0..1.0` that differs between programs asking at the same time.
    fn jitter(&self) -> f64;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    async fn sleep(&self, wait: Duration) {
        tokio::time::sleep(wait).await;
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn jitter(&self) -> f64 {
        getrandom::u32().map_or(0.5, |n| f64::from(n) / (f64::from(u32::MAX) + 1.0))
    }
}
