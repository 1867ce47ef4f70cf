use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use crate::decimal::Decimal;

pub(super) const MAX_DECIMALS: u64 = 12;

/// How a value is to be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// As it is.
    Text,
    /// A number, or decimal text; with `decimals`, a whole number of so small parts of the unit.
    Number {
        unit: Option<String>,
        decimals: Option<u32>,
    },
    /// A moment or a day.
    Date(DateForm),
    /// One of these values, each with its name.
    Name(Vec<(String, String)>),
}

/// How a date is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DateForm {
    /// RFC 3339, such as `2026-12-01T09:30:00Z`.
    DateTime,
    /// `2026-12-01`.
    Day,
    /// Whole seconds since 1970.
    Seconds,
    /// Whole milliseconds since 1970.
    Milliseconds,
}

impl Form {
    /// The value in words; `None` when it is best read as it is.
    pub(super) fn shown(&self, value: &Value) -> Result<Option<String>, String> {
        match self {
            Self::Text => Ok(None),
            Self::Number { unit, decimals } => number(value, unit.as_deref(), *decimals),
            Self::Date(form) => form.shown(value).map(Some),
            Self::Name(names) => {
                let key = match value {
                    Value::String(text) => text.clone(),
                    Value::Bool(_) | Value::Number(_) => value.to_string(),
                    _ => return Err("is not one value".into()),
                };
                let name = names
                    .iter()
                    .find(|(known, _)| *known == key)
                    .map(|(_, name)| name.clone());
                name.map(Some).ok_or_else(|| "is a value without a name".into())
            }
        }
    }
}

fn number(value: &Value, unit: Option<&str>, decimals: Option<u32>) -> Result<Option<String>, String> {
    let written = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err("is not a number".into()),
    };
    let decimal = Decimal::parse(&written).ok_or("is not a plain decimal number")?;
    let digits = match decimals {
        None => written.trim().to_owned(),
        Some(places) => decimal.shifted(places).ok_or("is not a whole number")?.to_string(),
    };
    Ok(match unit {
        Some(unit) => Some(format!("{digits} {unit}")),
        None => decimals.is_some().then_some(digits),
    })
}

impl DateForm {
    fn shown(self, value: &Value) -> Result<String, String> {
        let moment = |time: Timestamp| time.strftime("%-d %B %Y, %H:%M:%S UTC").to_string();
        match self {
            Self::DateTime => {
                let text = value.as_str().ok_or("is not a date and time as text")?;
                let time: Timestamp = text.parse().map_err(|_| "is not a date and time with a zone")?;
                Ok(moment(time))
            }
            Self::Day => {
                let text = value.as_str().filter(|text| text.len() == 10);
                let day: Option<Date> = text.and_then(|text| text.parse().ok());
                let day = day.ok_or("is not a day such as 2026-12-01")?;
                Ok(day.strftime("%-d %B %Y").to_string())
            }
            Self::Seconds => {
                let time = value.as_i64().and_then(|seconds| Timestamp::from_second(seconds).ok());
                Ok(moment(time.ok_or("is not a whole number of seconds")?))
            }
            Self::Milliseconds => {
                let time = value.as_i64().and_then(|ms| Timestamp::from_millisecond(ms).ok());
                Ok(moment(time.ok_or("is not a whole number of milliseconds")?))
            }
        }
    }
}
