use countersign_contract::wire::{PreviewAnswer, PreviewRisk};
use countersign_contract::{Changes, Cost, Grade, Preview, Risk, RiskLevel};
use serde_json::Value;

use crate::diff::{diff, same};
use crate::digest::{canonical, sha256};
use crate::{At, cost};

const MAX_BYTES: usize = 256 * 1024;
const MAX_RISKS: usize = 20;
/// Lines in the page's words are cut to this.
const MAX_CHARS: usize = 500;

/// The id of the note that not every difference is listed.
pub(crate) const CUT: &str = "preview.cut";

/// What a companion preview answered: [`PreviewAnswer`] as JSON text, bare or in an MCP result. What cannot be read is
/// `Unavailable` and says why; it is never taken for "nothing changes" or "costs nothing".
pub fn read_preview(text: &str, at: &At) -> Preview {
    read(text, at).unwrap_or_else(|why| Preview::Unavailable { why })
}

fn read(text: &str, at: &At) -> Result<Preview, String> {
    if text.len() > MAX_BYTES {
        return Err(format!(
            "The page's preview is longer than {} KiB, too long to be read.",
            MAX_BYTES / 1024
        ));
    }
    let said = unwrapped(text)?;
    let digest = sha256(&canonical(&said));
    let answer: PreviewAnswer = serde_json::from_value(tidied(said))
        .map_err(|error| format!("The page's preview is not in the agreed form: {error}."))?;
    if let Some(message) = answer.fails.filter(|message| !message.trim().is_empty()) {
        return Ok(Preview::WouldFail {
            message: shortened(&message),
            at: at.utc.clone(),
        });
    }
    let cost = cost::quoted(answer.cost, at);
    let mut risks = named(&answer.risks);
    let (before, after) = (there(&answer.before), there(&answer.after));
    let stateless = before.is_none() && after.is_none();
    if stateless {
        if cost == Cost::default() && answer.summary.is_none() && risks.is_empty() {
            return Err("The page's preview says neither what would change nor what it would cost.".into());
        }
        risks.push(seen(
            "preview.no-state",
            "The page did not show what would change: there is no before and after.",
        ));
    } else if risks.is_empty() && same(&answer.before, &answer.after) {
        return Ok(Preview::NoChange {
            cost,
            at: at.utc.clone(),
        });
    }
    let diff = diff(before, after);
    if diff.cut > 0 {
        let text = format!(
            "{} more differences are not listed; the whole before and after have them.",
            diff.cut
        );
        risks.push(seen(CUT, &text));
    }
    Ok(Preview::Changes(Box::new(Changes {
        summary: answer.summary.as_deref().map(shortened),
        changes: diff.changes,
        before: answer.before,
        after: answer.after,
        cost,
        risks,
        descriptor: answer.descriptor,
        digest,
        at: at.utc.clone(),
    })))
}

/// Takes the answer out of an MCP result or out of JSON text within JSON text.
pub(crate) fn unwrapped(text: &str) -> Result<Value, String> {
    let mut said: Value =
        serde_json::from_str(text).map_err(|_| "The page's preview is not JSON, so it cannot be read.".to_owned())?;
    for _ in 0..3 {
        let is_preview = said.get("before").is_some() || said.get("after").is_some();
        let inner = if is_preview { None } else { words_of(&said) };
        if !is_preview && said.get("isError") == Some(&Value::Bool(true)) {
            return Err(format!(
                "The page's preview failed: {}",
                shortened(&inner.unwrap_or_default())
            ));
        }
        let Some(inner) = inner else { break };
        said = serde_json::from_str(&inner).map_err(|_| {
            format!(
                "The page's preview is not JSON, so it cannot be read: {}",
                shortened(&inner)
            )
        })?;
    }
    if said.is_object() {
        Ok(said)
    } else {
        Err("The page's preview is not a JSON object, so it cannot be read.".into())
    }
}

/// The text within: that of a JSON text, or of the parts of an MCP result.
pub(crate) fn words_of(said: &Value) -> Option<String> {
    match said {
        Value::String(text) => Some(text.clone()),
        Value::Object(members) => {
            let parts = members.get("content")?.as_array()?.iter();
            Some(parts.filter_map(|part| part.get("text")?.as_str()).collect())
        }
        _ => None,
    }
}

/// Members that are `null` count as left out, and amounts may be written as numbers.
fn tidied(mut said: Value) -> Value {
    if let Some(members) = said.as_object_mut() {
        members.retain(|_, value| !value.is_null());
        if let Some(fails) = members.get_mut("fails").filter(|fails| fails.is_boolean()) {
            *fails = if *fails == true {
                "The page gave no reason.".into()
            } else {
                Value::Null
            };
        }
        if let Some(cost) = members.get_mut("cost").and_then(Value::as_object_mut) {
            cost.retain(|_, value| !value.is_null());
            cost.get_mut("tolerance").into_iter().for_each(as_text);
            for item in cost
                .get_mut("items")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                if let Some(item) = item.as_object_mut() {
                    item.retain(|_, value| !value.is_null());
                    item.get_mut("amount").into_iter().for_each(as_text);
                    item.get_mut("of").into_iter().for_each(as_text);
                }
            }
        }
    }
    said
}

fn as_text(value: &mut Value) {
    if value.is_number() {
        *value = value.to_string().into();
    }
}

fn there(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}

fn named(risks: &[PreviewRisk]) -> Vec<Risk> {
    let level = |risk: &PreviewRisk| match risk.level.as_str() {
        "note" => RiskLevel::Note,
        "critical" => RiskLevel::Critical,
        _ => RiskLevel::Caution,
    };
    let mut named: Vec<Risk> = risks
        .iter()
        .take(MAX_RISKS)
        .zip(1..)
        .map(|(risk, number)| Risk {
            id: format!("page.{number}"),
            level: level(risk),
            text: if risk.text.trim().is_empty() {
                "The page gave no words.".into()
            } else {
                shortened(&risk.text)
            },
            grade: Grade::ClientAsserted,
        })
        .collect();
    if let Some(level) = risks.iter().skip(MAX_RISKS).map(level).max() {
        let text = format!(
            "The page named {} more risks, too many to list.",
            risks.len() - MAX_RISKS
        );
        named.push(Risk {
            id: "page.more".into(),
            level,
            text,
            grade: Grade::ClientAsserted,
        });
    }
    named
}

fn seen(id: &str, text: &str) -> Risk {
    Risk {
        id: id.into(),
        level: RiskLevel::Caution,
        text: text.into(),
        grade: Grade::ServerObserved,
    }
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
