use std::time::{Duration, Instant};

/// How long a scenario waits for something that should come by itself.
pub const PATIENCE: Duration = Duration::from_secs(60);

const BETWEEN: Duration = Duration::from_millis(40);

/// Asks again and again until there is an answer.
///
/// # Panics
/// When there is none after [`PATIENCE`]; `what` says what was waited for.
pub async fn until<T>(what: &str, probe: impl AsyncFnMut() -> Option<T>) -> T {
    until_within(PATIENCE, what, probe).await
}

/// [`until`] with another limit.
///
/// # Panics
/// When there is no answer in time.
pub async fn until_within<T>(limit: Duration, what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> T {
    until_done(limit, what, async || probe().await.ok_or_else(String::new)).await
}

/// [`until`] for something that can say why it has not come yet.
///
/// # Panics
/// When it has not come in time; the message has the last reason.
pub(crate) async fn until_done<T>(limit: Duration, what: &str, mut probe: impl AsyncFnMut() -> Result<T, String>) -> T {
    let end = Instant::now() + limit;
    loop {
        let why = match probe().await {
            Ok(found) => return found,
            Err(why) => why,
        };
        assert!(
            Instant::now() < end,
            "waited {} s in vain: {what}. {why}",
            limit.as_secs()
        );
        tokio::time::sleep(BETWEEN).await;
    }
}

/// Waits until none of the processes lives any more.
///
/// # Panics
/// When one still does after [`PATIENCE`].
pub async fn gone(what: &str, processes: &[crate::Process]) {
    until(&format!("{what} should be gone"), async || {
        processes.iter().all(|process| !process.lives()).then_some(())
    })
    .await;
}
