use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};
use tokio_util::sync::CancellationToken;

use super::super::relay::token::random_hex;
use super::Inner;
use super::handshake::{Refusal, agree, forbidden};
use super::message::{self, Said};

/// The longest message: as long as the package itself takes.
const LONGEST: usize = 1_000_000;
/// How many may be connected at once.
const MOST: usize = 64;
/// How long a connection may take to become a WebSocket.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How often a page is asked whether it is there. One that says nothing at all from one to the next but one is gone.
const PING: Duration = Duration::from_secs(15);

/// One turning-on of the door.
pub(super) struct Run {
    pub inner: Arc<Inner>,
    pub number: u64,
    pub address: SocketAddr,
    pub origins: Vec<String>,
    pub widgets: Vec<String>,
    pub stop: CancellationToken,
}

/// Why a connection ends, in the protocol's terms.
struct Over {
    code: CloseCode,
    reason: &'static str,
    words: &'static str,
}

const LEFT: Over = Over {
    code: CloseCode::Normal,
    reason: "",
    words: "The page closed its connection.",
};
const CLOSED: Over = Over {
    code: CloseCode::Away,
    reason: "Relay shutting down",
    words: "The door for mcp-b pages was closed.",
};
const SILENT: Over = Over {
    code: CloseCode::Away,
    reason: "Heartbeat timeout",
    words: "The page did not answer any more.",
};
const BROKEN: Over = Over {
    code: CloseCode::Protocol,
    reason: "Not a message of this protocol",
    words: "The page's connection broke.",
};
const FOREIGN: Over = Over {
    code: CloseCode::Policy,
    reason: "Host origin not allowed",
    words: "The page said that it is another.",
};

impl Run {
    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        let room = Arc::new(Semaphore::new(MOST));
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                () = self.stop.cancelled() => break,
                accepted = listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
            };
            let Ok((stream, _)) = accepted else {
                // The system is out of something; it is not asked again at once.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let Ok(place) = room.clone().try_acquire_owned() else {
                tracing::warn!(MOST, "one more page wanted to connect than can");
                continue;
            };
            let run = self.clone();
            connections.spawn(async move {
                run.connection(stream).await;
                drop(place);
            });
        }
        while connections.join_next().await.is_some() {}
    }

    async fn connection(&self, stream: TcpStream) {
        // A call is one small message; it must not wait for more.
        let _ = stream.set_nodelay(true);
        let opening = tokio::time::timeout(HANDSHAKE, self.shake_hands(stream));
        let Some(Ok(Some((socket, origin)))) = self.stop.run_until_cancelled(opening).await else {
            return;
        };
        let number = self.inner.state().next();
        let (to_page, messages) = mpsc::unbounded_channel();
        let mut connection = Connection {
            run: self,
            number,
            origin,
            socket,
            to_page,
            messages,
        };
        let over = connection.converse().await;
        if let Some(mut state) = self.inner.current(self.number) {
            state.leave(number, over.words);
        }
        let frame = CloseFrame {
            code: over.code,
            reason: over.reason.into(),
        };
        let _ = tokio::time::timeout(super::CLOSE, connection.socket.close(Some(frame))).await;
    }

    async fn shake_hands(&self, stream: TcpStream) -> Option<(WebSocketStream<TcpStream>, String)> {
        let mut admitted = None;
        // The size of the error is not ours to choose.
        #[allow(clippy::result_large_err)]
        let decide = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
            let answer = self.admit(request).map(|origin| {
                admitted = Some(origin);
                agree(request, response)
            });
            answer.map_err(|refusal| {
                self.refused(refusal);
                forbidden()
            })
        };
        let limits = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let socket = accept_hdr_async_with_config(stream, decide, Some(limits)).await.ok()?;
        Some((socket, admitted?))
    }

    fn refused(&self, refusal: Refusal) {
        if let Some(mut state) = self.inner.current(self.number) {
            state.refused(refusal);
        }
    }
}

struct Connection<'a> {
    run: &'a Run,
    number: u64,
    /// As the browser named it.
    origin: String,
    socket: WebSocketStream<TcpStream>,
    to_page: mpsc::UnboundedSender<String>,
    messages: mpsc::UnboundedReceiver<String>,
}

impl Connection<'_> {
    async fn converse(&mut self) -> Over {
        let greeting = message::server_hello(self.run.address, &random_hex());
        if self.socket.send(Message::text(greeting)).await.is_err() {
            return LEFT;
        }
        let clock = self.run.inner.clock.clone();
        let mut ping = clock.wait(PING);
        let mut heard = true;
        loop {
            let to_send = tokio::select! {
                biased;
                () = self.run.stop.cancelled() => return CLOSED,
                message = self.messages.recv() => message,
                said = self.socket.next() => {
                    heard = true;
                    match said {
                        Some(Ok(Message::Text(text))) => {
                            if let Some(over) = self.hear(text.as_str()) {
                                return over;
                            }
                        }
                        Some(Ok(Message::Close(_))) | None => return LEFT,
                        Some(Ok(_)) => {}
                        Some(Err(error)) => {
                            tracing::warn!(%error, "the connection of an mcp-b page broke");
                            return BROKEN;
                        }
                    }
                    continue;
                }
                () = &mut ping => {
                    if !heard {
                        return SILENT;
                    }
                    heard = false;
                    ping = clock.wait(PING);
                    Some(message::PING.to_owned())
                }
            };
            let Some(to_send) = to_send else { return LEFT };
            let sending = self.socket.send(Message::text(to_send));
            match tokio::time::timeout(PING, sending).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return LEFT,
                // It reads nothing, so that it cannot be told anything.
                Err(_) => return SILENT,
            }
        }
    }

    /// Takes what the page says; `Some` when the connection is over for it.
    fn hear(&self, text: &str) -> Option<Over> {
        let Some(said) = Said::read(text) else {
            tracing::warn!("an mcp-b page sent what is no message; it is left aside");
            return None;
        };
        let Some(mut state) = self.run.inner.current(self.run.number) else {
            return Some(CLOSED);
        };
        match said {
            Said::Hello(hello) => match self.run.page_origin(&self.origin, &hello) {
                Ok(origin) if state.hello(self.number, &origin, &hello, &self.to_page) => {}
                Ok(_) => return Some(FOREIGN),
                Err(refusal) => {
                    state.refused(refusal);
                    return Some(FOREIGN);
                }
            },
            Said::Tools(tools) => state.tools(self.number, tools),
            Said::Result { call, ended } => state.answered(self.number, call, ended),
            Said::Pong => {}
        }
        None
    }
}
