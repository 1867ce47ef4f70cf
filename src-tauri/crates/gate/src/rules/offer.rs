use countersign_contract::{Act, Releases, Standing, ToolSource};
use serde_json::Value;

use crate::entry::Entry;
use crate::risks;

/// Whether the asks after this card may be allowed along with it. Money, secrets, lies and what the page itself calls
/// consequential are decided one by one.
pub(crate) fn standing(entry: &Entry) -> Standing {
    let why = match &entry.act {
        _ if entry.releases == Releases::OneUse => "A grant of one use is for one use.",
        Act::Network { .. } => "A request that was stopped in the browser is decided one by one.",
        Act::Tool { tool, .. } if tool.annotations.consequential => {
            "The page calls this consequential, so it is decided one by one."
        }
        Act::Tool { .. } if entry.caught_lying => "This tool was caught sending while it said it reads.",
        Act::Tool { tool, .. } if tool.source != ToolSource::Script => {
            "Only tools that page code registers can be allowed: what a form fills in is its page's to change."
        }
        Act::Tool { tool, .. } if is_shared(&tool.page.origin) => {
            "Its page has no origin of its own, so another page could not be told from it."
        }
        Act::Tool { tool, .. } if takes_secrets(&tool.input_schema) => {
            "It takes a secret, so it is decided one by one."
        }
        Act::Tool { .. } if entry.cost().is_some() => "It costs something, so it is decided one by one.",
        Act::Tool { .. } if risks::critical(&entry.risks()).next().is_some() => {
            "It carries a critical risk, so it is decided one by one."
        }
        Act::Tool { .. } => return Standing::Offered,
    };
    Standing::NotOffered { why: why.into() }
}

/// Whether pages that have nothing to do with each other have this origin: sandboxed frames, `data:` pages, files.
fn is_shared(origin: &str) -> bool {
    origin == "null" || origin.starts_with("file:")
}

/// Whether a schema says, anywhere, that it takes what must not be shown.
fn takes_secrets(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.get("format").and_then(Value::as_str) == Some("password")
                || members.get("writeOnly") == Some(&Value::Bool(true))
                || members.values().any(takes_secrets)
        }
        Value::Array(items) => items.iter().any(takes_secrets),
        _ => false,
    }
}
