use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_contract::{Fingerprint, HeldRef, NetworkRequest};
use serde_json::json;

use super::protocol::{Request, RequestPaused};
use super::scope::HeldFor;
use super::state::{Frame, Held, State};
use crate::DoorEvent;

/// A request this long after a click is no longer put down to it.
const CLICKED: Duration = Duration::from_secs(1);

impl State {
    /// Every request of the browser comes through here before it is sent.
    pub fn request_paused(&mut self, paused: RequestPaused) {
        // A browser gives every pause a name of its own. Under one that came twice, leave for the one would let the other go.
        if let Some(held) = self.held_request(&paused.request_id) {
            self.drop_held(&held);
            return self.report(DoorEvent::Withdrawn { held });
        }
        let Some(HeldFor { tool, is_its_own }) = self.held_for(&paused) else {
            return self.send(
                None,
                "Fetch.continueRequest",
                &json!({ "requestId": paused.request_id }),
            );
        };
        let frame = self.frames.get(&paused.frame_id);
        let fingerprint = frame.and_then(clicked).cloned().unwrap_or_default();
        let page = frame.map_or_else(|| tool.page.clone(), |frame| self.page_ref(&paused.frame_id, frame));
        let (body, body_bytes) = body(&paused.request);
        let request = NetworkRequest {
            method: paused.request.method,
            url: paused.request.url + &paused.request.url_fragment,
            body,
            body_bytes,
            resource: paused.resource_type,
            during: Some(tool.name.clone()),
        };
        let held = HeldRef(format!("request-{}", self.number()));
        let waiting = Held::Request {
            request_id: paused.request_id,
            page: Box::new(page.clone()),
            request: Box::new(request.clone()),
        };
        self.held.insert(held.clone(), waiting);
        if is_its_own {
            self.caught_lying(&tool);
        }
        self.report(DoorEvent::Network {
            held,
            page,
            tool: is_its_own.then(|| Box::new(tool)),
            request,
            fingerprint: Box::new(fingerprint),
        });
    }

    fn held_request(&self, id: &str) -> Option<HeldRef> {
        let mut held = self.held.iter();
        held.find(|(_, held)| matches!(held, Held::Request { request_id, .. } if request_id == id))
            .map(|(held, _)| held.clone())
    }
}

/// What a person clicked in a frame just before, if they did.
pub(super) fn clicked(frame: &Frame) -> Option<&Fingerprint> {
    let click = frame.page.as_ref().and_then(|page| page.click.as_ref());
    let (_, fingerprint) = click.filter(|(when, _)| when.elapsed() < CLICKED)?;
    Some(fingerprint)
}

/// Whether a request only asks for something, by its method.
pub(super) fn changes_nothing(method: &str) -> bool {
    ["GET", "HEAD", "OPTIONS"]
        .iter()
        .any(|safe| method.eq_ignore_ascii_case(safe))
}

/// The body as text, if it is text and the browser shows it, and its length in bytes as far as the browser shows it.
fn body(request: &Request) -> (Option<String>, u64) {
    let mut bytes = Vec::new();
    let mut whole = true;
    for entry in &request.post_data_entries {
        match entry.bytes.as_deref().map(|text| STANDARD.decode(text)) {
            Some(Ok(part)) => bytes.extend(part),
            // A file or a blob: the browser names it and keeps its bytes to itself.
            Some(Err(_)) | None => whole = false,
        }
    }
    if request.post_data_entries.is_empty() {
        let length = request.post_data.as_ref().map_or(0, String::len) as u64;
        let unseen = if length == 0 { unseen_length(request) } else { 0 };
        return (request.post_data.clone(), length.max(unseen));
    }
    let length = bytes.len() as u64;
    let length = if whole {
        length
    } else {
        length.max(unseen_length(request))
    };
    let text = String::from_utf8(bytes).ok().filter(|_| whole && request.has_post_data);
    (text, length)
}

/// The length of a body that the browser does not show: what the request says of it, or 1, so that it does not pass for none.
fn unseen_length(request: &Request) -> u64 {
    let said = request
        .header("content-length")
        .and_then(|value| value.trim().parse().ok());
    said.unwrap_or(u64::from(request.has_post_data))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(value: Value) -> (Option<String>, u64) {
        body(&serde_json::from_value(value).unwrap())
    }

    #[test]
    fn a_body_is_shown_only_when_it_is_whole_and_text() {
        let entries = |list: Value| json!({"url": "u", "method": "POST", "hasPostData": true, "postDataEntries": list});
        assert_eq!(
            of(entries(json!([{"bytes": "YT0x"}, {"bytes": "JmI9w6k="}]))),
            (Some("a=1&b=é".into()), 8)
        );
        assert_eq!(of(entries(json!([{"bytes": "//4="}]))), (None, 2));
        assert_eq!(of(entries(json!([{"bytes": "YT0x"}, {}]))), (None, 3));
        assert_eq!(of(json!({"url": "u", "method": "POST"})), (None, 0));
        let unseen = |headers: Value| json!({"url": "u", "method": "POST", "hasPostData": true, "headers": headers});
        assert_eq!(of(unseen(json!({}))), (None, 1));
        assert_eq!(of(unseen(json!({"Content-Length": "12"}))), (None, 12));
    }

    #[test]
    fn only_three_methods_pass_a_guard() {
        assert!(changes_nothing("get") && changes_nothing("HEAD") && changes_nothing("OPTIONS"));
        assert!(!changes_nothing("POST") && !changes_nothing("QUERY") && !changes_nothing("GETX"));
    }
}
