//! A model that says what a script tells it to, over the wire of OpenAI (`/v1/models`, `/v1/chat/completions`) and the
//! wire of Ollama (`/api/tags`, `/api/version`, `/api/chat`). Replies are streamed in small pieces.

mod script;
mod wire;

use std::sync::{Arc, Mutex, MutexGuard};

use axum::body::Body;
use axum::extract::{Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use script::{Fault, Hold, Rule, Script, rule};

/// A server on a port of its own on loopback, until it is dropped.
pub struct ModelServer {
    url: String,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

/// What a client sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Such as `POST /v1/chat/completions`.
    pub line: String,
    /// The `authorization` header.
    pub authorization: Option<String>,
    /// The body as JSON; null when it has none.
    pub body: Value,
}

struct Shared {
    script: Mutex<Script>,
    requests: Mutex<Vec<Request>>,
    turns: watch::Sender<usize>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl ModelServer {
    /// Starts a server that follows the script.
    ///
    /// # Panics
    /// When loopback has no free port.
    pub async fn start(script: impl Into<Script>) -> Self {
        Self::start_at(0, script).await.expect("loopback has a free port")
    }

    /// Starts a server at a port of loopback that clients know, such as Ollama's.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn start_at(port: u16, script: impl Into<Script>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into()),
            requests: Mutex::default(),
            turns: watch::Sender::new(0),
        });
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { url, shared, serving })
    }

    /// The base address for an Ollama client, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// The base address for an OpenAI client: the same with `/v1`.
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.url)
    }

    /// Follows another script from the next request on.
    pub fn follow(&self, script: impl Into<Script>) {
        *lock(&self.shared.script) = script.into();
    }

    /// Everything that was asked so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// The bodies of the turns that were asked so far, of either wire.
    pub fn turns(&self) -> Vec<Value> {
        self.requests()
            .into_iter()
            .filter(Request::is_turn)
            .map(|request| request.body)
            .collect()
    }

    /// What the model was told of its calls in the last turn, in order.
    pub fn told(&self) -> Vec<String> {
        self.requests()
            .iter()
            .rfind(|request| request.is_turn())
            .map(Request::results)
            .unwrap_or_default()
    }

    /// Waits until this many turns were asked and returns the body of the last of them.
    pub async fn turn(&self, number: usize) -> Value {
        let mut turns = self.shared.turns.subscribe();
        let _ = turns.wait_for(|asked| *asked >= number).await;
        self.turns().get(number.saturating_sub(1)).cloned().unwrap_or_default()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Request {
    fn is_turn(&self) -> bool {
        matches!(self.line.as_str(), "POST /v1/chat/completions" | "POST /api/chat")
    }

    /// What the model is told of its calls since the last prompt, in order.
    pub fn results(&self) -> Vec<String> {
        script::Asked::of(&self.body).results
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: HttpRequest) -> Response {
    let line = format!("{} {}", request.method(), request.uri().path());
    let authorization = request
        .headers()
        .get("authorization")
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let body = axum::body::to_bytes(request.into_body(), 64 << 20)
        .await
        .unwrap_or_default();
    let request = Request {
        line,
        authorization,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    lock(&shared.requests).push(request.clone());
    if request.is_turn() {
        shared.turns.send_modify(|asked| *asked += 1);
    }
    let script = lock(&shared.script).clone();
    if request.line.contains("/v1/") && !script.lets_in(request.authorization.as_deref()) {
        let error = json!({"error": {"message": "Incorrect API key provided.", "type": "invalid_request_error", "code": "invalid_api_key"}});
        return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
    }
    match request.line.as_str() {
        "GET /v1/models" => Json(wire::openai_models(&script.models)).into_response(),
        "GET /api/tags" => Json(wire::ollama_tags(&script.models)).into_response(),
        "GET /api/version" => Json(json!({"version": "0.30.0"})).into_response(),
        "POST /v1/chat/completions" => turn(&script, &request.body, wire::openai).await,
        "POST /api/chat" => turn(&script, &request.body, wire::ollama).await,
        _ => (StatusCode::NOT_FOUND, "404 page not found").into_response(),
    }
}

async fn turn(script: &Script, body: &Value, wire: fn(&script::Reply, &Value) -> wire::Pieces) -> Response {
    let asked = script::Asked::of(body);
    let reply = script.reply(&asked);
    if let Some(Fault::Silent) = reply.fault {
        std::future::pending::<()>().await;
    }
    if let Some(Fault::Status {
        status,
        body,
        retry_after,
    }) = &reply.fault
    {
        let mut response = Response::builder()
            .status(*status)
            .header("content-type", "application/json");
        if let Some(seconds) = retry_after {
            response = response.header("retry-after", *seconds);
        }
        return response.body(Body::from(body.clone())).unwrap_or_default();
    }
    let pieces = wire(&reply, body);
    Response::builder()
        .header("content-type", pieces.content_type)
        .body(Body::from_stream(wire::stream(pieces, reply)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
