//! The server over standard input and output.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::seat::Lobby;
use super::server::Server;

/// Serves the client that started this program until it closes its end.
///
/// # Errors
/// What the client said that could not be understood.
pub async fn serve_stdio(lobby: Arc<dyn Lobby>) -> Result<(), String> {
    let over = CancellationToken::new();
    let input = Watched {
        input: tokio::io::stdin(),
        over: over.clone(),
    };
    let server = Server::until(lobby, over).serve((input, tokio::io::stdout())).await;
    match server {
        Ok(server) => server.waiting().await.map(drop).map_err(|error| error.to_string()),
        // A client that goes before it has said anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(format!("The client was not understood: {error}")),
    }
}

/// Says when the client has closed its end: what only waits for the desk ends then, and does not keep the program alive.
struct Watched<R> {
    input: R,
    over: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        let ended = match &read {
            Poll::Ready(Ok(())) => buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            self.over.cancel();
        }
        read
    }
}
