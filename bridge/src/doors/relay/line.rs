//! Connections, and those among them that say nothing. A browser that has to ask its person for leave connects first and sends
//! nothing until it has it; one that was refused keeps the connection and never does.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use super::Inner;

/// A program that has something to say does so at once.
const SILENCE: Duration = Duration::from_secs(1);

/// The relay's listener, for one run of it.
pub(super) struct Lines {
    pub listener: TcpListener,
    pub inner: Arc<Inner>,
    pub run: u64,
}

impl Listener for Lines {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Line, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // A call is one small packet, and somebody waits for it.
        let _ = stream.set_nodelay(true);
        let line = Line {
            stream,
            silence: Arc::new(Silence {
                inner: Arc::downgrade(&self.inner),
                run: self.run,
                stage: Mutex::default(),
            }),
        };
        let (silence, clock) = (Arc::downgrade(&line.silence), self.inner.clock.clone());
        tokio::spawn(async move {
            clock.wait(SILENCE).await;
            if let Some(silence) = silence.upgrade() {
                silence.pass(Stage::Silent);
            }
        });
        (line, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// One connection.
pub(super) struct Line {
    stream: TcpStream,
    silence: Arc<Silence>,
}

struct Silence {
    inner: Weak<Inner>,
    run: u64,
    stage: Mutex<Stage>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    New,
    /// It has said nothing for a while.
    Silent,
    /// It has said something, or is gone.
    Over,
}

impl Silence {
    fn pass(&self, to: Stage) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let was = *stage;
        if was == to || was == Stage::Over {
            return;
        }
        *stage = to;
        let state = self.inner.upgrade();
        let state = state.as_ref().and_then(|inner| inner.current(self.run));
        if let Some(state) = state {
            match to {
                Stage::Silent => state.silent(|silent| silent + 1),
                Stage::Over if was == Stage::Silent => state.silent(|silent| silent.saturating_sub(1)),
                Stage::Over | Stage::New => {}
            }
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.silence.pass(Stage::Over);
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.silence.pass(Stage::Over);
        }
        read
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
