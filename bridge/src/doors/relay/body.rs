use std::io;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::StreamExt;
use serde_json::Value;

/// The most characters of a body, counted as the page counts them: in UTF-16 units.
const MOST: usize = 1_000_000;
/// No UTF-16 unit takes more bytes than this.
const BYTES_A_UNIT: usize = 3;

/// The JSON of a body; `null` when it is none. A body that is too long is not answered at all.
pub(super) async fn read(unread: &mut Option<Body>) -> Result<Value, Response> {
    let body = unread.take().unwrap_or_default();
    let bytes = to_bytes(body, MOST * BYTES_A_UNIT).await.map_err(|_| hang_up())?;
    let text = String::from_utf8_lossy(&bytes);
    if text.len() > MOST && text.encode_utf16().count() > MOST {
        return Err(hang_up());
    }
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

/// Reads a body that nobody looks at.
pub(super) async fn skip(body: Body) -> Result<(), TooLong> {
    let mut parts = body.into_data_stream();
    let mut length = 0;
    while let Some(Ok(part)) = parts.next().await {
        length += part.len();
        if length > MOST * BYTES_A_UNIT {
            return Err(TooLong);
        }
    }
    Ok(())
}

/// A body is longer than any can be.
pub(super) struct TooLong;

/// Ends the connection without an answer: a body that fails at once keeps the server from sending its head.
pub(super) fn hang_up() -> Response {
    let ends = async { Err::<Bytes, _>(io::Error::from(io::ErrorKind::ConnectionAborted)) };
    let mut response = Response::new(Body::from_stream(futures_util::stream::once(ends)));
    *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    response
}
