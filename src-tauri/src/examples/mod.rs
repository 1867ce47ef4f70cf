//! The pages that come with the app, each served on loopback at an origin of its own.

mod headers;
mod pages;
mod shop;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign_contract::ExampleName;
use tokio::task::JoinHandle;

/// The examples that have been opened, each served until this is dropped.
#[derive(Default)]
pub struct Examples {
    served: Mutex<BTreeMap<ExampleName, Served>>,
    /// Held while one starts, so that it starts once.
    starting: tokio::sync::Mutex<()>,
}

/// A running example. Dropping it stops its servers.
struct Served {
    url: String,
    servers: Vec<JoinHandle<()>>,
}

impl Examples {
    /// Where an example is, such as `http://127.0.0.1:41523/`. It is served from the first time it is asked for.
    ///
    /// # Errors
    /// When no port can be bound on loopback.
    pub async fn url(&self, example: ExampleName) -> std::io::Result<String> {
        let _starting = self.starting.lock().await;
        if let Some(running) = self.running().get(&example) {
            return Ok(running.url.clone());
        }
        let running = match example {
            ExampleName::Shop => shop::serve().await?,
            other => pages::serve(other).await?,
        };
        let url = running.url.clone();
        self.running().insert(example, running);
        Ok(url)
    }

    /// The origin of each that is served.
    pub fn origins(&self) -> Vec<(ExampleName, String)> {
        let origin = |url: &str| {
            url.split("/?")
                .next()
                .unwrap_or_default()
                .trim_end_matches('/')
                .to_owned()
        };
        let running = self.running();
        running
            .iter()
            .map(|(name, served)| (*name, origin(&served.url)))
            .collect()
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<ExampleName, Served>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        for server in &self.servers {
            server.abort();
        }
    }
}
