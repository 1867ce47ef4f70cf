use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

use crate::LedgerError;

/// The largest whole number every JSON reader agrees on, 2^53 - 1 (RFC 7493, section 2.2).
pub(crate) const MAX_SAFE: u64 = (1 << 53) - 1;
/// How deep arguments may nest. Less than [`BODY_DEPTH`], so that what was accepted also fits into a row.
pub(crate) const DEPTH: usize = 96;
/// How deep a row's particulars may nest. `serde_json` reads 127 levels back.
pub(crate) const BODY_DEPTH: usize = 120;

/// Canonical JSON (RFC 8785) of a value: members sorted, no blanks, one spelling for every string and number.
///
/// # Errors
/// A number that is printed as a whole one beyond ±(2^53 - 1), or nesting of more than 96 levels.
pub fn canonical(value: &Value) -> Result<String, LedgerError> {
    Rule {
        floats: true,
        depth: DEPTH,
    }
    .check(value)?;
    write(value)
}

/// Canonical JSON of something that goes into a ledger body: as [`canonical`], and no number but whole ones.
///
/// # Errors
/// A float, a whole number beyond ±(2^53 - 1), or nesting of more than 120 levels.
pub fn canonical_strict(value: &Value) -> Result<String, LedgerError> {
    Rule {
        floats: false,
        depth: BODY_DEPTH,
    }
    .check(value)?;
    write(value)
}

/// SHA-256, as 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes).into())
        .iter()
        .map(|&b| char::from(b))
        .collect()
}

/// The 64 digits as bytes, without an allocation.
pub(crate) fn sha256_digits(bytes: &[u8]) -> [u8; 64] {
    hex(&Sha256::digest(bytes).into())
}

fn hex(digest: &[u8; 32]) -> [u8; 64] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = [0; 64];
    for (pair, byte) in out.chunks_exact_mut(2).zip(digest) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    out
}

fn write(value: &Value) -> Result<String, LedgerError> {
    serde_json_canonicalizer::to_string(value).map_err(|error| LedgerError::Stopped(error.to_string()))
}

struct Rule {
    floats: bool,
    depth: usize,
}

enum Broken {
    Float(Number),
    Unsafe(Number),
    Deep,
}

impl Rule {
    fn check(&self, value: &Value) -> Result<(), LedgerError> {
        let mut steps = Vec::new();
        let Err(broken) = self.walk(value, self.depth, &mut steps) else {
            return Ok(());
        };
        let at = if steps.is_empty() {
            "the top".to_owned()
        } else {
            pointer(&steps)
        };
        Err(match broken {
            Broken::Float(number) => LedgerError::Float {
                at,
                number: number.to_string(),
            },
            Broken::Unsafe(number) => LedgerError::UnsafeInteger {
                at,
                number: number.to_string(),
            },
            Broken::Deep => LedgerError::TooDeep { at, limit: self.depth },
        })
    }

    /// On a fault `steps` holds the way to it, innermost first: a value without one costs no allocation.
    fn walk(&self, value: &Value, left: usize, steps: &mut Vec<String>) -> Result<(), Broken> {
        match value {
            Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
            Value::Number(number) => self.number(number),
            Value::Array(_) | Value::Object(_) if left == 0 => Err(Broken::Deep),
            Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| {
                self.walk(item, left - 1, steps)
                    .inspect_err(|_| steps.push(index.to_string()))
            }),
            Value::Object(members) => members.iter().try_for_each(|(key, member)| {
                self.walk(member, left - 1, steps)
                    .inspect_err(|_| steps.push(key.clone()))
            }),
        }
    }

    fn number(&self, number: &Number) -> Result<(), Broken> {
        if let Some(whole) = number.as_i64() {
            return if whole.unsigned_abs() <= MAX_SAFE {
                Ok(())
            } else {
                Err(Broken::Unsafe(number.clone()))
            };
        }
        if number.is_u64() {
            return Err(Broken::Unsafe(number.clone()));
        }
        if !self.floats {
            return Err(Broken::Float(number.clone()));
        }
        // Between 2^53 and 10^21 a float is printed as a whole number, and read back as one that is too large.
        let size = number.as_f64().unwrap_or_default().abs();
        if size > MAX_SAFE as f64 && size < 1e21 {
            Err(Broken::Unsafe(number.clone()))
        } else {
            Ok(())
        }
    }
}

/// RFC 6901.
fn pointer(steps: &[String]) -> String {
    steps.iter().rev().fold(String::new(), |at, step| {
        at + "/" + &step.replace('~', "~0").replace('/', "~1")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_name_their_place() {
        let value = json!({ "cost": { "a/b": [1, 0.5] } });
        let Err(LedgerError::Float { at, number }) = canonical_strict(&value) else {
            panic!("a float went in")
        };
        assert_eq!((at.as_str(), number.as_str()), ("/cost/a~1b/1", "0.5"));
        assert!(canonical(&value).is_ok(), "arguments may hold floats");
    }

    #[test]
    fn whole_numbers_stop_at_two_to_the_53_minus_1() {
        assert_eq!(
            canonical(&json!([9_007_199_254_740_991_u64])).unwrap(),
            "[9007199254740991]"
        );
        assert_eq!(
            canonical(&json!([-9_007_199_254_740_991_i64])).unwrap(),
            "[-9007199254740991]"
        );
        let whole = [
            json!(9_007_199_254_740_992_u64),
            json!(-9_007_199_254_740_992_i64),
            json!(u64::MAX),
            json!(i64::MIN),
        ];
        for value in whole.into_iter().chain([
            json!(1e16),
            json!(-9_007_199_254_740_992.0),
            json!(999_999_999_999_999_900_000.0),
        ]) {
            assert!(
                matches!(canonical(&value), Err(LedgerError::UnsafeInteger { .. })),
                "{value} went through"
            );
        }
    }

    #[test]
    fn nesting_has_a_limit_that_rows_can_hold() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert!(canonical(&nested(DEPTH)).is_ok());
        assert!(matches!(
            canonical(&nested(DEPTH + 1)),
            Err(LedgerError::TooDeep { limit: DEPTH, .. })
        ));
        let text = canonical_strict(&nested(BODY_DEPTH)).unwrap();
        assert!(
            serde_json::from_str::<Value>(&format!("[{text}]")).is_ok(),
            "a body one level deeper reads back"
        );
        assert!(canonical_strict(&nested(BODY_DEPTH + 1)).is_err());
    }

    #[test]
    fn the_empty_digest_is_the_known_one() {
        assert_eq!(
            sha256_hex(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
