use countersign_contract::Code;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Stream, body};
use crate::draft::{Decoder, Draft};
use crate::fault::Who;
use crate::lines::Lines;
use crate::{Delta, Message, ModelCall, ModelError, Stop, ToolSpec, TurnReply, TurnRequest, Usage};

fn decode(chunks: &[&[u8]]) -> (Result<TurnReply, ModelError>, String) {
    let who = Who {
        server: "Ollama".into(),
        model: "m".into(),
        ollama: true,
    };
    let draft = Draft::new(who, &TurnRequest::default());
    let mut decoder = Stream {
        draft,
        lines: Lines::default(),
        seen: false,
        ended: false,
    };
    let mut streamed = String::new();
    let mut sink = |Delta::Text(text): Delta| streamed.push_str(&text);
    let mut failed = None;
    for chunk in chunks {
        match decoder.push(chunk, &mut sink) {
            Ok(false) => {}
            Ok(true) => break,
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    let reply = failed.map_or_else(|| decoder.finish(&mut sink), Err);
    (reply, streamed)
}

fn decoded(lines: &[Value]) -> Result<TurnReply, ModelError> {
    decode(&[stream(lines).as_bytes()]).0
}

fn stream(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn said(message: Value) -> Value {
    json!({"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false})
}

fn done(reason: &str) -> Value {
    json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
        "prompt_eval_count": 229, "eval_count": 22})
}

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

fn reply(text: &str, calls: Vec<ModelCall>, stop: Stop) -> TurnReply {
    TurnReply {
        text: text.into(),
        calls,
        stop,
        usage: Some(Usage { input: 229, output: 22 }),
    }
}

#[test]
fn text_and_whole_calls_are_read() {
    let lines = [
        said(json!({"role": "assistant", "content": "", "thinking": "hm"})),
        said(json!({"role": "assistant", "content": "I look."})),
        said(
            json!({"content": "", "tool_calls": [{"id": "call_t", "function": {"index": 0, "name": "add_item", "arguments": {"name": "Buy milk"}}}]}),
        ),
        done("stop"),
    ];
    let expected = reply(
        "I look.",
        vec![call("call_t", "add_item", json!({"name": "Buy milk"}))],
        Stop::Calls,
    );
    assert_eq!(decoded(&lines), Ok(expected));
}

#[test]
fn calls_without_id_that_share_an_index_stay_apart() {
    for index in [json!(0), json!(null)] {
        let entry = |n: u64| json!({"function": {"index": index, "name": "add", "arguments": {"n": n}}});
        let lines = [
            said(json!({"tool_calls": [entry(1)]})),
            said(json!({"tool_calls": [entry(2)]})),
            done("stop"),
        ];
        let expected = vec![
            call("call_0_1", "add", json!({"n": 1})),
            call("call_0_2", "add", json!({"n": 2})),
        ];
        assert_eq!(decoded(&lines), Ok(reply("", expected, Stop::Calls)));
    }
}

#[test]
fn arguments_as_text_are_read() {
    let lines = [
        said(json!({"tool_calls": [{"id": "a", "function": {"name": "add", "arguments": "{\"n\": 1}"}}]})),
        done("stop"),
    ];
    assert_eq!(
        decoded(&lines),
        Ok(reply("", vec![call("a", "add", json!({"n": 1}))], Stop::Calls))
    );
}

#[test]
fn a_reply_cut_by_length_has_no_calls() {
    let lines = [
        said(json!({"content": "a", "tool_calls": [{"function": {"name": "del", "arguments": {}}}]})),
        done("length"),
    ];
    assert_eq!(decoded(&lines), Ok(reply("a", Vec::new(), Stop::Length)));
}

#[test]
fn a_stream_that_does_not_end_cleanly_gives_no_calls() {
    let called = said(json!({"tool_calls": [{"function": {"name": "del", "arguments": {}}}]}));
    let table = [
        (vec![called.clone()], Code::ModelReply),
        (
            vec![called.clone(), json!({"error": "server busy, please try again"})],
            Code::ModelBusy,
        ),
        (
            vec![called.clone(), json!({"StatusCode": 500, "Status": "boom"})],
            Code::ModelReply,
        ),
        (
            vec![called, json!({"message": "unexpected end of JSON"})],
            Code::ModelReply,
        ),
        (vec![], Code::ModelReply),
    ];
    for (lines, code) in table {
        assert_eq!(decoded(&lines).map_err(|error| error.code()), Err(code), "{lines:?}");
    }
    assert_eq!(
        decode(&[b"not json\n"]).0.map_err(|error| error.code()),
        Err(Code::ModelReply)
    );
}

#[test]
fn the_request_in_full() {
    let request = TurnRequest {
        messages: vec![
            Message::System("s".into()),
            Message::User("u".into()),
            Message::Assistant {
                text: String::new(),
                calls: vec![call("a", "add", json!({"n": 1}))],
            },
            Message::ToolResult {
                call_id: "a".into(),
                name: "add".into(),
                text: "done".into(),
            },
        ],
        tools: vec![ToolSpec {
            name: "add".into(),
            description: "Adds.".into(),
            schema: json!({"properties": {"n": {"type": "integer", "minimum": 1}}}),
        }],
    };
    let parameters = json!({"type": "object", "properties": {"n": {"type": "integer", "description": "(at least 1)"}}});
    let expected = json!({
        "model": "m", "stream": true, "options": {"num_ctx": 32768}, "truncate": false, "shift": false,
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": {"name": "add", "arguments": {"n": 1}}}]},
            {"role": "tool", "tool_name": "add", "tool_call_id": "a", "content": "done"},
        ],
        "tools": [{"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": parameters}}],
    });
    assert_eq!(body("m", &request), expected);
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_reply(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40)) {
        let text = stream(&[
            said(json!({"content": "Größe ☕"})),
            said(json!({"tool_calls": [{"id": "a", "function": {"name": "add", "arguments": {"s": "é"}}}]})),
            done("stop"),
        ]);
        let bytes = text.as_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let chunks: Vec<&[u8]> = at.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
        prop_assert_eq!(decode(&chunks), decode(&[bytes]));
    }

    #[test]
    fn arbitrary_bytes_never_panic(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8)) {
        let _ = decode(&chunks.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}
