//! Recognises the canonical form of a ledger body in one pass, without building the value or writing it again. The
//! canonicaliser stays the authority: a property test holds the two against each other.

use crate::canonical::{BODY_DEPTH, MAX_SAFE};

/// `Ok` when the text is exactly what [`canonical_strict`](crate::canonical_strict) would write for the value it holds;
/// otherwise where it first departs from that, in bytes, and how.
pub(crate) fn canonical_form(text: &str) -> Result<(), Departure> {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        at: 0,
    };
    // One level more than the particulars may have: the body itself.
    reader.value(BODY_DEPTH + 1)?;
    if reader.at == text.len() {
        Ok(())
    } else {
        Err(reader.departs("something follows the value"))
    }
}

pub(crate) struct Departure {
    pub at: usize,
    pub how: &'static str,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn departs(&self, how: &'static str) -> Departure {
        Departure { at: self.at, how }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8, how: &'static str) -> Result<(), Departure> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.departs(how))
        }
    }

    fn value(&mut self, left: usize) -> Result<(), Departure> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'{' | b'[') if left == 0 => Err(self.departs("nested too deep")),
            Some(b'{') => self.object(left - 1),
            Some(b'[') => self.array(left - 1),
            Some(b'n') => self.word(b"null"),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            _ => Err(self.departs("a value was expected")),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Departure> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.departs("a value was expected"));
        }
        self.at += word.len();
        Ok(())
    }

    fn array(&mut self, left: usize) -> Result<(), Departure> {
        self.at += 1;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value(left)?;
            if self.peek() != Some(b',') {
                return self.eat(b']', "a comma or the array's end was expected");
            }
            self.at += 1;
        }
    }

    fn object(&mut self, left: usize) -> Result<(), Departure> {
        self.at += 1;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        let mut before: Option<Key<'a>> = None;
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.departs("a member's name was expected"));
            }
            let key = self.string()?;
            if before.is_some_and(|before| !before.sorts_before(&key)) {
                self.at = start;
                return Err(self.departs("members are out of order, or one stands twice"));
            }
            before = Some(key);
            self.eat(b':', "a colon was expected")?;
            self.value(left)?;
            if self.peek() != Some(b',') {
                return self.eat(b'}', "a comma or the object's end was expected");
            }
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<Key<'a>, Departure> {
        self.at += 1;
        let start = self.at;
        let mut plain = true;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    plain = false;
                    self.escape()?;
                }
                Some(0x20..=0x7f) => self.at += 1,
                Some(0x80..) => {
                    plain = false;
                    self.at += 1;
                }
                Some(_) => return Err(self.departs("a control character must be escaped")),
                None => return Err(self.departs("a string has no end")),
            }
        }
        let raw = &self.bytes[start..self.at];
        self.at += 1;
        Ok(Key { raw, plain })
    }

    fn escape(&mut self) -> Result<(), Departure> {
        let rest = &self.bytes[self.at + 1..];
        let length = match rest.first() {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => 1,
            Some(b'u') if control(rest).is_some() => 5,
            _ => return Err(self.departs("an escape that canonical JSON does not use")),
        };
        self.at += 1 + length;
        Ok(())
    }

    fn number(&mut self) -> Result<(), Departure> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let digits = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let first = self.peek();
        let value = self.bytes[self.at..self.at + digits]
            .iter()
            .try_fold(0u64, |value, digit| {
                value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
            });
        self.at += digits;
        let follows = matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        let zero_led = first == Some(b'0') && (digits > 1 || negative);
        if digits == 0 || follows || zero_led || value.is_none_or(|value| value > MAX_SAFE) {
            self.at = start;
            return Err(self.departs("a number that is not a plain whole number within 2^53 - 1"));
        }
        Ok(())
    }
}

/// The control character a `u00xx` stands for, if it has no shorter escape and its digits are lower-case.
fn control(escape: &[u8]) -> Option<u16> {
    let [b'u', b'0', b'0', high @ (b'0' | b'1'), low, ..] = escape else {
        return None;
    };
    let low = match low {
        b'0'..=b'9' => low - b'0',
        b'a'..=b'f' => low - b'a' + 10,
        _ => return None,
    };
    let code = (high - b'0') * 16 + low;
    (!matches!(code, 8 | 9 | 10 | 12 | 13)).then_some(u16::from(code))
}

/// A member's name as it stands between its quotes.
#[derive(Clone, Copy)]
struct Key<'a> {
    raw: &'a [u8],
    /// ASCII without escapes: bytes sort as UTF-16 does.
    plain: bool,
}

impl Key<'_> {
    fn sorts_before(&self, other: &Self) -> bool {
        if self.plain && other.plain {
            self.raw < other.raw
        } else {
            self.utf16() < other.utf16()
        }
    }

    /// RFC 8785, section 3.2.3: names are sorted by their UTF-16 code units.
    fn utf16(&self) -> Vec<u16> {
        let text = String::from_utf8_lossy(self.raw);
        let mut units = Vec::with_capacity(text.len());
        let mut rest = text.chars();
        while let Some(char) = rest.next() {
            if char != '\\' {
                units.extend_from_slice(char.encode_utf16(&mut [0; 2]));
                continue;
            }
            match rest.next() {
                Some('b') => units.push(8),
                Some('t') => units.push(9),
                Some('n') => units.push(10),
                Some('f') => units.push(12),
                Some('r') => units.push(13),
                Some('u') => {
                    let digits: String = rest.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).unwrap_or_default());
                }
                Some(other) => units.extend_from_slice(other.encode_utf16(&mut [0; 2])),
                None => {}
            }
        }
        units
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::{canonical_strict, parse_strict};

    /// What the recogniser must agree with.
    fn by_rewriting(text: &str) -> bool {
        parse_strict(text)
            .and_then(|value| canonical_strict(&value))
            .is_ok_and(|again| again == text)
    }

    fn assert_agrees(text: &str) {
        let recognised = canonical_form(text);
        let how = recognised.as_ref().err().map(|departure| departure.how);
        assert_eq!(recognised.is_ok(), by_rewriting(text), "{text:?}: {how:?}");
    }

    pub(crate) fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-(MAX_SAFE as i64)..=MAX_SAFE as i64).prop_map(Value::from),
            "[\\x00-\\x22\\\\a-c\u{7f}é€😀\u{e000}\u{fb33}]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[\\x08-\\x22\\\\a-cé€😀\u{e000}\u{fb33}]{0,3}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_canonical_text_is_recognised(value in value()) {
            let text = canonical_strict(&value).unwrap();
            prop_assert!(canonical_form(&text).is_ok(), "{}", text);
        }

        #[test]
        fn the_recogniser_agrees_with_rewriting_on_damaged_text(
            value in value(),
            place in any::<prop::sample::Index>(),
            patch in prop::sample::select(vec![
                "", " ", "\"", "\\", ",", ":", "0", "-", "1", ".5", "e1", "\\u0007", "\\u000a", "\\u001F", "\\/", "{", "]",
                "\"a\":1,", "null", "\u{1}", "é", "9007199254740993",
            ]),
            cut in 0_usize..3,
        ) {
            let mut chars: Vec<char> = canonical_strict(&value).unwrap().chars().collect();
            let at = place.index(chars.len() + 1);
            let end = (at + cut).min(chars.len());
            chars.splice(at..end, patch.chars());
            assert_agrees(&chars.into_iter().collect::<String>());
        }
    }

    #[test]
    fn it_agrees_on_the_corners() {
        for text in [
            "0",
            "-0",
            "01",
            "-1",
            "1.0",
            "1e2",
            "9007199254740991",
            "9007199254740992",
            "-9007199254740991",
            "[]",
            "{}",
            "[1,2]",
            "[1, 2]",
            "[1,]",
            r#"{"a":1,"b":2}"#,
            r#"{"b":1,"a":2}"#,
            r#"{"a":1,"a":2}"#,
            r#""\u0061""#,
            r#""\b\t\n\f\r\"\\""#,
            r#""\u0008""#,
            r#""\u001f""#,
            r#""\u001F""#,
            r#""\/""#,
            "\"\u{7f}\"",
            "\"\u{2028}\"",
            r#"{"\n":1," ":2}"#,
            r#"{" ":1,"\n":2}"#,
            "{\"😀\":1,\"\u{fb33}\":2}",
            "{\"\u{fb33}\":1,\"😀\":2}",
            "",
            " 1",
            "1 ",
            "nul",
            "truefalse",
            r#"{"a":1}{"#,
            r#"{"a"}"#,
            r#""open"#,
            r#""\"#,
            r#""\u00"#,
            "-",
            "--1",
        ] {
            assert_agrees(text);
        }
        assert!(by_rewriting(
            &canonical_strict(&json!({ "\u{20ac}": 1, "\r": [2] })).unwrap()
        ));
    }
}
