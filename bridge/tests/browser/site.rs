use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A request that reached the server; or a socket that was opened (`OPEN`) and what came over it (`SEND`, `CLOSE`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    pub method: String,
    pub path: String,
    pub body: String,
}

/// A server on loopback that serves the pages it is given, answers `ok` to anything else, and keeps an access log.
#[derive(Clone)]
pub struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    pages: Mutex<HashMap<String, String>>,
    log: Mutex<Vec<Logged>>,
}

/// What every page of these tests begins with: a record of what happened in it, and a read tool that tells it.
const PRELUDE: &str = r#"<!doctype html><title>Test page</title><script>
const S = { calls: [] };
const tools = document.modelContext;
tools?.registerTool({ name: "state", description: "What happened", annotations: { readOnlyHint: true },
  execute: () => ({ ...S, href: location.pathname }) });
const own = async (name, input, options) =>
  tools.executeTool((await tools.getTools()).find((tool) => tool.name === name), input, options);
</script>"#;

impl Site {
    pub async fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let router = Router::new().fallback(serve).with_state(shared.clone());
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, shared }
    }

    /// Serves a page: the prelude, then `html`.
    pub fn page(&self, path: &str, html: &str) {
        self.shared
            .pages
            .lock()
            .unwrap()
            .insert(path.into(), format!("{PRELUDE}{html}"));
    }

    /// Serves a script.
    pub fn script(&self, path: &str, text: &str) {
        assert!(path.ends_with(".js"), "the kind of a script is told by its name");
        self.answer(path, text);
    }

    /// Answers exactly this text from now on.
    pub fn answer(&self, path: &str, text: &str) {
        self.shared.pages.lock().unwrap().insert(path.into(), text.into());
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.address.port())
    }

    /// The same server under a name of another site.
    pub fn other_site(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.address.port())
    }

    /// What reached the server and could have changed something.
    pub fn writes(&self) -> Vec<Logged> {
        self.shared
            .log
            .lock()
            .unwrap()
            .iter()
            .filter(|entry| entry.method != "GET")
            .cloned()
            .collect()
    }

    pub fn posts(&self, path: &str) -> Vec<String> {
        self.writes()
            .into_iter()
            .filter(|entry| entry.path == path)
            .map(|entry| entry.body)
            .collect()
    }

    /// What came over sockets at this path, in order.
    pub fn frames(&self, path: &str) -> Vec<String> {
        let writes = self.writes().into_iter();
        writes
            .filter(|entry| entry.path == path && entry.method != "OPEN")
            .map(|entry| format!("{} {}", entry.method, entry.body))
            .collect()
    }

    /// How many sockets were opened at this path.
    pub fn opened(&self, path: &str) -> usize {
        let writes = self.writes().into_iter();
        writes
            .filter(|entry| entry.path == path && entry.method == "OPEN")
            .count()
    }

    pub fn gets(&self, path: &str) -> usize {
        self.shared
            .log
            .lock()
            .unwrap()
            .iter()
            .filter(|entry| entry.method == "GET" && entry.path == path)
            .count()
    }
}

impl Shared {
    fn note(&self, method: &str, path: &str, body: &[u8]) {
        self.log.lock().unwrap().push(Logged {
            method: method.into(),
            path: path.into(),
            body: String::from_utf8_lossy(body).into_owned(),
        });
    }
}

/// Says `hello` to whoever opens a socket, and notes what comes over it.
async fn converse(shared: Arc<Shared>, path: String, mut socket: WebSocket) {
    shared.note("OPEN", &path, b"");
    let _ = socket.send(Message::text("hello")).await;
    while let Some(Ok(message)) = socket.recv().await {
        match message {
            Message::Text(text) => shared.note("SEND", &path, text.as_bytes()),
            Message::Binary(bytes) => shared.note("SEND", &path, &bytes),
            Message::Close(Some(CloseFrame { code, reason })) => {
                shared.note("CLOSE", &path, format!("{code} {reason}").as_bytes());
            }
            _ => {}
        }
    }
}

async fn serve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let (mut parts, body) = request.into_parts();
    if let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        return upgrade.on_upgrade(move |socket| converse(shared, path, socket));
    }
    let body = axum::body::to_bytes(body, 1 << 24).await.unwrap_or_default();
    shared.note(method.as_str(), &path, &body);
    let kind = match path.rsplit_once('.') {
        Some((_, "js")) => "text/javascript; charset=utf-8",
        _ => "text/html; charset=utf-8",
    };
    let page = shared.pages.lock().unwrap().get(&path).cloned();
    ([(header::CONTENT_TYPE, kind)], page.unwrap_or_else(|| "ok".into())).into_response()
}
