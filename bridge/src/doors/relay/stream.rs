use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::mpsc;

use super::Inner;
use super::state::Opened;

/// How often something is sent over a stream on which nothing happens.
pub(super) const PING: Duration = Duration::from_secs(20);

/// An open event stream. When it is dropped, its page is away.
struct Open {
    inner: Arc<Inner>,
    number: u64,
    messages: mpsc::UnboundedReceiver<String>,
    greeted: bool,
    ping: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// What goes over the stream: `: attached`, then a `data:` line for each message, and pings.
pub(super) fn messages(
    inner: Arc<Inner>,
    (number, messages): Opened,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    let ping = next_ping(&inner);
    let open = Open {
        inner,
        number,
        messages,
        greeted: false,
        ping,
    };
    unfold(open, |mut open| async move {
        if !open.greeted {
            open.greeted = true;
            return Some((Ok(": attached\n\n".into()), open));
        }
        tokio::select! {
            biased;
            message = open.messages.recv() => {
                let line = format!("data: {}\n\n", message?);
                Some((Ok(line.into()), open))
            }
            () = &mut open.ping => {
                open.ping = next_ping(&open.inner);
                Some((Ok(": ping\n\n".into()), open))
            }
        }
    })
}

fn next_ping(inner: &Arc<Inner>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let clock = inner.clock.clone();
    Box::pin(async move { clock.wait(PING).await })
}

impl Drop for Open {
    fn drop(&mut self) {
        let absence = self.inner.state().detach(self.number);
        self.inner.watch(absence);
    }
}
