use countersign_contract::Annotations;
use countersign_ledger::sha256_hex;
use serde_json::{Value, json};

use crate::GateError;

/// The member by which a door knows its own calls inside the page.
const RESERVED: &str = "__countersign";

/// The one copy of a call's arguments: RFC 8785 text of a JSON object. Refuses what a page would read as another number.
pub(crate) fn canonical_arguments(arguments: &Value) -> Result<String, GateError> {
    if !arguments.is_object() {
        return Err(GateError::BadArguments {
            why: "they are not a JSON object".into(),
        });
    }
    // The doors mark their own calls with this member: an argument of that name would be taken for the mark.
    if arguments.get(RESERVED).is_some() {
        return Err(GateError::BadArguments {
            why: format!("the member `{RESERVED}` is Countersign's own"),
        });
    }
    countersign_ledger::canonical(arguments).map_err(|error| GateError::BadArguments { why: error.to_string() })
}

/// RFC 8785 text of what a page said, for a digest.
pub(crate) fn canonical(value: &Value) -> String {
    serde_json_canonicalizer::to_string(value).unwrap_or_else(|_| value.to_string())
}

/// SHA-256 of a text's bytes.
pub(crate) fn sha256(text: &str) -> String {
    sha256_hex(text.as_bytes())
}

/// SHA-256 of a tool's whole definition, in canonical form: another digest is another tool.
pub fn definition_digest(
    name: &str,
    title: &str,
    description: &str,
    schema: &Value,
    annotations: &Annotations,
    origin: &str,
) -> String {
    sha256(&canonical(&json!({
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": schema,
        "annotations": annotations,
        "origin": origin,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_get_one_canonical_form() {
        let value: Value = serde_json::from_str(r#"{ "b": 1.50, "a": ["é", null], "B": -0 }"#).unwrap();
        assert_eq!(
            canonical_arguments(&value).unwrap(),
            r#"{"B":0,"a":["é",null],"b":1.5}"#
        );
    }

    #[test]
    fn the_reserved_member_is_refused_as_an_argument() {
        for value in [json!("x"), json!(5), Value::Null] {
            let refused = canonical_arguments(&json!({ "a": 1, "__countersign": value }));
            assert!(matches!(refused, Err(GateError::BadArguments { .. })), "{refused:?}");
        }
        assert!(canonical_arguments(&json!({ "a": { "__countersign": "x" } })).is_ok());
    }

    #[test]
    fn arguments_are_an_object() {
        for value in [json!([]), json!("a"), json!(null), json!(1)] {
            assert_eq!(
                canonical_arguments(&value),
                Err(GateError::BadArguments {
                    why: "they are not a JSON object".into()
                })
            );
        }
    }

    #[test]
    fn a_number_the_page_would_change_is_refused_wherever_it_is() {
        for value in [
            json!({"a": [{"id": 9_007_199_254_740_992_u64}]}),
            json!({"a": -9_007_199_254_740_993_i64}),
        ] {
            assert!(
                matches!(canonical_arguments(&value), Err(GateError::BadArguments { .. })),
                "{value}"
            );
        }
        assert_eq!(
            canonical_arguments(&json!({"a": 9_007_199_254_740_991_u64})).unwrap(),
            r#"{"a":9007199254740991}"#
        );
    }

    #[test]
    fn the_definition_digest_covers_every_part() {
        let hints = Annotations::default();
        let digest = |name, title, description, schema: Value, hints: &Annotations, origin| {
            definition_digest(name, title, description, &schema, hints, origin)
        };
        let base = digest("a", "t", "d", json!({"x": 1}), &hints, "https://a.example");
        let other = Annotations {
            read_only: true,
            ..hints
        };
        let changed = [
            digest("b", "t", "d", json!({"x": 1}), &hints, "https://a.example"),
            digest("a", "u", "d", json!({"x": 1}), &hints, "https://a.example"),
            digest("a", "t", "e", json!({"x": 1}), &hints, "https://a.example"),
            digest("a", "t", "d", json!({"x": 2}), &hints, "https://a.example"),
            digest("a", "t", "d", json!({"x": 1}), &other, "https://a.example"),
            digest("a", "t", "d", json!({"x": 1}), &hints, "https://b.example"),
        ];
        for digest in changed {
            assert_ne!(digest, base);
        }
        assert_eq!(
            base,
            digest("a", "t", "d", json!({"x": 1}), &hints, "https://a.example")
        );
    }
}
