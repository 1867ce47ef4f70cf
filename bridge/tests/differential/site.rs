use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use tokio::sync::{mpsc, oneshot};

/// Longer than any page waits for it.
const SLOW: Duration = Duration::from_secs(20);

/// A page wants a tool of its own called from outside of it.
pub struct Call {
    /// The page, as far as it is part of its address.
    pub page: String,
    pub tool: String,
    /// JSON text.
    pub input: String,
    /// What the caller was told.
    pub answer: oneshot::Sender<String>,
}

/// What comes from the pages.
pub enum FromPage {
    Call(Call),
    /// A page has handed its lines in.
    Transcript {
        page: String,
        lines: Vec<String>,
    },
}

/// A server on loopback that shows the honest pages one after the other.
#[derive(Clone)]
pub struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    address: SocketAddr,
    waiting: Mutex<VecDeque<String>>,
    now: Mutex<(String, String)>,
    own: Mutex<HashMap<String, String>>,
    said: mpsc::UnboundedSender<FromPage>,
    heard: Mutex<Option<mpsc::UnboundedReceiver<FromPage>>>,
}

impl Site {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (said, heard) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            address,
            waiting: Mutex::default(),
            now: Mutex::default(),
            own: Mutex::default(),
            said,
            heard: Mutex::new(Some(heard)),
        });
        let router = Router::new()
            .route("/next", get(next))
            .route("/part", get(part))
            .route("/call", get(call))
            .route("/echo", any(echo))
            .route("/redirect/{status}", any(redirect))
            .route("/socket", get(socket))
            .fallback(file)
            .with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, shared }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Serves a page of a test's own.
    pub fn page(&self, path: &str, html: &str) {
        self.shared.own.lock().unwrap().insert(path.into(), html.into());
    }

    /// Shows these pages, from the next `/next` on, and gives what comes from them.
    pub fn show(&self, pages: &[String]) -> mpsc::UnboundedReceiver<FromPage> {
        self.shared.waiting.lock().unwrap().extend(pages.iter().cloned());
        self.shared.heard.lock().unwrap().take().expect("shown once")
    }
}

type Words = Query<HashMap<String, String>>;

async fn next(State(shared): State<Arc<Shared>>) -> Response {
    let Some(page) = shared.waiting.lock().unwrap().pop_front() else {
        return "That was all.".into_response();
    };
    let place = format!("/honest/{page}.html");
    *shared.now.lock().unwrap() = (page, String::new());
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

async fn part(State(shared): State<Arc<Shared>>, Query(words): Words) {
    let mut now = shared.now.lock().unwrap();
    now.1 += &words["text"];
    if words["end"] == "true" {
        let port = shared.address.port();
        let text = now.1.replace(&format!("127.0.0.1:{port}"), "HOST");
        let text = text.replace(&format!("localhost:{port}"), "OTHER-HOST");
        let lines = text.lines().map(str::to_owned).collect();
        let page = now.0.clone();
        let _ = shared.said.send(FromPage::Transcript { page, lines });
    }
}

async fn call(State(shared): State<Arc<Shared>>, Query(mut words): Words) -> String {
    let (answer, answered) = oneshot::channel();
    let page = format!("/honest/{}.html", shared.now.lock().unwrap().0);
    let mut word = |key: &str| words.remove(key).unwrap_or_default();
    let (tool, input) = (word("tool"), word("input"));
    let _ = shared.said.send(FromPage::Call(Call {
        page,
        tool,
        input,
        answer,
    }));
    answered.await.unwrap_or_else(|_| "nobody called".into())
}

/// What reached the server, as text.
async fn echo(method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> String {
    let mut said = format!("{method} {uri}");
    for name in [
        "content-type",
        "x-mine",
        "sec-fetch-user",
        "sec-fetch-mode",
        "sec-fetch-dest",
        "sec-fetch-site",
    ] {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(value) = value.map(|value| value.split(';').next().unwrap_or(value)) {
            said += &format!(" {name}={value}");
        }
    }
    format!("{said} {}", String::from_utf8_lossy(&body))
}

async fn redirect(axum::extract::Path(status): axum::extract::Path<u16>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    (status, [(header::LOCATION, "/echo")]).into_response()
}

async fn socket(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(async |mut socket: WebSocket| {
        while let Some(Ok(message)) = socket.recv().await {
            if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
                return;
            }
        }
    })
}

async fn file(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    let kind = |kind: &'static str, body: Vec<u8>| ([(header::CONTENT_TYPE, kind)], body).into_response();
    let own = shared.own.lock().unwrap().get(uri.path()).cloned();
    if let Some(html) = own {
        return kind("text/html; charset=utf-8", html.into_bytes());
    }
    match uri.path() {
        "/cookie" => {
            let cookie = headers.get(header::COOKIE).and_then(|value| value.to_str().ok());
            cookie.unwrap_or("none").to_owned().into_response()
        }
        "/slow" => {
            tokio::time::sleep(SLOW).await;
            "slow".into_response()
        }
        "/events" => kind("text/event-stream", b"data: one\n\n".into()),
        "/service-worker.js" => kind("text/javascript", b"addEventListener('fetch', () => {});".into()),
        path => match path.strip_prefix("/honest/").map(|name| crate::folder().join(name)) {
            Some(name) if name.is_file() => {
                let script = name.extension().is_some_and(|extension| extension == "js");
                let body = std::fs::read(name).unwrap();
                kind(
                    if script {
                        "text/javascript"
                    } else {
                        "text/html; charset=utf-8"
                    },
                    body,
                )
            }
            _ => StatusCode::NOT_FOUND.into_response(),
        },
    }
}
