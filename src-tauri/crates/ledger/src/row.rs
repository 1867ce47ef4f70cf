use std::borrow::Cow;

use countersign_contract::{Grade, Ingress, Row, RowDraft, RowKind};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::LedgerError;
use crate::canonical::{canonical_strict, sha256_digits};

/// The `prev` of the first row, and the head of an empty ledger.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The longest line there can be, in bytes, with its end. It bounds what a reader has to hold.
pub(crate) const MAX_LINE: usize = 16 << 20;
/// Hash, blank and line end.
pub(crate) const FRAME: usize = 64 + 1 + 1;
const VERSION: u8 = 1;

/// A row that is on the disk. Nothing outside this crate can make one, and it cannot be copied: whoever holds it knows that
/// the row was synced before.
#[derive(Debug)]
pub struct DurableRow {
    row: Row,
}

impl DurableRow {
    pub(crate) const fn new(row: Row) -> Self {
        Self { row }
    }

    /// The row.
    pub const fn row(&self) -> &Row {
        &self.row
    }

    /// The row, when it no longer matters that it is durable.
    pub fn into_row(self) -> Row {
        self.row
    }
}

/// A draft whose particulars have been checked and made canonical; it lacks its place in the chain and its time.
pub(crate) struct Prepared {
    draft: RowDraft,
    /// The body from `,"data":` to before `prev`'s value.
    front: String,
    /// The body from `,"ref":` to before `seq`'s value.
    back: String,
}

impl Prepared {
    pub(crate) fn new(draft: RowDraft) -> Result<Self, LedgerError> {
        let data = canonical_strict(&draft.data)?;
        let front = format!(
            r#","data":{data},"grade":{},"ingress":{},"kind":{},"prev":""#,
            word(draft.ingress.grade())?,
            word(draft.ingress)?,
            word(draft.kind)?
        );
        let reference = draft.reference.as_deref().map_or_else(|| "null".to_owned(), text);
        let back = format!(r#"","ref":{reference},"seat":{},"seq":"#, text(&draft.seat));
        let prepared = Self { draft, front, back };
        // The time, the number and the previous hash come to less than this.
        let bytes = prepared.len() + 256;
        if bytes > MAX_LINE {
            Err(LedgerError::TooLarge { bytes, limit: MAX_LINE })
        } else {
            Ok(prepared)
        }
    }

    /// About how long the line will be, in bytes.
    pub(crate) fn len(&self) -> usize {
        self.front.len() + self.back.len()
    }

    /// Gives the draft its place and writes its line.
    pub(crate) fn seal(self, seq: u64, prev: &str, at: String, out: &mut Vec<u8>) -> Row {
        let Self { draft, front, back } = self;
        let body = format!(r#"{{"at":{}{front}{prev}{back}{seq},"v":{VERSION}}}"#, text(&at));
        let digits = sha256_digits(body.as_bytes());
        out.extend_from_slice(&digits);
        out.push(b' ');
        out.extend_from_slice(body.as_bytes());
        out.push(b'\n');
        Row {
            seq,
            hash: digits.iter().map(|&b| char::from(b)).collect(),
            prev: prev.to_owned(),
            at,
            kind: draft.kind,
            grade: draft.ingress.grade(),
            ingress: draft.ingress,
            seat: draft.seat,
            reference: draft.reference,
            data: draft.data,
        }
    }
}

/// A string as RFC 8785 writes it; `serde_json` escapes strings the same way.
fn text(text: &str) -> String {
    Value::from(text).to_string()
}

fn word(word: impl Serialize) -> Result<String, LedgerError> {
    serde_json::to_string(&word).map_err(|error| LedgerError::Stopped(error.to_string()))
}

/// A body as it is read back, with its particulars as `D`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Body<'a, D> {
    v: u8,
    pub seq: u64,
    #[serde(borrow)]
    pub prev: Cow<'a, str>,
    #[serde(borrow)]
    at: Cow<'a, str>,
    pub kind: RowKind,
    grade: Grade,
    ingress: Ingress,
    #[serde(borrow)]
    seat: Cow<'a, str>,
    #[serde(borrow, rename = "ref", deserialize_with = "present")]
    pub reference: Option<Cow<'a, str>>,
    data: D,
}

/// Without this a body that has no `ref` at all would pass.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(reader: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    Ok(Option::<Text<'a>>::deserialize(reader)?.map(|text| text.0))
}

impl<'a, D: Deserialize<'a>> Body<'a, D> {
    /// Reads a body and checks what its shape alone shows. The error is a sentence without its end.
    pub(crate) fn read(body: &'a str) -> Result<Self, String> {
        let read: Self = serde_json::from_str(body).map_err(|error| brief(&error.to_string()))?;
        if read.v != VERSION {
            return Err(format!(
                "the row is of version {}, and this program reads version {VERSION}",
                read.v
            ));
        }
        if read.grade != read.ingress.grade() {
            return Err(format!(
                "a row that came in by {:?} cannot have the grade {:?}",
                read.ingress, read.grade
            ));
        }
        Ok(read)
    }
}

/// `serde` quotes what it did not expect, however long that is.
fn brief(message: &str) -> String {
    message.chars().take(300).collect()
}

impl Body<'_, Value> {
    /// The row with the hash that stands before it.
    pub(crate) fn into_row(self, hash: &str) -> Row {
        Row {
            seq: self.seq,
            hash: hash.to_owned(),
            prev: self.prev.into_owned(),
            at: self.at.into_owned(),
            kind: self.kind,
            grade: self.grade,
            ingress: self.ingress,
            seat: self.seat.into_owned(),
            reference: self.reference.map(Cow::into_owned),
            data: self.data,
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_contract::{Ingress, RowKind};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::canonical::sha256_hex;
    use crate::recognise::tests::value;

    fn sealed(draft: RowDraft) -> (Row, String) {
        let mut line = Vec::new();
        let row = Prepared::new(draft)
            .unwrap()
            .seal(7, GENESIS, "2027-01-02T03:04:05.678Z".into(), &mut line);
        (row, String::from_utf8(line).unwrap())
    }

    #[test]
    fn a_line_is_the_hash_and_the_canonical_body() {
        let (row, line) = sealed(RowDraft {
            kind: RowKind::Proposed,
            ingress: Ingress::Page,
            seat: "a \"page\"".into(),
            reference: Some("p3".into()),
            data: json!({ "b": 1, "a": ["é", null] }),
        });
        let body = concat!(
            r#"{"at":"2027-01-02T03:04:05.678Z","data":{"a":["é",null],"b":1},"grade":"client-asserted","ingress":"page","#,
            r#""kind":"proposed","prev":"0000000000000000000000000000000000000000000000000000000000000000","ref":"p3","#,
            r#""seat":"a \"page\"","seq":7,"v":1}"#
        );
        assert_eq!(line, format!("{} {body}\n", sha256_hex(body.as_bytes())));
        assert_eq!(row.hash, sha256_hex(body.as_bytes()));
    }

    #[test]
    fn a_missing_reference_is_null_and_must_stand_there() {
        let draft = RowDraft {
            kind: RowKind::Opened,
            ingress: Ingress::Desk,
            seat: "desk".into(),
            reference: None,
            data: Value::Null,
        };
        let (_, line) = sealed(draft);
        let body = line[65..].trim_end();
        assert!(body.contains(r#""ref":null"#));
        assert!(Body::<Value>::read(body).is_ok());
        assert!(Body::<Value>::read(&body.replace(r#""ref":null,"#, "")).is_err());
    }

    #[test]
    fn a_grade_its_ingress_cannot_have_is_not_a_row() {
        let draft = RowDraft {
            kind: RowKind::Read,
            ingress: Ingress::Page,
            seat: "page".into(),
            reference: None,
            data: json!({}),
        };
        let (_, line) = sealed(draft);
        let raised = line[65..].trim_end().replace("client-asserted", "server-observed");
        assert!(Body::<Value>::read(&raised).is_err_and(|message| message.contains("cannot have the grade")));
    }

    proptest! {
        #[test]
        fn what_is_sealed_reads_back_the_same_and_is_canonical(data in value(), seat in ".{0,8}", reference in any::<Option<String>>()) {
            let draft = RowDraft { kind: RowKind::Read, ingress: Ingress::McpClient, seat, reference, data };
            let (row, line) = sealed(draft);
            let body = &line[65..line.len() - 1];
            prop_assert_eq!(canonical_strict(&serde_json::from_str(body).unwrap()).unwrap(), body);
            prop_assert_eq!(Body::<Value>::read(body).unwrap().into_row(&line[..64]), row);
        }
    }
}
