//! The server over streamable HTTP, on loopback.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_ledger::sha256_hex;
use futures_util::StreamExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::seat::{Came, Lobby};
use super::server::Server;

/// A token that lets a client in at the door; its digest alone is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The name the person gave it.
    pub name: String,
    /// SHA-256 of it.
    pub digest: String,
}

/// Says which tokens are good now.
pub type Tokens = Arc<dyn Fn() -> Vec<Token> + Send + Sync>;

/// A server that listens. Dropping it ends it, with every session.
pub struct HttpServer {
    address: SocketAddr,
    streams: Streams,
    _ends: DropGuard,
}

/// What is open of each token.
type Streams = Arc<Mutex<HashMap<String, CancellationToken>>>;

impl HttpServer {
    /// Listens on 127.0.0.1. A request needs a good token, the very host, and no origin: a page has nothing to look for here.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub async fn listen(port: u16, lobby: Arc<dyn Lobby>, tokens: Tokens) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let ends = CancellationToken::new();
        let hosts = [
            format!("127.0.0.1:{}", address.port()),
            format!("localhost:{}", address.port()),
        ];
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .enforce_origin_validation()
            .with_cancellation_token(ends.child_token());
        let streams = Streams::default();
        let server = Server::until(lobby, ends.child_token());
        let service = StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let router = Router::new()
            .nest_service("/mcp", service)
            .layer(middleware::from_fn_with_state((tokens, streams.clone()), at_the_door));
        let until = ends.clone().cancelled_owned();
        tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(until).await {
                tracing::error!(%error, "the server for MCP clients ended");
            }
        });
        Ok(Self {
            address,
            streams,
            _ends: ends.drop_guard(),
        })
    }

    /// Where clients reach it.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Ends every answer that is still open of those who came with this token.
    pub fn end(&self, token: &str) {
        let open = self
            .streams
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(token);
        if let Some(open) = open {
            open.cancel();
        }
    }
}

async fn at_the_door(State((tokens, streams)): State<(Tokens, Streams)>, mut request: Request, next: Next) -> Response {
    let header = request.headers().get(header::AUTHORIZATION);
    let token = header.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let digest = token.map(|token| sha256_hex(token.as_bytes()));
    // All of them are looked at, and each in the same time.
    let good = tokens().into_iter().fold(None, |good, known| {
        let is_it = digest
            .as_ref()
            .is_some_and(|digest| digest.as_bytes().ct_eq(known.digest.as_bytes()).into());
        if is_it { Some(known.name) } else { good }
    });
    let Some(name) = good else {
        let why =
            "A token is needed: make one in Countersign's settings, and send it as `Authorization: Bearer TOKEN`.\n";
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], why).into_response();
    };
    let until = {
        let mut streams = streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.entry(name.clone()).or_default().clone()
    };
    request.extensions_mut().insert(Came { token: Some(name) });
    let answer = next.run(request).await;
    answer.map(|body| Body::from_stream(body.into_data_stream().take_until(until.cancelled_owned())))
}

/// A new token, and the digest it is known by.
pub fn new_token() -> (String, String) {
    let mut bytes = [0; 32];
    // A token that could be guessed would let anybody on this computer in; there is nothing sensible to go on with.
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    let token = format!("cs_{}", URL_SAFE_NO_PAD.encode(bytes));
    let digest = sha256_hex(token.as_bytes());
    (token, digest)
}
