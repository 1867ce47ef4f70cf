//! The server over standard input and output.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::seat::Lobby;
use super::server::Server;

/// Serves the client that started this program until it closes its end.
///
/// # Errors
/// What the client said that could not be understood.
pub async fn serve_stdio(lobby: Arc<dyn Lobby>) -> Result<(), String> {
    let over = CancellationToken::new();
    let (input, output) = standard();
    let input = Watched {
        input,
        over: over.clone(),
    };
    let server = Server::until(lobby, over).serve((input, output)).await;
    match server {
        Ok(server) => server.waiting().await.map(drop).map_err(|error| error.to_string()),
        // A client that goes before it has said anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(format!("The client was not understood: {error}")),
    }
}

type Input = Pin<Box<dyn AsyncRead + Send>>;
type Output = Pin<Box<dyn AsyncWrite + Send>>;

/// Standard input and output. Pipes and sockets, which clients give, are waited for like any connection; what the system cannot wait
/// for so costs a thread, and two changes of threads for each message.
fn standard() -> (Input, Output) {
    #[cfg(unix)]
    let (input, output) = (unix::input(), unix::output());
    #[cfg(not(unix))]
    let (input, output) = (None, None);
    (
        input.unwrap_or_else(|| Box::pin(tokio::io::stdin())),
        output.unwrap_or_else(|| Box::pin(tokio::io::stdout())),
    )
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixStream as StdStream;

    use tokio::net::UnixStream;
    use tokio::net::unix::pipe::{Receiver, Sender};

    use super::{Input, Output};

    pub fn input() -> Option<Input> {
        let end = End::of(io::stdin().as_fd().try_clone_to_owned().ok()?).ok()?;
        match end {
            End::Socket(socket) => Some(Box::pin(socket)),
            End::Other(other) => Some(Box::pin(Receiver::from_owned_fd(other).ok()?)),
        }
    }

    pub fn output() -> Option<Output> {
        let end = End::of(io::stdout().as_fd().try_clone_to_owned().ok()?).ok()?;
        match end {
            End::Socket(socket) => Some(Box::pin(socket)),
            End::Other(other) => Some(Box::pin(Sender::from_owned_fd(other).ok()?)),
        }
    }

    enum End {
        Socket(UnixStream),
        Other(OwnedFd),
    }

    impl End {
        fn of(end: OwnedFd) -> io::Result<Self> {
            let file = File::from(end);
            if !file.metadata()?.file_type().is_socket() {
                return Ok(Self::Other(file.into()));
            }
            let socket = StdStream::from(OwnedFd::from(file));
            socket.set_nonblocking(true)?;
            UnixStream::from_std(socket).map(Self::Socket)
        }
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
