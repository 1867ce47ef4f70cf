use std::path::PathBuf;

use serde_json::Value;

use crate::Hit;

/// The example shop, seen from its own server: what it holds, and what it was asked.
pub struct Shop {
    origin: String,
    log: PathBuf,
}

impl Shop {
    pub(crate) const fn new(origin: String, log: PathBuf) -> Self {
        Self { origin, log }
    }

    /// Its origin.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Everything the page shows, as the server holds it.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn state(&self) -> Value {
        let url = format!("{}/api/state", self.origin);
        let answer = reqwest::get(url).await.expect("the shop's server answers");
        answer.json().await.expect("the shop's state is JSON")
    }

    /// Every request that is not a `GET`, oldest first, from the server's own access log.
    pub fn writes(&self) -> Vec<Hit> {
        self.requests().into_iter().filter(|hit| hit.method != "GET").collect()
    }

    /// Every request, oldest first.
    ///
    /// # Panics
    /// When the access log holds something else.
    pub fn requests(&self) -> Vec<Hit> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line of the access log is a request"))
            .collect()
    }

    /// Presses `raise all prices by 5 %`, as the shopkeeper.
    ///
    /// # Panics
    /// When the server does not take it.
    pub async fn raise_prices(&self) {
        let request = reqwest::Client::new()
            .post(format!("{}/api/prices", self.origin))
            .header("origin", &self.origin)
            .json(&serde_json::json!({ "percent": 5 }));
        let answer = request.send().await.expect("the shop's server answers");
        assert!(
            answer.status().is_success(),
            "the shop did not raise its prices: {}",
            answer.status()
        );
    }
}
