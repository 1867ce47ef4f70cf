use std::io;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;

/// The most characters of a body, counted as the page counts them: in UTF-16 units.
const MOST: usize = 1_000_000;
/// No UTF-16 unit takes more bytes than this.
const BYTES_A_UNIT: usize = 3;

/// The JSON of a body; `null` when it is none. A body that is too long is not answered at all.
pub(super) async fn read(request: Request) -> Result<Value, Response> {
    let bytes = to_bytes(request.into_body(), MOST * BYTES_A_UNIT)
        .await
        .map_err(|_| hang_up())?;
    let text = String::from_utf8_lossy(&bytes);
    if text.len() > MOST && text.encode_utf16().count() > MOST {
        return Err(hang_up());
    }
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

/// Ends the connection without an answer: a body that fails at once keeps the server from sending its head.
pub(super) fn hang_up() -> Response {
    let ends = async { Err::<Bytes, _>(io::Error::from(io::ErrorKind::ConnectionAborted)) };
    let mut response = Response::new(Body::from_stream(futures_util::stream::once(ends)));
    *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    response
}
