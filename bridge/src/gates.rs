//! Pages that hold their own writes. Such a page answers a call at once, or after its own person has decided, in a form of its own:
//! the call has ended, and the write has not taken place. These forms are known exactly; what only sounds like one of them is
//! taken for an answer like any other.

use serde_json::{Map, Value};

/// A gate that pages or extensions bring along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gatekeeper {
    /// claustrum: writes become proposals that are released in the page.
    Claustrum,
    /// Doorman: approvals for one use, given in the page.
    Doorman,
    /// The extension WebMCP Consent.
    ConsentExtension,
    /// The library `webmcp-consent` in the page.
    ConsentLibrary,
    /// Take Five's question to its host.
    TakeFive,
}

/// What a page's own gate says of a call. Whatever it says, the write has not succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnGate {
    /// Whose form it has.
    pub by: Gatekeeper,
    /// What it says.
    pub says: GateSays,
}

/// How a page's own gate stands to a call, in the page's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateSays {
    /// It waits for somebody at the page; nothing has changed yet, and it may still run.
    Waiting {
        /// The page's own name for what waits, such as `p7`.
        reference: Option<String>,
    },
    /// It was declined: it did not run.
    Declined {
        /// The page's reason, if it gives one.
        reason: Option<String>,
    },
    /// Nobody decided in time: it did not run.
    Expired,
    /// Nobody could be asked: it did not run.
    NotAsked,
    /// It failed on its way through the gate; whether something changed is not said.
    Failed {
        /// The page's reason.
        reason: String,
    },
}

/// What a page's own gate says in the text of a result or an error, or `None` when the text has the form of none.
pub fn own_gate(text: &str) -> Option<OwnGate> {
    match unwrapped(text) {
        Said::Members(members) => claustrum(&members).or_else(|| doorman(&members)),
        Said::Words(words) => sentence(&words),
    }
}

enum Said {
    Members(Map<String, Value>),
    Words(String),
}

/// Takes an answer out of an MCP result and out of JSON text within JSON text.
fn unwrapped(text: &str) -> Said {
    let mut text = text.trim().to_owned();
    for _ in 0..3 {
        match serde_json::from_str(&text) {
            Ok(Value::Object(members)) => match only_text(&members) {
                Some(inner) => inner.trim().clone_into(&mut text),
                None => return Said::Members(members),
            },
            Ok(Value::String(inner)) => inner.trim().clone_into(&mut text),
            _ => break,
        }
    }
    Said::Words(text)
}

/// The text of a result that is one text and nothing else.
fn only_text(members: &Map<String, Value>) -> Option<String> {
    match members.get("content")?.as_array()?.as_slice() {
        [part] if part.get("type")? == "text" => part.get("text")?.as_str().map(str::to_owned),
        _ => None,
    }
}

fn text_of<'a>(members: &'a Map<String, Value>, member: &str) -> Option<&'a str> {
    members.get(member)?.as_str()
}

fn claustrum(members: &Map<String, Value>) -> Option<OwnGate> {
    let reference = text_of(members, "proposal")?;
    let is_held = text_of(members, "status") == Some("held") && text_of(members, "changed") == Some("nothing yet");
    is_held.then(|| OwnGate {
        by: Gatekeeper::Claustrum,
        says: GateSays::Waiting {
            reference: Some(reference.to_owned()),
        },
    })
}

fn doorman(members: &Map<String, Value>) -> Option<OwnGate> {
    let says = match text_of(members, "status")? {
        "pending_human_decision" => {
            let approval = members.get("approval")?.as_object()?;
            let reference = text_of(approval, "id").filter(|id| id.starts_with("approval_"))?;
            if text_of(approval, "status") != Some("pending") {
                return None;
            }
            GateSays::Waiting {
                reference: Some(reference.to_owned()),
            }
        }
        outcome @ ("DENIED" | "ERROR") => {
            let reason = text_of(members, "reason")?.to_owned();
            text_of(members, "tool")?;
            if outcome == "DENIED" {
                GateSays::Declined { reason: Some(reason) }
            } else {
                GateSays::Failed { reason }
            }
        }
        _ => return None,
    };
    Some(OwnGate {
        by: Gatekeeper::Doorman,
        says,
    })
}

/// Sentences that these gates say word for word, at the beginning of what they say.
const BEGINNINGS: [(&str, Gatekeeper, GateSays); 3] = [
    (
        "DECLINED BY OPERATOR. A human reviewed this action in the WebMCP Consent approval queue and declined it.",
        Gatekeeper::ConsentExtension,
        GateSays::Declined { reason: None },
    ),
    (
        "NOT RUN. WebMCP Consent could not reach its approval queue",
        Gatekeeper::ConsentExtension,
        GateSays::NotAsked,
    ),
    (
        "DECLINED — by the host, not by you.",
        Gatekeeper::TakeFive,
        GateSays::Declined { reason: None },
    ),
];

/// What they say word for word and nothing more.
const WHOLE: [(&str, Gatekeeper, GateSays); 3] = [
    (
        "Still held. A person has not decided. Do not retry and do not assume.",
        Gatekeeper::Claustrum,
        GateSays::Waiting { reference: None },
    ),
    (
        "WebMCP Consent: the operator declined this request, so it was never sent.",
        Gatekeeper::ConsentExtension,
        GateSays::Declined { reason: None },
    ),
    (
        "The operator declined this action. Nothing was changed.",
        Gatekeeper::ConsentLibrary,
        GateSays::Declined { reason: None },
    ),
];

fn sentence(words: &str) -> Option<OwnGate> {
    // What was thrown may come with the name of its kind before it.
    let words = words.strip_prefix("Error: ").unwrap_or(words);
    if is_expiry(words) {
        return Some(OwnGate {
            by: Gatekeeper::ConsentLibrary,
            says: GateSays::Expired,
        });
    }
    let begins = BEGINNINGS.iter().find(|(sentence, ..)| words.starts_with(sentence));
    let known = begins.or_else(|| WHOLE.iter().find(|(sentence, ..)| words == *sentence));
    known.map(|(_, by, says)| OwnGate {
        by: *by,
        says: says.clone(),
    })
}

fn is_expiry(words: &str) -> bool {
    let number = words
        .strip_prefix("Proposal PR-")
        .and_then(|rest| rest.strip_suffix(" expired before the operator acted on it."));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
