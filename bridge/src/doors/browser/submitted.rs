//! Whether a filled form shows what was released.

use serde_json::{Map, Value};

/// Whether every argument is in the form as it was shown. Both are JSON text; what the form holds besides is the page's own.
pub(super) fn shows(arguments: &str, filled: &str) -> bool {
    let read = |text| serde_json::from_str::<Map<String, Value>>(text);
    let (Ok(arguments), Ok(filled)) = (read(arguments), read(filled)) else {
        return false;
    };
    arguments.iter().all(|(name, shown)| {
        let values = match filled.get(name) {
            None => &[],
            Some(Value::Array(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
        };
        holds(values, shown)
    })
}

fn holds(values: &[Value], shown: &Value) -> bool {
    match shown {
        Value::Array(shown) => {
            values.len() == shown.len() && values.iter().zip(shown).all(|(value, shown)| is(value, shown))
        }
        // A box that is not ticked sends nothing.
        Value::Bool(ticked) => *ticked == (values.len() == 1),
        Value::Null => values.iter().all(|value| *value == ""),
        shown => matches!(values, [value] if is(value, shown)),
    }
}

fn is(value: &Value, shown: &Value) -> bool {
    let Some(value) = value.as_str() else { return false };
    match shown {
        // A form's lines end in its own way.
        Value::String(shown) => lines(value) == lines(shown),
        Value::Number(shown) => value.parse::<f64>().is_ok_and(|value| Some(value) == shown.as_f64()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_shows_its_arguments_and_may_hold_more() {
        let filled = r#"{"pot":"blue","count":"3.50","gift":"on","of":["a","b"],"note":"x\r\ny","token":"t"}"#;
        for arguments in [
            "{}",
            r#"{"pot":"blue","count":3.5,"gift":true,"of":["a","b"],"note":"x\ny"}"#,
            r#"{"wrap":false,"left":null}"#,
        ] {
            assert!(shows(arguments, filled), "{arguments}");
        }
        for arguments in [
            r#"{"pot":"red"}"#,
            r#"{"count":35}"#,
            r#"{"gift":false}"#,
            r#"{"of":["a"]}"#,
            r#"{"of":"a"}"#,
            r#"{"missing":"x"}"#,
            r#"{"pot":{"a":1}}"#,
            "[]",
        ] {
            assert!(!shows(arguments, filled), "{arguments}");
        }
    }
}
