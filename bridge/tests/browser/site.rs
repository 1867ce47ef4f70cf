use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, Uri, header};
use axum::response::IntoResponse;

/// A request that reached the server.
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

async fn serve(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> impl IntoResponse {
    let path = uri.path().to_owned();
    let body = String::from_utf8_lossy(&body).into_owned();
    shared.log.lock().unwrap().push(Logged {
        method: method.to_string(),
        path: path.clone(),
        body,
    });
    let page = shared.pages.lock().unwrap().get(&path).cloned();
    let kind = match path.ends_with(".js") {
        true => "text/javascript; charset=utf-8",
        false => "text/html; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], page.unwrap_or_else(|| "ok".into()))
}
