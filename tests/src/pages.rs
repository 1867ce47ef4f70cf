use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{Html, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A request as a server wrote it down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// `POST`…
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// The body as text.
    pub body: String,
}

/// A web page of the scenario's own, with the server its tools write to.
pub struct Site {
    url: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    page: String,
    delay: Duration,
    hits: Mutex<Vec<(SystemTime, Hit)>>,
}

impl Site {
    /// Serves a page whose script is `script`. It can use `write(path, body)`, which sends a `POST` to the site, `tool(…)`, which
    /// registers a tool, and `call(name, input)`, which calls one the way any code in the page would.
    ///
    /// # Panics
    /// When there is no port to serve it on.
    pub async fn serve(title: &str, script: &str) -> Self {
        Self::serve_slowly(title, script, Duration::ZERO).await
    }

    /// The same, with a server that takes its time to answer a write. The write counts as soon as it has come in.
    ///
    /// # Panics
    /// When there is no port to serve it on.
    pub async fn serve_slowly(title: &str, script: &str, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("there is a loopback port to spare");
        let url = format!(
            "http://{}/",
            listener.local_addr().expect("a bound listener has an address")
        );
        let shared = Arc::new(Shared {
            page: page(title, script),
            delay,
            hits: Mutex::default(),
        });
        let router = Router::new().fallback(serve).with_state(shared.clone());
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the site can be served");
        });
        Self { url, shared, server }
    }

    /// A page that waters plants, and calls its own tool as soon as it is loaded.
    pub async fn that_calls_itself() -> Self {
        let script = "await tool('water_plants', 'Waters plants', { litres: { type: 'integer' } }, (input) => write('/water', input));
            document.body.append('The page said: ', await call('water_plants', { litres: 2 }));";
        Self::serve("Greenhouse", script).await
    }

    /// A page with one write that takes a minute to be answered.
    pub async fn that_takes_its_time() -> Self {
        let script = "await tool('send_letter', 'Sends a letter', { to: { type: 'string' } }, (input) => write('/letters', input));";
        Self::serve_slowly("Post office", script, Duration::from_secs(60)).await
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Every write that has come in, oldest first.
    pub fn writes(&self) -> Vec<Hit> {
        self.arrived().into_iter().map(|(_, hit)| hit).collect()
    }

    /// When each write came in.
    pub fn arrivals(&self) -> Vec<SystemTime> {
        self.arrived().into_iter().map(|(at, _)| at).collect()
    }

    fn arrived(&self) -> Vec<(SystemTime, Hit)> {
        self.shared.hits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let at = SystemTime::now();
    let (parts, body) = request.into_parts();
    if parts.method == "GET" {
        return Html(shared.page.clone()).into_response();
    }
    let bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
    let hit = Hit {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        body: String::from_utf8_lossy(&bytes).into_owned(),
    };
    shared
        .hits
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push((at, hit));
    tokio::time::sleep(shared.delay).await;
    "taken".into_response()
}

fn page(title: &str, script: &str) -> String {
    format!(
        "<!doctype html><html lang='en'><meta charset='utf-8'><link rel='icon' href='data:,'><title>{title}</title>
<body><h1>{title}</h1><script type='module'>
const context = document.modelContext;
const write = async (path, body) => (await fetch(path, {{ method: 'POST', body: JSON.stringify(body) }})).text();
const tool = (name, description, properties, execute, annotations) =>
    context.registerTool({{ name, description, inputSchema: {{ type: 'object', properties }}, execute, ...(annotations && {{ annotations }}) }});
const call = async (name, input) => {{
    const tool = (await context.getTools()).find((one) => one.name === name);
    return context.executeTool(tool, context.executeTool.length > 1 ? JSON.stringify(input) : input);
}};
{script}
</script></body></html>"
    )
}
