//! The pages that come with the app, each served on loopback at an origin of its own.

mod headers;
mod pages;
mod shop;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use countersign_contract::ExampleName;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// The examples that have been opened, each served until this is dropped.
#[derive(Default)]
pub struct Examples {
    served: Mutex<BTreeMap<ExampleName, Served>>,
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
        let mut served = self.served.lock().await;
        if let Some(running) = served.get(&example) {
            return Ok(running.url.clone());
        }
        let running = match example {
            ExampleName::Shop => shop::serve().await?,
            other => pages::serve(other).await?,
        };
        let url = running.url.clone();
        served.insert(example, running);
        Ok(url)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        for server in &self.servers {
            server.abort();
        }
    }
}
