//! What a browser may say, drawn from bytes: well-formed messages over a handful of names, so that they meet.

use serde_json::{Value, json};

use super::draw::Draw;

const SESSIONS: &[&str] = &["S1", "S2", "S3"];
const FRAMES: &[&str] = &["T1", "T2", "F1"];
const DOCUMENTS: &[&str] = &["D1", "D2", "D3"];
const NAMES: &[&str] = &["buy", "look", "form", "buy.preview"];
const CALLS: &[&str] = &["I1", "I2", "I3", "I4"];
const REQUESTS: &[&str] = &["R1", "R2", "R3"];
const ARGUMENTS: &[&str] = &[
    "{}",
    r#"{"pot":"red"}"#,
    r#"{"pot":"blue","n":1}"#,
    "[]",
    "{",
    r#"{ "n": 1.0 }"#,
];
const METHODS: &[&str] = &["GET", "POST", "PUT", "OPTIONS"];
const ORIGINS: &[&str] = &["http://a", "http://b", "://"];

/// One event of the browser. `tickets` are the nonces a page may have come to know.
pub(super) fn event(draw: &mut Draw<'_>, tickets: &[String]) -> Value {
    let session = draw.pick(SESSIONS);
    let (method, params) = match draw.below(16) {
        0 => return attached(draw, session),
        1 => ("Target.detachedFromTarget", json!({ "sessionId": session })),
        2 | 3 => ("Page.frameNavigated", navigated(draw)),
        4 => frame_changed(draw),
        5 => ("Runtime.executionContextCreated", context(draw)),
        6 => gone(draw),
        7 => ("WebMCP.toolsAdded", json!({ "tools": [tool(draw)] })),
        8 => {
            let removed = json!([{ "name": draw.pick(NAMES), "frameId": draw.pick(FRAMES) }]);
            ("WebMCP.toolsRemoved", json!({ "tools": removed }))
        }
        9 => ("WebMCP.toolInvoked", invoked(draw)),
        10 => ("WebMCP.toolResponded", responded(draw)),
        11 => ("Fetch.requestPaused", paused(draw)),
        12 => other(draw),
        _ => {
            let said = said(draw, tickets).to_string();
            let context = 1 + draw.below(3);
            let called = json!({ "name": "B", "payload": said, "executionContextId": context });
            ("Runtime.bindingCalled", called)
        }
    };
    of(Some(session), method, params)
}

/// A tab that is ready: attached, navigated, with its interceptor and one tool of each kind.
pub(super) fn ready(read_only: bool) -> Vec<Value> {
    let target = json!({ "targetId": "T1", "type": "page", "title": "Shop", "url": "http://a/" });
    let attached = json!({ "sessionId": "S1", "targetInfo": target });
    let frame = json!({ "id": "T1", "loaderId": "D1", "url": "http://a/", "securityOrigin": "http://a" });
    let context = json!({ "id": 1, "name": "W", "auxData": { "frameId": "T1" } });
    let listed = |name: &str, read: bool, node: Option<i64>| {
        json!({ "name": name, "description": name, "inputSchema": {}, "frameId": "T1",
            "annotations": { "readOnly": read }, "backendNodeId": node })
    };
    let tools = [
        listed("buy", read_only, None),
        listed("look", true, None),
        listed("form", false, Some(1)),
    ];
    let page = |said: Value| {
        let called = json!({ "name": "B", "payload": said.to_string(), "executionContextId": 1 });
        of(Some("S1"), "Runtime.bindingCalled", called)
    };
    vec![
        of(None, "Target.attachedToTarget", attached),
        of(Some("S1"), "Page.frameNavigated", json!({ "frame": frame })),
        of(
            Some("S1"),
            "Runtime.executionContextCreated",
            json!({ "context": context }),
        ),
        page(json!({ "type": "hello", "webmcp": true, "url": "http://a/" })),
        page(registered(1, "buy", read_only)),
        page(registered(2, "look", true)),
        of(Some("S1"), "WebMCP.toolsAdded", json!({ "tools": tools })),
    ]
}

fn of(session: Option<&str>, method: &str, params: Value) -> Value {
    let mut event = json!({ "method": method, "params": params });
    if let Some(session) = session {
        event["sessionId"] = session.into();
    }
    event
}

fn attached(draw: &mut Draw<'_>, session: &str) -> Value {
    let kind = draw.pick(&["page", "iframe", "worker", "service_worker"]);
    let opener = draw.flag().then(|| draw.pick(FRAMES));
    let parent = draw.flag().then(|| draw.pick(FRAMES));
    let target = json!({ "targetId": draw.pick(FRAMES), "type": kind, "openerId": opener, "parentFrameId": parent });
    let from = draw.flag().then(|| draw.pick(SESSIONS));
    of(
        from,
        "Target.attachedToTarget",
        json!({ "sessionId": session, "targetInfo": target }),
    )
}

fn navigated(draw: &mut Draw<'_>) -> Value {
    let parent = draw.flag().then(|| draw.pick(FRAMES));
    json!({ "frame": { "id": draw.pick(FRAMES), "parentId": parent, "loaderId": draw.pick(DOCUMENTS),
        "url": "http://a/", "securityOrigin": draw.pick(ORIGINS) } })
}

fn frame_changed(draw: &mut Draw<'_>) -> (&'static str, Value) {
    let frame = draw.pick(FRAMES);
    match draw.below(5) {
        0 => (
            "Page.frameAttached",
            json!({ "frameId": frame, "parentFrameId": draw.pick(FRAMES) }),
        ),
        1 => (
            "Page.frameDetached",
            json!({ "frameId": frame, "reason": draw.pick(&["swap", "remove"]) }),
        ),
        2 => ("Page.frameStartedLoading", json!({ "frameId": frame })),
        3 => ("Page.frameStoppedLoading", json!({ "frameId": frame })),
        _ => (
            "Page.navigatedWithinDocument",
            json!({ "frameId": frame, "url": "http://a/#b" }),
        ),
    }
}

fn context(draw: &mut Draw<'_>) -> Value {
    let name = draw.pick(&["W", "W", "W", "other"]);
    json!({ "context": { "id": 1 + draw.below(3), "name": name, "auxData": { "frameId": draw.pick(FRAMES) } } })
}

fn gone(draw: &mut Draw<'_>) -> (&'static str, Value) {
    match draw.below(4) {
        0 => ("Runtime.executionContextsCleared", json!({})),
        1 => ("Inspector.targetCrashed", json!({})),
        2 => ("Target.targetCrashed", json!({ "targetId": draw.pick(FRAMES) })),
        _ => (
            "Runtime.executionContextDestroyed",
            json!({ "executionContextId": 1 + draw.below(3) }),
        ),
    }
}

fn tool(draw: &mut Draw<'_>) -> Value {
    let node = draw.flag().then(|| draw.below(3));
    json!({ "name": draw.pick(NAMES), "description": draw.pick(&["d", "e"]), "inputSchema": {},
        "frameId": draw.pick(FRAMES), "backendNodeId": node,
        "annotations": { "readOnly": draw.flag(), "consequential": draw.flag(), "autosubmit": draw.flag() } })
}

fn invoked(draw: &mut Draw<'_>) -> Value {
    json!({ "toolName": draw.pick(NAMES), "frameId": draw.pick(FRAMES), "invocationId": draw.pick(CALLS), "input": "{}" })
}

fn responded(draw: &mut Draw<'_>) -> Value {
    let status = draw.pick(&["Completed", "Canceled", "Error"]);
    let output = [json!("done"), json!([]), Value::Null, json!({ "a": 1 })];
    json!({ "invocationId": draw.pick(CALLS), "status": status, "output": output[draw.below(output.len())],
        "errorText": draw.pick(&["", "no"]) })
}

fn paused(draw: &mut Draw<'_>) -> Value {
    let entries = match draw.below(3) {
        0 => json!([]),
        1 => json!([{ "bytes": "YT0x" }]),
        _ => json!([{}, { "bytes": "!" }]),
    };
    let request = json!({ "url": "http://a/buy", "method": draw.pick(METHODS), "headers": { "content-length": "9" },
        "hasPostData": draw.flag(), "postDataEntries": entries });
    json!({ "requestId": draw.pick(REQUESTS), "request": request, "frameId": draw.pick(&["T1", "T2", "F1", ""]),
        "resourceType": "Fetch" })
}

fn other(draw: &mut Draw<'_>) -> (&'static str, Value) {
    let target = json!({ "targetId": draw.pick(FRAMES), "type": "page", "title": "New", "url": "http://a/new" });
    match draw.below(4) {
        0 => ("Target.targetInfoChanged", json!({ "targetInfo": target })),
        1 => ("Page.javascriptDialogOpening", json!({})),
        2 => ("Page.domContentEventFired", json!({})),
        _ => ("Fetch.requestPaused", json!({ "requestId": draw.pick(REQUESTS) })),
    }
}

fn registered(number: usize, name: &str, read_only: bool) -> Value {
    json!({ "type": "registered", "registration": number, "name": name, "title": "", "description": name,
        "inputSchema": "{}", "readOnly": read_only, "consequential": false, "untrustedContent": false })
}

/// What the interceptor says.
fn said(draw: &mut Draw<'_>, tickets: &[String]) -> Value {
    let call = draw.below(4);
    match draw.below(8) {
        0 => json!({ "type": "hello", "webmcp": true, "url": "http://a/" }),
        1 => {
            let mut said = registered(draw.below(4), draw.pick(NAMES), draw.flag());
            said["consequential"] = draw.flag().into();
            said
        }
        2 => json!({ "type": "unregistered", "registration": draw.below(4) }),
        3 => json!({ "type": "withdrawn", "call": call }),
        4 => json!({ "type": "armed", "ticket": ticket(draw, tickets) }),
        5 => json!({ "type": "ended", "call": call, "ok": draw.flag(), "text": "done" }),
        _ => json!({ "type": "ask", "call": call, "registration": draw.below(4), "name": draw.pick(NAMES),
            "arguments": draw.pick(ARGUMENTS), "ticket": ticket(draw, tickets), "fingerprint": {} }),
    }
}

fn ticket(draw: &mut Draw<'_>, tickets: &[String]) -> Option<String> {
    match draw.below(4) {
        0 => None,
        1 => Some("R".into()),
        _ => (!tickets.is_empty()).then(|| tickets[draw.below(tickets.len())].clone()),
    }
}
