use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use countersign_bridge::RelayClock;
use tokio::sync::watch;

use crate::rig::within_patience;

/// A clock that goes on only when it is told to.
pub struct HandClock {
    now: watch::Sender<Duration>,
    /// What is being waited for now: how long, and until when.
    waits: Mutex<Vec<(Duration, Duration)>>,
}

impl HandClock {
    pub fn new() -> Self {
        Self {
            now: watch::Sender::new(Duration::ZERO),
            waits: Mutex::default(),
        }
    }

    fn waits(&self) -> MutexGuard<'_, Vec<(Duration, Duration)>> {
        self.waits.lock().unwrap()
    }

    /// As soon as somebody waits for just so long: lets that much time pass, but for `short`.
    pub async fn pass_all_but(&self, how_long: Duration, short: Duration) {
        within_patience("somebody to wait that long", async {
            while !self.waits().iter().any(|(wait, _)| *wait == how_long) {
                tokio::task::yield_now().await;
            }
        })
        .await;
        self.go_on(how_long - short).await;
    }

    pub async fn pass(&self, how_long: Duration) {
        self.pass_all_but(how_long, Duration::ZERO).await;
    }

    /// Lets time pass, and whoever's time has come go on.
    pub async fn go_on(&self, how_long: Duration) {
        self.now.send_modify(|now| *now += how_long);
        let now = *self.now.borrow();
        within_patience("everybody to go on", async {
            while self.waits().iter().any(|(_, until)| *until <= now) {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

#[async_trait]
impl RelayClock for HandClock {
    async fn wait(&self, how_long: Duration) {
        struct Over<'a>(&'a HandClock, (Duration, Duration));
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                let mut waits = self.0.waits();
                let at = waits.iter().position(|wait| *wait == self.1).unwrap();
                waits.remove(at);
            }
        }
        let mut now = self.now.subscribe();
        let until = *now.borrow() + how_long;
        self.waits().push((how_long, until));
        let _over = Over(self, (how_long, until));
        let _ = now.wait_for(|now| *now >= until).await;
    }
}
