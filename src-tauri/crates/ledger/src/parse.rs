use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::LedgerError;
use crate::canonical::MAX_SAFE;

/// Reads JSON that has one meaning only: no member twice in an object, no whole number that would be rounded.
///
/// # Errors
/// Text that is not JSON, a member that stands twice, or a whole number beyond ±(2^53 - 1).
pub fn parse_strict(text: &str) -> Result<Value, LedgerError> {
    let duplicate = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let parsed = Strict(&duplicate)
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    let value = parsed.map_err(|error| match duplicate.take() {
        Some(key) => LedgerError::DuplicateKey { key },
        None => LedgerError::NotJson {
            message: error.to_string(),
        },
    })?;
    match unsafe_literal(text) {
        Some((at, number)) => Err(LedgerError::UnsafeInteger {
            at: format!("byte {at}"),
            number: number.to_owned(),
        }),
        None => Ok(value),
    }
}

/// The first whole number written without point or exponent that is too large. It has to be looked for in the text:
/// parsed, the very large ones are floats like any other.
fn unsafe_literal(text: &str) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => at += string_length(&bytes[at..]),
            b'-' | b'0'..=b'9' => {
                at += bytes[at..]
                    .iter()
                    .take_while(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
                    .count();
                let number = &text[start..at];
                let digits = number.trim_start_matches('-');
                let whole = digits.bytes().all(|b| b.is_ascii_digit());
                if whole && digits.parse::<u64>().map_or(true, |value| value > MAX_SAFE) {
                    return Some((start, number));
                }
            }
            _ => {}
        }
    }
    None
}

/// Up to and with the closing quote.
fn string_length(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    rest.len()
}

struct Strict<'a>(&'a RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Strict(self.0))? {
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if object.contains_key(&key) {
                self.0.replace(Some(key));
                return Err(A::Error::custom("a member stands twice"));
            }
            let member = members.next_value_seed(Strict(self.0))?;
            object.insert(key, member);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_json_reads_as_usual() {
        let text = r#" {"a":[1,-2,0.5,1e3,true,null,"x\"\\","\u00e9"],"b":{"a":{}}} "#;
        assert_eq!(
            parse_strict(text).unwrap(),
            serde_json::from_str::<Value>(text).unwrap()
        );
    }

    #[test]
    fn a_member_that_stands_twice_is_refused_at_any_depth() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"[{"x":{"a":1,"b":2,"a":3}}]"#,
            r#"{"a":1,"\u0061":2}"#,
        ] {
            let Err(LedgerError::DuplicateKey { key }) = parse_strict(text) else {
                panic!("{text} was read")
            };
            assert_eq!(key, "a");
        }
        assert_eq!(parse_strict(r#"{"a":{"a":1}}"#).unwrap(), json!({ "a": { "a": 1 } }));
    }

    #[test]
    fn whole_numbers_that_would_be_rounded_are_refused() {
        for number in [
            "9007199254740992",
            "-9007199254740993",
            "18446744073709551616",
            "-123456789012345678901234567890",
        ] {
            let text = format!(r#"{{"a 1 \" 2":[0,{number}]}}"#);
            let Err(LedgerError::UnsafeInteger { number: found, .. }) = parse_strict(&text) else {
                panic!("{number}")
            };
            assert_eq!(found, number);
        }
        let fine = r#"["9007199254740993",9007199254740991,-9007199254740991,1e300,0.1,"\\"]"#;
        assert!(parse_strict(fine).is_ok());
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in ["", "{", "[1,]", "1 2", "{'a':1}", "NaN", "1e999", "\"\\ud800\""] {
            assert!(
                matches!(parse_strict(text), Err(LedgerError::NotJson { .. })),
                "{text} was read"
            );
        }
    }
}
