//! What a request has to pass before the shop sees it.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::{Counter, Hit};
use crate::examples::headers::{Neighbour, is_exactly, strict_headers};

/// The longest request body, in bytes.
const LONGEST_BODY: usize = 4_096;

/// Every request passes here first: it is written down, must be meant for this server, and a change must come from the
/// shop's own page.
pub(super) async fn at_the_door(State(at): State<Arc<Counter>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, LONGEST_BODY).await else {
        return turn_away(
            StatusCode::PAYLOAD_TOO_LARGE,
            "The request is longer than the shop reads.",
        );
    };
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let body = String::from_utf8_lossy(&bytes).into_owned();
    if let Err(error) = at.write_down(&Hit {
        method: parts.method.to_string(),
        path,
        body,
    }) {
        tracing::warn!(%error, "a request to the example page could not be logged, so it was not served");
        return turn_away(
            StatusCode::INSUFFICIENT_STORAGE,
            "The shop could not write the request down.",
        );
    }
    let is = |name: HeaderName, wanted: &str| is_exactly(&parts.headers, &name, wanted);
    if !is(header::HOST, &at.host) {
        return turn_away(StatusCode::FORBIDDEN, "The shop answers at its own address only.");
    }
    if !matches!(parts.method, Method::GET | Method::HEAD) && !is(header::ORIGIN, &at.origin) {
        return turn_away(StatusCode::FORBIDDEN, "The shop takes changes from its own page only.");
    }
    let mut response = next.run(Request::from_parts(parts, Body::from(bytes))).await;
    response.headers_mut().extend(strict_headers(&Neighbour::Nobody));
    response
}

fn turn_away(status: StatusCode, message: &str) -> Response {
    let mut response = (status, Json(json!({ "error": "turned-away", "message": message }))).into_response();
    response.headers_mut().extend(strict_headers(&Neighbour::Nobody));
    response
}
