//! The routes of Take Five's bridge, with its checks in its order: origin, token, one page, route.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::calls::Ended;
use super::state::{Foreign, Nonce, ONE_PAGE};
use super::{Inner, RelayToken, body, pushed, stream};

/// One turning-on of the door.
pub(super) struct Run {
    pub inner: Arc<Inner>,
    pub number: u64,
    pub origin: String,
    pub token: RelayToken,
}

/// What `EventSource`, which can set no header, says in the address instead.
#[derive(Default, Deserialize)]
struct EventsQuery {
    token: Option<String>,
    page: Option<String>,
}

pub(super) async fn answer(State(run): State<Arc<Run>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let mut unread = Some(body);
    let mut response = run.route(&head, &mut unread).await;
    // Were it left, the connection would be reset, and the page might never see why it was refused.
    if let Some(body) = unread
        && body::skip(body).await.is_err()
    {
        response = body::hang_up();
    }
    let is_ours = header_of(&head.headers, header::ORIGIN.as_str()) == Some(&run.origin);
    run.allow(is_ours, response.headers_mut());
    response
}

impl Run {
    async fn route(&self, head: &Parts, unread: &mut Option<Body>) -> Response {
        // A connection may outlive the run it was made in.
        if self.inner.current(self.number).is_none() {
            return body::hang_up();
        }
        if !is_loopback(&head.headers) {
            // A name of somebody's site that leads here makes us that site's own origin.
            return (StatusCode::FORBIDDEN, "host not allowed").into_response();
        }
        let foreign_origin = head
            .headers
            .get_all(header::ORIGIN)
            .iter()
            .any(|origin| *origin != *self.origin);
        if foreign_origin {
            return (StatusCode::FORBIDDEN, "origin not allowed").into_response();
        }
        let (method, path) = (&head.method, head.uri.path());
        if method == Method::OPTIONS {
            return StatusCode::NO_CONTENT.into_response();
        }
        if method == Method::GET && path == "/health" {
            return self.health();
        }
        let asked = asked(&head.uri, path);
        let token = header_of(&head.headers, "x-bridge-token").or(asked.token.as_deref());
        if !token.is_some_and(|token| self.token.is(token)) {
            return (StatusCode::UNAUTHORIZED, "bridge token missing or wrong").into_response();
        }
        let nonce = header_of(&head.headers, "x-bridge-page")
            .map(str::to_owned)
            .or(asked.page);
        if let Err(foreign) = self.inner.state().hear(&nonce) {
            return foreign.into_response();
        }
        match (method, path) {
            (&Method::GET, "/events") => self.events(&nonce),
            (&Method::POST, "/tools") => self.tools(&nonce, unread).await,
            (&Method::POST, "/result") => self.result(&nonce, unread).await,
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    }

    fn health(&self) -> Response {
        let state = self.inner.state();
        let health = json!({
            "ok": true,
            "origin": self.origin,
            "tools": state.tool_names(),
            "pages": u8::from(state.is_attached()),
            "token_fingerprint": self.token.fingerprint(),
        });
        ([(header::CONTENT_TYPE, "application/json")], health.to_string()).into_response()
    }

    fn events(&self, nonce: &Nonce) -> Response {
        let opened = match self.inner.current(self.number).map(|mut state| state.attach(nonce)) {
            Some(Ok(opened)) => opened,
            Some(Err(foreign)) => return foreign.into_response(),
            None => return body::hang_up(),
        };
        let headers = [
            (header::CONTENT_TYPE, "text/event-stream"),
            (header::CACHE_CONTROL, "no-cache"),
        ];
        let messages = stream::messages(self.inner.clone(), opened);
        (headers, Body::from_stream(messages)).into_response()
    }

    async fn tools(&self, nonce: &Nonce, unread: &mut Option<Body>) -> Response {
        let body = match body::read(unread).await {
            Ok(body) => body,
            Err(hang_up) => return hang_up,
        };
        let Some(pushed) = pushed::read(&body) else {
            return (StatusCode::BAD_REQUEST, "expected {tools: [...]}").into_response();
        };
        // Another page may have come while this one was still sending.
        match self
            .inner
            .current(self.number)
            .map(|mut state| state.push(nonce, pushed))
        {
            Some(Ok(absence)) => {
                self.inner.watch(absence);
                StatusCode::NO_CONTENT.into_response()
            }
            Some(Err(foreign)) => foreign.into_response(),
            None => body::hang_up(),
        }
    }

    async fn result(&self, nonce: &Nonce, unread: &mut Option<Body>) -> Response {
        let body = match body::read(unread).await {
            Ok(body) => body,
            Err(hang_up) => return hang_up,
        };
        let Some(mut state) = self.inner.current(self.number) else {
            return body::hang_up();
        };
        if let Err(foreign) = state.hear(nonce) {
            return foreign.into_response();
        }
        let number = body.get("id").and_then(Value::as_u64);
        if number.is_some_and(|number| state.answered(nonce, number, Ended::read(&body))) {
            StatusCode::NO_CONTENT.into_response()
        } else {
            (StatusCode::NOT_FOUND, "no such pending call").into_response()
        }
    }

    /// What a browser wants to be told before it lets the page call, and read the answer. Only ever for the one origin.
    fn allow(&self, is_ours: bool, headers: &mut HeaderMap) {
        let mut say = |name: &'static str, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        say("vary", "Origin");
        say("access-control-allow-methods", "GET, POST, OPTIONS");
        say(
            "access-control-allow-headers",
            "content-type, x-bridge-token, x-bridge-page",
        );
        if is_ours {
            say("access-control-allow-origin", &self.origin);
            say("access-control-allow-private-network", "true");
        }
    }
}

impl IntoResponse for Foreign {
    fn into_response(self) -> Response {
        (StatusCode::CONFLICT, ONE_PAGE).into_response()
    }
}

fn header_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn asked(uri: &Uri, path: &str) -> EventsQuery {
    let query = (path == "/events").then(|| Query::<EventsQuery>::try_from_uri(uri).ok());
    query.flatten().map(|Query(query)| query).unwrap_or_default()
}

fn is_loopback(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    hosts.all(|host| {
        let host = host.to_str().unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        matches!(name, "127.0.0.1" | "localhost")
    })
}
