//! The server that every hostile page talks to. It keeps the access log, and writes down with each act that reaches it how many
//! releases the ledger's file held at that moment.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::serve::Listener as _;
use tokio::sync::watch;

use crate::record;
use crate::secure::Secure;

/// Something that reached the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The case it came from.
    pub slug: String,
    /// What it is.
    pub kind: Kind,
    /// For a mark or a note, the page's words; for a request, method, path and body; for a socket `OPEN`, `SEND` or `CLOSE`, its
    /// path and what came over it.
    pub text: String,
    /// How many `released` rows the ledger's file held when it came.
    pub released: usize,
}

/// What reached the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The page says that something ran: `GET /ran?…`, which nothing holds.
    Ran,
    /// A request that could change something, or what came over a socket. So is the opening of one, but for `/chat`.
    Sent,
    /// The page says something: `GET /note?…`.
    Note,
    /// Any other request.
    Got,
}

/// The server. Each case has a host of its own, and `far--<case>.localhost` is another site of the same case.
#[derive(Clone)]
pub struct Site {
    /// Its port on loopback.
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    pages: PathBuf,
    ledger: PathBuf,
    secure_port: u16,
    log: Mutex<Vec<Arrived>>,
    signals: watch::Sender<HashSet<String>>,
}

impl Site {
    /// Serves the pages of a folder.
    pub async fn start(pages: &Path, ledger: &Path) -> std::io::Result<Self> {
        let secure = Secure::bind().await?;
        let shared = Arc::new(Shared {
            pages: pages.to_owned(),
            ledger: ledger.to_owned(),
            secure_port: secure.local_addr()?.port(),
            log: Mutex::default(),
            signals: watch::channel(HashSet::new()).0,
        });
        let router = Router::new().fallback(serve).with_state(shared.clone());
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let over_tls = router.clone();
        tokio::spawn(async move { axum::serve(secure, over_tls).await });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port, shared })
    }

    /// The address of a path on the host of a case.
    pub fn url(&self, slug: &str, path: &str) -> String {
        format!("http://{slug}.localhost:{}{path}", self.port)
    }

    /// What reached the server from a case, in order.
    pub fn arrived(&self, slug: &str, pick: impl Fn(Kind) -> bool) -> Vec<Arrived> {
        let log = lock(&self.shared.log);
        log.iter()
            .filter(|one| one.slug == slug && pick(one.kind))
            .cloned()
            .collect()
    }

    /// Lets go whatever of a case waits, or will wait, for this signal.
    pub fn signal(&self, slug: &str, name: &str) {
        self.shared.signals.send_modify(|given| {
            given.insert(format!("{slug}/{name}"));
        });
    }
}

impl Shared {
    fn has_arrived(&self, slug: &str, kind: Kind, text: String) {
        let released = match kind {
            Kind::Ran | Kind::Sent => record::released(&self.ledger),
            Kind::Note | Kind::Got => 0,
        };
        lock(&self.log).push(Arrived {
            slug: slug.to_owned(),
            kind,
            text,
            released,
        });
    }
}

/// Writes down what comes over a socket.
async fn converse(shared: Arc<Shared>, slug: String, path: String, mut socket: WebSocket) {
    let kind = if path == "/chat" { Kind::Got } else { Kind::Sent };
    shared.has_arrived(&slug, kind, format!("OPEN {path}"));
    while let Some(Ok(message)) = socket.recv().await {
        let text = match message {
            Message::Text(text) => format!("SEND {path} {text}"),
            Message::Binary(bytes) => format!("SEND {path} {}", String::from_utf8_lossy(&bytes)),
            // Without words of the page's own it says no more than that its page went.
            Message::Close(Some(CloseFrame { code, reason })) if !reason.is_empty() => {
                format!("CLOSE {path} {code} {reason}")
            }
            _ => continue,
        };
        shared.has_arrived(&slug, Kind::Sent, text);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn slug_of(uri: &Uri, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    // HTTP/2 has the host in the address.
    let host = uri.host().or(host);
    let name = host.and_then(|host| host.split('.').next()).unwrap_or_default();
    name.strip_prefix("far--").unwrap_or(name).to_owned()
}

fn decoded(uri: &Uri) -> String {
    let query = uri.query().unwrap_or_default();
    let url = format!("http://localhost/?q={query}").parse::<reqwest::Url>();
    url.ok()
        .and_then(|url| url.query_pairs().next().map(|(_, text)| text.into_owned()))
        .unwrap_or_default()
}

async fn serve(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    body: Bytes,
) -> Response {
    let slug = slug_of(&uri, &headers);
    let path = uri.path();
    if let Ok(upgrade) = upgrade {
        let path = path.to_owned();
        return upgrade.on_upgrade(move |socket| converse(shared, slug, path, socket));
    }
    let changes = ![Method::GET, Method::HEAD, Method::OPTIONS].contains(&method);
    let (kind, text) = match path {
        _ if changes => {
            let body = String::from_utf8_lossy(&body);
            (Kind::Sent, format!("{method} {path} {body}").trim_end().to_owned())
        }
        "/ran" => (Kind::Ran, decoded(&uri)),
        "/note" => (Kind::Note, decoded(&uri)),
        _ => (Kind::Got, format!("{method} {path}")),
    };
    shared.has_arrived(&slug, kind, text);
    if let Some(name) = path.strip_prefix("/signal/") {
        let wanted = format!("{slug}/{name}");
        let mut given = shared.signals.subscribe();
        let _ = given.wait_for(|given| given.contains(&wanted)).await;
    }
    let mut response = answer(&shared, &slug, path, &uri);
    let headers = response.headers_mut();
    for name in [
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        header::ACCESS_CONTROL_ALLOW_METHODS,
        header::ACCESS_CONTROL_ALLOW_HEADERS,
    ] {
        headers.insert(name, HeaderValue::from_static("*"));
    }
    if path == "/watched" {
        headers.insert("reporting-endpoints", HeaderValue::from_static(r#"watch="/w""#));
        let policy = HeaderValue::from_static("img-src 'none'; report-to watch");
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn answer(shared: &Shared, slug: &str, path: &str, uri: &Uri) -> Response {
    match path {
        "/empty" => return StatusCode::NO_CONTENT.into_response(),
        // Where to is in the query; a 307 keeps method and body.
        "/moved" => return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, decoded(uri))]).into_response(),
        // The same host over TLS; where to is in the query.
        "/secure" => {
            let to = format!("https://{slug}.localhost:{}{}", shared.secure_port, decoded(uri));
            return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response();
        }
        _ => {}
    }
    let name = match path {
        "/" => format!("{slug}.html"),
        "/prelude.js" => "prelude.js".to_owned(),
        _ if path.ends_with(".js") => format!("{slug}.{}", &path[1..]),
        _ => format!("{slug}.{}.html", &path[1..]),
    };
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
    let text = Some(shared.pages.join(&name))
        .filter(|_| is_plain)
        .and_then(|file| std::fs::read_to_string(file).ok());
    let kind = match (&text, name.ends_with(".js")) {
        (Some(_), true) => "text/javascript; charset=utf-8",
        (Some(_), false) => "text/html; charset=utf-8",
        (None, _) => "text/plain; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], text.unwrap_or_else(|| "ok".to_owned())).into_response()
}
