use countersign_contract::{Annotations, Preview};
use countersign_gate::{At, definition_digest, read_preview};
use serde_json::{Map, Value};

use super::super::submitted::shows;

/// The answer of a companion preview: no panic, and what cannot be read is never taken for "nothing changes" or for a price.
pub(super) fn preview(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let at = At::new(1, "2026-01-01T00:00:00.000Z");
    let preview = read_preview(text, &at);
    assert_eq!(read_preview(text, &at), preview, "read twice, it differs");
    if !matches!(preview, Preview::Unavailable { .. }) {
        assert!(
            serde_json::from_str::<Value>(text).is_ok(),
            "read from what is not JSON"
        );
    }
    assert_ne!(preview, Preview::Pending, "an answer is not pending");
    serde_json::to_string(&preview).expect("a preview can be shown");
}

/// Canonical JSON: what is read strictly has one form, which reads back as the same value and has itself for its form.
pub(super) fn canonical(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(value) = countersign_ledger::parse_strict(text) else {
        return;
    };
    let plain = serde_json::from_str::<Value>(text).expect("strict JSON is JSON");
    assert_eq!(plain, value, "two readers, two values");
    let _ = countersign_ledger::canonical_strict(&value);
    let Ok(form) = countersign_ledger::canonical(&value) else {
        return;
    };
    let again = countersign_ledger::parse_strict(&form).expect("a canonical form reads strictly");
    let twice = countersign_ledger::canonical(&again).expect("and has a form");
    assert_eq!(twice, form, "the form of the form is another");
}

/// A tool's definition: any schema has a digest, the order of its members makes no difference, and another name another one.
pub(super) fn definition(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(schema) = serde_json::from_str::<Value>(text) else {
        return;
    };
    let digest = |name: &str, schema: &Value| {
        let hints = Annotations::default();
        definition_digest(name, "Title", "Description", schema, &hints, "https://shop.example")
    };
    let once = digest("buy", &schema);
    assert_eq!(digest("buy", &turned(&schema)), once, "the order of members counts");
    assert_ne!(digest("bay", &schema), once, "the name does not count");
    let deeper = Value::Array(vec![schema.clone()]);
    assert_ne!(digest("buy", &deeper), once, "the schema does not count");
}

/// The same value with the members of every object in the other order.
fn turned(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(turned).collect()),
        Value::Object(members) => {
            let mut other = Map::new();
            for (key, member) in members.iter().rev() {
                other.insert(key.clone(), turned(member));
            }
            Value::Object(other)
        }
        other => other.clone(),
    }
}

/// What a form holds against what was shown, as two JSON texts with a zero byte between them.
pub(super) fn filled(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (arguments, filled) = text.split_once('\0').unwrap_or((text, ""));
    if shows(arguments, filled) {
        let read = |text| serde_json::from_str::<Map<String, Value>>(text);
        let arguments = read(arguments).expect("what is shown is an object");
        let filled = read(filled).expect("what is filled in is an object");
        for (name, shown) in &arguments {
            let nothing = shown.is_null() || *shown == false || *shown == Value::Array(Vec::new());
            assert!(
                nothing || filled.contains_key(name),
                "{name} was shown and is not filled in"
            );
        }
    }
}
