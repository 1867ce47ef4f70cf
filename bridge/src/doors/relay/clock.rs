use std::time::Duration;

use async_trait::async_trait;

/// How the relay waits, so that a test need not.
#[async_trait]
pub trait RelayClock: Send + Sync {
    /// Comes back when this time is over.
    async fn wait(&self, how_long: Duration);
}

/// The clock on the wall.
pub(in crate::doors) struct WallClock;

#[async_trait]
impl RelayClock for WallClock {
    async fn wait(&self, how_long: Duration) {
        tokio::time::sleep(how_long).await;
    }
}
