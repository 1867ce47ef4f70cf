//! The desk's own tools, which every client has beside those of the pages.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// How long a client waits for a decision when it does not say, in seconds.
pub(super) const WAIT: u64 = 25;
/// The longest it may wait in one call: the usual clients give a call up after a minute.
pub(super) const LONGEST_WAIT: u64 = 50;

pub(super) const CHECK: &str = "check_proposal";
pub(super) const LIST: &str = "list_proposals";
pub(super) const WITHDRAW: &str = "withdraw_proposal";
pub(super) const WAIT_FOR: &str = "wait_for_decision";
pub(super) const PAGES: &str = "list_pages";

pub(super) fn tools() -> Vec<Tool> {
    let proposal = json!({ "type": "string", "description": "The proposal's id, such as p7." });
    let one = json!({ "type": "object", "properties": { "proposal": proposal }, "required": ["proposal"], "additionalProperties": false });
    let none = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    let wait = json!({
        "type": "object",
        "properties": {
            "proposal": proposal,
            "seconds": { "type": "integer", "minimum": 1, "maximum": LONGEST_WAIT, "description": format!("How long to wait at most; {WAIT} when it is not given.") },
        },
        "required": ["proposal"],
        "additionalProperties": false,
    });
    vec![
        reads(
            CHECK,
            "Says how a write stands that you asked for: held, released, carried out, refused with the person's reason, expired and so on.",
            &one,
        ),
        reads(
            LIST,
            "Lists every write that you asked for since Countersign was started, and how each stands.",
            &none,
        ),
        reads(
            PAGES,
            "Lists the open pages with the handle that begins the names of their tools.",
            &none,
        ),
        reads(
            WAIT_FOR,
            "Waits for the person's decision about a write that is held, and says how it stands then. It is still held when nobody has decided by then: call it again, or go on with something else.",
            &wait,
        ),
        takes_back(&one),
    ]
}

fn reads(name: &'static str, description: &'static str, schema: &Value) -> Tool {
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    tool(name, description, schema).with_annotations(annotations)
}

fn takes_back(schema: &Value) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    let description = "Takes a write back that you asked for and that is still held. Nothing runs then.";
    tool(WITHDRAW, description, schema).with_annotations(annotations)
}

fn tool(name: &'static str, description: &'static str, schema: &Value) -> Tool {
    Tool::new(Cow::Borrowed(name), Cow::Borrowed(description), object(schema.clone()))
}

pub(super) fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}
