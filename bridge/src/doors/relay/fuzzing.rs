//! What a page posts to the relay, and what it answers, as functions of bytes that must not panic.

use serde_json::Value;

use super::calls::Ended;
use super::pushed;
use crate::own_gate;

/// A body of `/tools` or `/result`: what comes of it fits what the desk may be shown, and nothing becomes a read unasked.
pub(crate) fn bodies(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let body = serde_json::from_str::<Value>(&text).unwrap_or_default();
    let _ = Ended::read(&body);
    let Some(tools) = pushed::read(&body) else { return };
    for (name, tool) in tools {
        assert_eq!(name, tool.name, "a tool under another's name");
        let fits = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
        assert!(
            (1..=128).contains(&name.len()) && name.chars().all(fits),
            "{name:?} is no name"
        );
        assert!(tool.input_schema.is_object(), "a schema that is no object");
        let hints = tool.annotations;
        let names = |hint: &str| text.contains(hint) || text.contains('\\');
        assert!(!hints.read_only || names("readOnlyHint"), "a read that never said so");
        assert!(
            !hints.consequential || names("consequentialHint"),
            "grave, and never said so"
        );
    }
}

/// A result's text: what a gate of the page says is found at its beginning or not at all.
pub(crate) fn gates(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let found = own_gate(text);
    assert_eq!(own_gate(&format!(" {text} ")), found, "blanks count");
    assert_eq!(own_gate(&format!("It said: {text}")), None, "found within prose");
}
