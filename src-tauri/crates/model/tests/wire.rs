//! Both providers against a server on loopback: what is sent, what is retried, what ends a turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use countersign_contract::{Code, ModelInfo};
use countersign_model::{
    Clock, Delta, Message, ModelError, Ollama, OpenAi, Patience, Provider, Stop, TurnReply, TurnRequest,
};
use countersign_vault::Sensitive;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What the server was sent.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    line: String,
    key: Option<String>,
    body: Value,
}

type Answers = Arc<Mutex<VecDeque<Response>>>;

/// Answers each request with the next of the given answers, and 500 after them.
struct Server {
    url: String,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl Server {
    async fn start(answers: Vec<Response>) -> Self {
        let (tell, seen) = mpsc::unbounded_channel();
        let answers: Answers = Arc::new(Mutex::new(answers.into()));
        let app = axum::Router::new().fallback(answer).with_state((answers, tell));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, seen }
    }

    fn asked(&mut self) -> Vec<Seen> {
        std::iter::from_fn(|| self.seen.try_recv().ok()).collect()
    }

    fn openai(&self, clock: &Arc<Waits>) -> OpenAi {
        let key = Some(Sensitive::new("sk-secret".to_owned()));
        OpenAi::new(&format!("{}/v1/", self.url), key, "m")
            .expect("an address")
            .with_clock(clock.clone())
    }

    fn ollama(&self, clock: &Arc<Waits>) -> Ollama {
        Ollama::new(&self.url, "m")
            .expect("an address")
            .with_clock(clock.clone())
    }
}

async fn answer(State((answers, tell)): State<(Answers, mpsc::UnboundedSender<Seen>)>, request: Request) -> Response {
    let line = format!("{} {}", request.method(), request.uri());
    let key = request
        .headers()
        .get("authorization")
        .map(|value| value.to_str().expect("text").to_owned());
    let body = axum::body::to_bytes(request.into_body(), usize::MAX)
        .await
        .expect("a body");
    let _ = tell.send(Seen {
        line,
        key,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    });
    let next = answers.lock().expect("one at a time").pop_front();
    next.unwrap_or_else(|| status(500, "nothing more to say"))
}

fn status(status: u16, body: &str) -> Response {
    Response::builder()
        .status(status)
        .body(Body::from(body.to_owned()))
        .expect("a response")
}

fn busy(retry_after: &str) -> Response {
    let body = Body::from(r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#);
    Response::builder()
        .status(429)
        .header("retry-after", retry_after)
        .body(body)
        .expect("a response")
}

fn events(text: &str) -> Response {
    let chunk = json!({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from(format!("data: {chunk}\n\ndata: [DONE]\n\n")))
        .expect("a response")
}

fn lines(text: &str) -> Response {
    let line = json!({"message": {"content": text}, "done": true, "done_reason": "stop"});
    Response::builder()
        .header("content-type", "application/x-ndjson")
        .body(Body::from(format!("{line}\n")))
        .expect("a response")
}

/// A reply whose first text comes and which then says nothing more.
fn stalled() -> Response {
    let first = Bytes::from(format!(
        "data: {}\n\n",
        json!({"choices": [{"delta": {"content": "a"}}]})
    ));
    let (tell, told) = mpsc::unbounded_channel::<Result<Bytes, std::io::Error>>();
    tell.send(Ok(first)).expect("it is listened to");
    let stream = futures_util::stream::unfold((told, tell), |(mut told, tell)| async move {
        told.recv().await.map(|bytes| (bytes, (told, tell)))
    });
    Response::new(Body::from_stream(stream))
}

/// A clock that never waits and writes down what it was asked to.
#[derive(Default)]
struct Waits(Mutex<Vec<Duration>>);

#[async_trait]
impl Clock for Waits {
    async fn sleep(&self, wait: Duration) {
        self.0.lock().expect("one at a time").push(wait);
    }
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
    fn jitter(&self) -> f64 {
        0.5
    }
}

impl Waits {
    fn waited(&self) -> Vec<Duration> {
        self.0.lock().expect("one at a time").clone()
    }
}

fn request() -> TurnRequest {
    TurnRequest {
        messages: vec![Message::User("hi".into())],
        tools: Vec::new(),
    }
}

async fn turn(provider: &dyn Provider) -> Result<TurnReply, ModelError> {
    provider.turn(&request(), &mut |_| {}, &CancellationToken::new()).await
}

fn text(text: &str) -> TurnReply {
    TurnReply {
        text: text.into(),
        calls: Vec::new(),
        stop: Stop::End,
        usage: None,
    }
}

#[tokio::test]
async fn openai_is_asked_at_its_path_with_the_key() {
    let mut server = Server::start(vec![events("hello")]).await;
    let provider = server.openai(&Arc::default());
    assert_eq!(turn(&provider).await, Ok(text("hello")));
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": true, "stream_options": {"include_usage": true}});
    let line = "POST /v1/chat/completions".into();
    assert_eq!(
        server.asked(),
        [Seen {
            line,
            key: Some("Bearer sk-secret".into()),
            body
        }]
    );
    assert_eq!(
        provider.label(),
        format!("m through {}", server.url.trim_start_matches("http://"))
    );
}

#[tokio::test]
async fn ollama_is_asked_at_its_path() {
    let mut server = Server::start(vec![lines("hello")]).await;
    assert_eq!(turn(&server.ollama(&Arc::default())).await, Ok(text("hello")));
    let asked = server.asked();
    assert_eq!(
        (asked.len(), asked[0].line.as_str(), &asked[0].key),
        (1, "POST /api/chat", &None)
    );
}

#[tokio::test]
async fn models_are_listed() {
    let tags = json!({"models": [{"name": "b:1", "capabilities": ["completion", "tools"]}, {"name": "a:1", "capabilities": ["embedding"]}, {"name": "c"}]});
    let server = Server::start(vec![
        status(200, r#"{"object":"list","data":[{"id":"z"},{"id":"a"},{"id":"a"}]}"#),
        status(200, &tags.to_string()),
        status(200, r#"{"version":"0.30.1"}"#),
    ])
    .await;
    let info = |name: &str, tools| ModelInfo {
        name: name.into(),
        tools,
    };
    assert_eq!(
        server.openai(&Arc::default()).models().await,
        Ok(vec![info("a", None), info("z", None)])
    );
    let expected = vec![info("a:1", Some(false)), info("b:1", Some(true)), info("c", None)];
    assert_eq!(server.ollama(&Arc::default()).models().await, Ok(expected));
    assert_eq!(Ollama::found(&server.url).await.as_deref(), Some("0.30.1"));
    assert_eq!(Ollama::found("http://127.0.0.1:1").await, None);
}

#[tokio::test]
async fn a_busy_server_is_asked_again_after_the_time_it_names() {
    let mut server = Server::start(vec![busy("4"), status(503, "loading"), events("at last")]).await;
    let clock = Arc::new(Waits::default());
    assert_eq!(turn(&server.openai(&clock)).await, Ok(text("at last")));
    assert_eq!(
        clock.waited(),
        [Duration::from_millis(4500), Duration::from_millis(1125)]
    );
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn retries_end() {
    let mut server = Server::start((0..5).map(|_| busy("1")).collect()).await;
    let clock = Arc::new(Waits::default());
    let error = turn(&server.openai(&clock)).await.expect_err("still busy");
    assert_eq!(
        (error.code(), server.asked().len(), clock.waited().len()),
        (Code::ModelBusy, 3, 2)
    );

    let mut server = Server::start(vec![busy("600")]).await;
    let message = turn(&server.openai(&clock))
        .await
        .expect_err("a long wait is the person's choice")
        .to_string();
    assert!(message.contains("10 minutes"), "{message}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn only_a_busy_or_unconnected_server_is_asked_again() {
    let quota = r#"{"error":{"message":"no credit","type":"insufficient_quota"}}"#;
    let clock = Arc::new(Waits::default());
    for (answer, code) in [
        (status(429, quota), Code::ModelQuota),
        (status(401, "{}"), Code::ModelKey),
        (status(500, "boom"), Code::ModelReply),
        (status(404, "no such path"), Code::ModelUnreachable),
        (
            Response::builder()
                .status(302)
                .header("location", "/v2")
                .body(Body::empty())
                .expect("a response"),
            Code::ModelUnreachable,
        ),
        (status(200, ""), Code::ModelReply),
    ] {
        let mut server = Server::start(vec![answer]).await;
        let error = turn(&server.openai(&clock)).await.expect_err("an error");
        assert_eq!((error.code(), server.asked().len()), (code, 1), "{error}");
    }
    assert_eq!(clock.waited(), []);

    let nobody = OpenAi::new("http://127.0.0.1:1/v1", None, "m")
        .expect("an address")
        .with_clock(clock.clone());
    assert_eq!(
        turn(&nobody).await.map_err(|error| error.code()),
        Err(Code::ModelUnreachable)
    );
    assert_eq!(
        clock.waited(),
        [Duration::from_micros(562_500), Duration::from_millis(1125)]
    );
}

#[tokio::test]
async fn a_key_that_a_server_sends_back_is_not_shown() {
    let server = Server::start(vec![status(500, r#"{"error":"bad header Bearer sk-secret"}"#)]).await;
    let message = turn(&server.openai(&Arc::default()))
        .await
        .expect_err("an error")
        .to_string();
    assert!(
        message.contains("Bearer <redacted>") && !message.contains("sk-secret"),
        "{message}"
    );
}

#[tokio::test]
async fn cancelling_ends_a_turn_in_the_middle_of_its_reply() {
    let server = Server::start(vec![stalled()]).await;
    let cancel = CancellationToken::new();
    let mut streamed = String::new();
    let mut sink = |Delta::Text(text): Delta| {
        streamed.push_str(&text);
        cancel.cancel();
    };
    let reply = server
        .openai(&Arc::default())
        .turn(&request(), &mut sink, &cancel)
        .await;
    assert_eq!(reply, Err(ModelError::Cancelled));
    assert_eq!(streamed, "a");
}

#[tokio::test]
async fn a_reply_that_stops_coming_is_an_error() {
    let server = Server::start(vec![stalled()]).await;
    let patience = Patience {
        next: Duration::from_millis(1),
        ..Patience::default()
    };
    let error = turn(&server.openai(&Arc::default()).with_patience(patience))
        .await
        .expect_err("it stalls");
    assert!(error.to_string().contains("it stopped for"), "{error}");
}
