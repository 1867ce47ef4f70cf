use countersign_contract::Code;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Stream, Whole, body, chats};
use crate::draft::{Decoder, Draft};
use crate::fault::Who;
use crate::sse::Events;
use crate::{Delta, Message, ModelCall, ModelError, Stop, ToolSpec, TurnReply, TurnRequest, Usage};

fn draft() -> Draft {
    Draft::new(
        Who {
            server: "The server".into(),
            model: "m".into(),
            ollama: false,
        },
        &TurnRequest::default(),
    )
}

fn drive(mut decoder: impl Decoder, chunks: &[&[u8]]) -> (Result<TurnReply, ModelError>, String) {
    let mut streamed = String::new();
    let mut sink = |Delta::Text(text): Delta| streamed.push_str(&text);
    let pushed = chunks
        .iter()
        .try_for_each(|chunk| match decoder.push(chunk, &mut sink) {
            Ok(false) => Ok(()),
            Ok(true) => Err(None),
            Err(error) => Err(Some(error)),
        });
    let reply = match pushed {
        Err(Some(error)) => Err(error),
        _ => decoder.finish(&mut sink),
    };
    (reply, streamed)
}

fn decode(chunks: &[&[u8]]) -> (Result<TurnReply, ModelError>, String) {
    drive(
        Stream {
            draft: draft(),
            events: Events::default(),
            seen: false,
            ended: false,
        },
        chunks,
    )
}

fn decoded(stream: &str) -> Result<TurnReply, ModelError> {
    decode(&[stream.as_bytes()]).0
}

/// One event of a stream.
fn ev(chunk: &Value) -> String {
    format!("data: {chunk}\n\n")
}

fn ev_delta(delta: Value) -> String {
    ev(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

fn ev_finish(reason: &str) -> String {
    ev(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

const DONE: &str = "data: [DONE]\n\n";

fn call(id: &str, name: &str, arguments: Value) -> ModelCall {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object")
    };
    ModelCall {
        id: id.into(),
        name: name.into(),
        arguments: Ok(arguments),
    }
}

fn text(text: &str) -> TurnReply {
    TurnReply {
        text: text.into(),
        calls: Vec::new(),
        stop: Stop::End,
        usage: None,
    }
}

fn calls(calls: Vec<ModelCall>) -> TurnReply {
    TurnReply {
        text: String::new(),
        calls,
        stop: Stop::Calls,
        usage: None,
    }
}

/// As llama.cpp streams a call: pings first, content null, id and name once, usage last with no choice.
fn llama_cpp() -> String {
    [
        ":\n\n:\n\n".into(),
        ev_delta(json!({"role": "assistant", "content": null})),
        ev_delta(json!({"tool_calls": [{"index": 0, "id": "RQkc", "type": "function", "function": {"name": "add_item", "arguments": "{"}}]})),
        ev_delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": "\"name\":"}}]})),
        ev_delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": "\"Brøt ☕\"}"}}]})),
        ev_finish("tool_calls"),
        ev(&json!({"choices": [], "usage": {"completion_tokens": 22, "prompt_tokens": 229}, "timings": {}})),
        DONE.into(),
    ]
    .concat()
}

#[test]
fn llama_cpp_streams_a_call() {
    let expected = TurnReply {
        usage: Some(Usage { input: 229, output: 22 }),
        ..calls(vec![call("RQkc", "add_item", json!({"name": "Brøt ☕"}))])
    };
    assert_eq!(decoded(&llama_cpp()), Ok(expected));
}

#[test]
fn llama_cpp_python_repeats_everything_and_is_read_once() {
    let delta = |arguments: &str| {
        let function = json!({"name": "add_item", "arguments": arguments});
        ev_delta(json!({"role": null, "content": null, "function_call": function,
            "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}))
    };
    let stream = [
        delta("{\"name\""),
        delta(": \"x\""),
        delta("}"),
        ev_finish("tool_calls"),
        DONE.into(),
    ]
    .concat();
    assert_eq!(
        decoded(&stream),
        Ok(calls(vec![call("c1", "add_item", json!({"name": "x"}))]))
    );
}

#[test]
fn the_older_function_call_is_read() {
    let stream = [
        ev_delta(json!({"function_call": {"name": "look", "arguments": "{\"a\""}})),
        ev_delta(json!({"function_call": {"arguments": ":1}"}})),
        ev_finish("function_call"),
    ];
    assert_eq!(
        decoded(&stream.concat()),
        Ok(calls(vec![call("call_0_1", "look", json!({"a": 1}))]))
    );
}

#[test]
fn text_streams_as_it_comes_and_text_that_looks_like_a_call_is_text() {
    let looks = "```json\n{\"name\": \"add_item\", \"arguments\": {}}\n```";
    let stream = [
        ev_delta(json!({"content": "Hello "})),
        ev_delta(json!({"content": looks})),
        ev_finish("stop"),
        DONE.into(),
    ];
    let (reply, streamed) = decode(&[stream.concat().as_bytes()]);
    assert_eq!(reply, Ok(text(&format!("Hello {looks}"))));
    assert_eq!(streamed, format!("Hello {looks}"));
}

#[test]
fn a_reply_cut_by_length_or_filter_has_no_calls() {
    let partial = ev_delta(
        json!({"content": "I will", "tool_calls": [{"index": 0, "id": "c", "function": {"name": "del", "arguments": "{}"}}]}),
    );
    for (reason, stop) in [("length", Stop::Length), ("content_filter", Stop::Filter)] {
        let reply = decoded(&[partial.clone(), ev_finish(reason), DONE.into()].concat());
        assert_eq!(reply, Ok(TurnReply { stop, ..text("I will") }));
    }
}

#[test]
fn a_stream_that_does_not_end_cleanly_gives_no_calls() {
    let whole = [ev_delta(
        json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "del", "arguments": "{}"}}]}),
    )]
    .concat();
    for stream in [
        whole.clone(),
        format!("{whole}data: {{\"choi"),
        format!("{whole}event: error\ndata: {{}}\n\n"),
    ] {
        assert_eq!(
            decoded(&stream).map_err(|e| e.code()),
            Err(Code::ModelReply),
            "{stream}"
        );
    }
}

#[test]
fn an_empty_reply_says_so() {
    for stream in ["", ": ping\n\n", DONE, "data:\n\n"] {
        let message = decoded(stream).expect_err("nothing came").to_string();
        assert!(message.contains("it is empty"), "{message}");
    }
}

#[test]
fn a_call_that_a_proxy_lost_is_not_passed_over() {
    let message = decoded(&[ev_finish("tool_calls"), DONE.into()].concat())
        .expect_err("no call came")
        .to_string();
    assert!(message.contains("holds no call"), "{message}");
}

#[test]
fn errors_inside_the_stream_are_explained() {
    let table = [
        (
            json!({"error": {"message": "overloaded", "code": 503}}),
            Code::ModelBusy,
        ),
        (json!({"error": "the context length is exceeded"}), Code::ModelContext),
        (json!({"detail": "Internal Server Error"}), Code::ModelReply),
        (
            json!({"object": "error", "message": "boom", "code": 500}),
            Code::ModelReply,
        ),
    ];
    for (chunk, code) in table {
        let stream = [ev_delta(json!({"content": "a"})), ev(&chunk)].concat();
        assert_eq!(decoded(&stream).map_err(|e| e.code()), Err(code), "{chunk}");
    }
}

#[test]
fn events_without_a_blank_line_between_them_are_read() {
    let stream = [
        ev_delta(json!({"content": "a"})),
        ev_delta(json!({"content": "b"})),
        ev_finish("stop"),
        DONE.into(),
    ];
    assert_eq!(decoded(&stream.concat().replace("\n\n", "\n")), Ok(text("ab")));
}

#[test]
fn a_server_that_does_not_stream_is_read() {
    let function = json!({"name": "look", "arguments": "{}"});
    let body = json!({"choices": [{"message": {"content": null, "tool_calls": [{"id": "c", "function": function}]}, "finish_reason": "tool_calls"}]});
    let (reply, _) = drive(
        Whole {
            draft: draft(),
            body: Vec::new(),
        },
        &[body.to_string().as_bytes()],
    );
    assert_eq!(reply, Ok(calls(vec![call("c", "look", json!({}))])));
}

#[test]
fn the_request_in_full() {
    let wrong = ModelCall {
        id: "b".into(),
        name: "del".into(),
        arguments: Err("not JSON".into()),
    };
    let request = TurnRequest {
        messages: vec![
            Message::System("s".into()),
            Message::User("u".into()),
            Message::Assistant {
                text: "t".into(),
                calls: vec![call("a", "add", json!({"n": 1})), wrong],
            },
            Message::ToolResult {
                call_id: "a".into(),
                name: "add".into(),
                text: "done".into(),
            },
            Message::ToolResult {
                call_id: "b".into(),
                name: "del".into(),
                text: "told".into(),
            },
        ],
        tools: vec![ToolSpec {
            name: "add".into(),
            description: "Adds.".into(),
            schema: json!({}),
        }],
    };
    let expected = json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": "t", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "add", "arguments": "{\"n\":1}"}},
                {"id": "b", "type": "function", "function": {"name": "del", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "done"},
            {"role": "tool", "tool_call_id": "b", "content": "told"},
        ],
        "tools": [{"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {}}}}],
    });
    assert_eq!(body("m", &request), expected);
    let bare = body("m", &TurnRequest::default());
    assert_eq!(
        bare.get("tools"),
        None,
        "an empty list of tools is refused by some servers"
    );
}

#[test]
fn only_models_that_hold_a_conversation_are_listed_of_openai() {
    assert!(chats("gpt-5-mini") && chats("o4-mini"));
    assert!(!chats("text-embedding-3-small") && !chats("gpt-image-1") && !chats("whisper-1"));
}

fn cut<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    at.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect()
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_reply(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40), crlf: bool) {
        let said = ev_delta(json!({"content": "Größe ☕ "}));
        let stream = said + &llama_cpp();
        let stream = if crlf { stream.replace('\n', "\r\n") } else { stream };
        prop_assert_eq!(decode(&cut(stream.as_bytes(), &cuts)), decode(&[stream.as_bytes()]));
    }

    #[test]
    fn arbitrary_bytes_never_panic(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8)) {
        let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let _ = decode(&chunks);
        let _ = drive(Whole { draft: draft(), body: Vec::new() }, &chunks);
    }

    #[test]
    fn arbitrary_json_never_panics(chunks in prop::collection::vec(json_value(), 0..6)) {
        let _ = decoded(&chunks.iter().map(ev).collect::<String>());
        let deltas = chunks.iter().map(|value| ev_delta(json!({"content": value, "tool_calls": [value], "function_call": value})));
        let _ = decoded(&deltas.collect::<String>());
    }
}

/// JSON with the members a reply has, in places they do not belong.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z{}\"]{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop::sample::select(vec![
            "choices",
            "index",
            "delta",
            "message",
            "content",
            "tool_calls",
            "function",
            "name",
            "arguments",
            "id",
            "error",
            "usage",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4).prop_map(|members| Value::Object(
                members
                    .into_iter()
                    .map(|(k, v)| (k.to_owned(), v))
                    .collect::<Map<_, _>>()
            )),
        ]
    })
}
