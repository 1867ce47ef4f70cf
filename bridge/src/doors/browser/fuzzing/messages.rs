use std::time::Duration;

use serde_json::{Value, json};

use super::super::protocol::Message;
use super::wired::Wired;

/// How much of one input is heard.
const MESSAGES: usize = 200;

/// Messages of a browser, each ended by a zero byte, in any order: no panic, and nothing runs.
pub(super) fn messages(data: &[u8]) {
    let mut wired = Wired::new(Duration::from_secs(3600));
    for part in data.split(|byte| *byte == 0).take(MESSAGES) {
        if let Ok(message) = serde_json::from_slice::<Message>(part) {
            wired.hear(message);
        }
    }
    finish(wired);
}

/// Messages of the interceptor, each ended by a zero byte, in a page with a write, a read and a form: no panic, and nothing runs
/// but reads of the page's own.
pub(super) fn page(data: &[u8]) {
    let mut wired = Wired::new(Duration::from_secs(3600));
    for (session, method, params) in opened() {
        let message = json!({ "method": method, "sessionId": session, "params": params });
        wired.hear(serde_json::from_value(message).expect("an event"));
    }
    for part in data.split(|byte| *byte == 0).take(MESSAGES) {
        let Ok(payload) = std::str::from_utf8(part) else {
            continue;
        };
        let params = json!({ "name": "B", "payload": payload, "executionContextId": 1 });
        let message = json!({ "method": "Runtime.bindingCalled", "sessionId": "S", "params": params });
        wired.hear(serde_json::from_value(message).expect("an event"));
    }
    finish(wired);
}

/// A tab whose document has come, with what the browser lists of it.
fn opened() -> [(Option<&'static str>, &'static str, Value); 4] {
    let tool = |name: &str, read: bool, node: Option<i64>| {
        json!({ "name": name, "description": name, "inputSchema": { "type": "object" }, "frameId": "T",
            "annotations": { "readOnly": read }, "backendNodeId": node })
    };
    let target = json!({ "targetId": "T", "type": "page", "title": "Shop", "url": "http://a/" });
    let frame = json!({ "id": "T", "loaderId": "D", "url": "http://a/", "securityOrigin": "http://a" });
    let context = json!({ "id": 1, "name": "W", "auxData": { "frameId": "T" } });
    let tools = [
        tool("buy", false, None),
        tool("look", true, None),
        tool("form", false, Some(7)),
    ];
    [
        (
            None,
            "Target.attachedToTarget",
            json!({ "sessionId": "S", "targetInfo": target }),
        ),
        (Some("S"), "Page.frameNavigated", json!({ "frame": frame })),
        (
            Some("S"),
            "Runtime.executionContextCreated",
            json!({ "context": context }),
        ),
        (Some("S"), "WebMCP.toolsAdded", json!({ "tools": tools })),
    ]
}

fn finish(mut wired: Wired) {
    wired.time_passes();
    wired.time_passes();
    wired.end();
}
