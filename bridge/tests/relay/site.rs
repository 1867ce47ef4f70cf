use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use tokio::sync::mpsc;

/// A server under a name of its own that serves a few pages and passes on what they post to it.
pub struct Site {
    address: SocketAddr,
    posted: mpsc::UnboundedReceiver<String>,
}

struct Shared {
    files: HashMap<&'static str, (&'static str, &'static str)>,
    posted: mpsc::UnboundedSender<String>,
}

impl Site {
    /// Serves these files: path, kind, text.
    pub async fn start(files: &[(&'static str, &'static str, &'static str)]) -> Self {
        let (to, posted) = mpsc::unbounded_channel();
        let files = files.iter().map(|(path, kind, text)| (*path, (*kind, *text)));
        let shared = Shared {
            files: files.collect(),
            posted: to,
        };
        let router = Router::new().fallback(serve).with_state(Arc::new(shared));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, posted }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn origin(&self) -> String {
        format!("http://localhost:{}", self.address.port())
    }

    /// The next thing a page posts.
    pub async fn said(&mut self) -> String {
        crate::rig::within_patience("a page to say something", self.posted.recv())
            .await
            .unwrap()
    }
}

async fn serve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    if request.method() == "POST" {
        let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
        let _ = shared.posted.send(String::from_utf8_lossy(&body).into_owned());
        return "ok".into_response();
    }
    let (kind, text) = shared
        .files
        .get(request.uri().path())
        .copied()
        .unwrap_or(("text/plain", ""));
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
