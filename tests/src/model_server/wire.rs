use std::collections::VecDeque;
use std::convert::Infallible;

use axum::body::Bytes;
use futures_util::Stream;
use serde_json::{Value, json};

use super::script::{Fault, Reply, object, offered};

/// A reply as the pieces of a stream.
pub(super) struct Pieces {
    pub(super) content_type: &'static str,
    pieces: Vec<String>,
    /// Where a held reply waits.
    middle: usize,
}

/// Characters of text or arguments in one piece.
const PIECE: usize = 6;

fn cut(text: &str) -> Vec<String> {
    let text: Vec<char> = text.chars().collect();
    text.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
}

/// The reply as OpenAI streams it.
pub(super) fn openai(reply: &Reply, body: &Value) -> Pieces {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": body["model"], "choices": [choice]});
        format!("data: {chunk}\n\n")
    };
    let mut pieces = vec![
        ":\n\n".to_owned(),
        chunk(json!({"role": "assistant", "content": null}), Value::Null),
    ];
    let text: Vec<_> = cut(&reply.text)
        .into_iter()
        .map(|text| chunk(json!({"content": text}), Value::Null))
        .collect();
    let middle = pieces.len() + text.len().div_ceil(2);
    pieces.extend(text);
    for (index, (tool, arguments)) in reply.calls.iter().enumerate() {
        let first = json!({"index": index, "id": id(body, index), "type": "function", "function": {"name": offered(body, tool), "arguments": ""}});
        pieces.push(chunk(json!({"tool_calls": [first]}), Value::Null));
        for piece in cut(arguments) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            pieces.push(chunk(json!({"tool_calls": [more]}), Value::Null));
        }
    }
    let finish = match (&reply.fault, reply.calls.is_empty()) {
        (Some(Fault::Length), _) => "length",
        (_, false) => "tool_calls",
        (_, true) => "stop",
    };
    let error = |message: &str| {
        format!(
            "data: {}\n\n",
            json!({"error": {"message": message, "type": "server_error"}})
        )
    };
    let usage = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": body["model"], "choices": [],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}});
    let end = [
        chunk(json!({}), finish.into()),
        format!("data: {usage}\n\n"),
        "data: [DONE]\n\n".into(),
    ];
    finish_with(&mut pieces, reply, error, end);
    Pieces {
        content_type: "text/event-stream",
        pieces,
        middle,
    }
}

/// The reply as Ollama streams it.
pub(super) fn ollama(reply: &Reply, body: &Value) -> Pieces {
    let line = |message: Value| {
        let line =
            json!({"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false});
        format!("{line}\n")
    };
    let mut pieces: Vec<_> = cut(&reply.text)
        .into_iter()
        .map(|text| line(json!({"role": "assistant", "content": text})))
        .collect();
    let middle = pieces.len().div_ceil(2);
    for (index, (tool, arguments)) in reply.calls.iter().enumerate() {
        let function = json!({"index": index, "name": offered(body, tool), "arguments": object(arguments)});
        let calls = json!([{"id": id(body, index), "function": function}]);
        pieces.push(line(json!({"role": "assistant", "content": "", "tool_calls": calls})));
    }
    let reason = if matches!(reply.fault, Some(Fault::Length)) {
        "length"
    } else {
        "stop"
    };
    let done = json!({"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": ""},
        "done": true, "done_reason": reason, "total_duration": 1, "prompt_eval_count": 100, "eval_count": 10});
    let error = |message: &str| format!("{}\n", json!({"error": message}));
    finish_with(&mut pieces, reply, error, [format!("{done}\n")]);
    Pieces {
        content_type: "application/x-ndjson",
        pieces,
        middle,
    }
}

fn finish_with<const N: usize>(
    pieces: &mut Vec<String>,
    reply: &Reply,
    error: impl Fn(&str) -> String,
    end: [String; N],
) {
    match &reply.fault {
        Some(Fault::Empty) => pieces.clear(),
        Some(Fault::CutOff) => {
            // Half a piece: the cut is in the middle of a line.
            if let Some(last) = pieces.last_mut() {
                last.truncate(last.len() / 2);
            }
        }
        Some(Fault::InStream { message }) => pieces.push(error(message)),
        _ => pieces.extend(end),
    }
}

/// Unique in the conversation.
fn id(body: &Value, index: usize) -> String {
    format!("call_{}_{index}", body["messages"].as_array().map_or(0, Vec::len))
}

/// The pieces one by one, each in two parts so that no part of the stream is a whole line.
pub(super) fn stream(pieces: Pieces, reply: Reply) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let held = reply.hold.map(|hold| (pieces.middle, hold));
    let mut parts = VecDeque::new();
    for (at, piece) in pieces.pieces.into_iter().enumerate() {
        let mut piece = Bytes::from(piece);
        let first = piece.split_to(piece.len() / 2);
        parts.extend([(at, first), (at, piece)]);
    }
    let between = reply.between;
    futures_util::stream::unfold((parts, held, 0), move |(mut parts, mut held, last)| async move {
        let (at, part) = parts.pop_front()?;
        if at != last {
            if !between.is_zero() {
                tokio::time::sleep(between).await;
            }
            if let Some((_, hold)) = held.take_if(|(middle, _)| at >= *middle) {
                hold.wait().await;
            }
        }
        Some((Ok(part), (parts, held, at)))
    })
}

/// `/v1/models`.
pub(super) fn openai_models(models: &[String]) -> Value {
    let data = models
        .iter()
        .map(|id| json!({"id": id, "object": "model", "created": 0, "owned_by": "script"}));
    json!({"object": "list", "data": data.collect::<Vec<_>>()})
}

/// `/api/tags`.
pub(super) fn ollama_tags(models: &[String]) -> Value {
    let models = models.iter().map(|name| {
        let name = if name.contains(':') { name.clone() } else { format!("{name}:latest") };
        json!({"name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1, "digest": "0", "capabilities": ["completion", "tools"]})
    });
    json!({"models": models.collect::<Vec<_>>()})
}
