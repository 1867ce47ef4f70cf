use std::time::Duration;

use tokio::runtime::Handle;

/// What waits until it is taken out by hand.
#[cfg(any(test, feature = "fuzzing"))]
pub(super) type Waiting = std::sync::Arc<std::sync::Mutex<Vec<Box<dyn FnOnce() + Send>>>>;

/// Where what is to be done later waits for its time.
#[derive(Clone)]
pub(super) enum Later {
    /// The clock on the wall.
    Runtime(Handle),
    /// Nobody's clock: it is taken out by hand.
    #[cfg(any(test, feature = "fuzzing"))]
    ByHand(Waiting),
}

impl Later {
    /// Does something when `wait` is over.
    pub fn after(&self, wait: Duration, then: impl FnOnce() + Send + 'static) {
        match self {
            Self::Runtime(runtime) => {
                runtime.spawn(async move {
                    tokio::time::sleep(wait).await;
                    then();
                });
            }
            #[cfg(any(test, feature = "fuzzing"))]
            Self::ByHand(waiting) => waiting
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .push(Box::new(then)),
        }
    }
}
