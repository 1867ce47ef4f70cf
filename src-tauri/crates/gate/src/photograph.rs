//! What a released write changed, by what reads beside it answered before and after.

use countersign_contract::{Change, Found, Measured, Photographed, Preview, Promise, Shows};
use serde_json::Value;

use crate::diff::{Diff, diff, same};
use crate::digest::sha256;
use crate::preview::words_of;

const MAX_BYTES: usize = 256 * 1024;

/// What one read answered before a write and after it, or why it did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The read's name.
    pub read: String,
    /// Its answer before.
    pub before: Result<String, String>,
    /// Its answer after.
    pub after: Result<String, String>,
}

/// Compares each read's answers with each other, and both with what the preview had promised.
pub(crate) fn measured(shots: &[Shot], promised: &Preview) -> Measured {
    let pairs: Vec<_> = shots.iter().map(|shot| (shot, both(shot))).collect();
    let promised = match promised {
        Preview::Changes(changes) => changes.changes.as_slice(),
        _ => &[],
    };
    let compared = || {
        let read = |(shot, pair): &(&Shot, Result<_, String>)| Some((shot.read.clone(), pair.clone().ok()?));
        pairs.iter().filter_map(read)
    };
    let promise = |change: &Change| Promise {
        promised: change.clone(),
        found: compared()
            .find_map(|(read, (before, after))| found(change, read, &before, &after))
            .unwrap_or(Found::NotTold),
    };
    Measured {
        promises: promised.iter().map(promise).collect(),
        photographs: pairs.into_iter().map(|(shot, pair)| photographed(shot, pair)).collect(),
    }
}

fn photographed(shot: &Shot, pair: Result<(Value, Value), String>) -> Photographed {
    let shows = match pair {
        Err(why) => Shows::NotMeasured { why },
        Ok((before, after)) => {
            let digest = |side: &Result<String, String>| sha256(side.as_deref().unwrap_or_default());
            let Diff { changes, cut } = diff(Some(&before), Some(&after));
            Shows::Compared {
                changes,
                cut,
                before_digest: digest(&shot.before),
                after_digest: digest(&shot.after),
            }
        }
    };
    Photographed {
        read: shot.read.clone(),
        shows,
    }
}

fn both(shot: &Shot) -> Result<(Value, Value), String> {
    let side = |side: &Result<String, String>, when: &str| {
        let text = side.as_ref().map_err(|why| format!("{when} the write, {why}"))?;
        answer(text).map_err(|why| format!("{when} the write, {why}"))
    };
    Ok((side(&shot.before, "Before")?, side(&shot.after, "After")?))
}

/// An answer as a value: JSON, bare or in an MCP result, or else its text.
fn answer(text: &str) -> Result<Value, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("its answer was longer than {} KiB.", MAX_BYTES / 1024));
    }
    let mut said = Value::from(text);
    for _ in 0..4 {
        if said.get("isError") == Some(&Value::Bool(true)) {
            return Err("it answered with an error.".into());
        }
        let Some(words) = words_of(&said) else { break };
        match serde_json::from_str(&words) {
            Ok(inner) => said = inner,
            Err(_) => return Ok(words.into()),
        }
    }
    Ok(said)
}

/// What two answers of one read tell of a promised change; `None` when they do not tell of that place.
fn found(promised: &Change, read: String, before: &Value, after: &Value) -> Option<Found> {
    let leaves = |value| diff(None, Some(value)).changes;
    let (before, after) = (leaves(before), leaves(after));
    let path = the_path(
        &promised.path,
        before.iter().chain(&after).map(|leaf| leaf.path.as_str()),
    )?;
    let at = |leaves: Vec<Change>| leaves.into_iter().find(|leaf| leaf.path == path)?.after;
    let measured = Change {
        path: path.to_owned(),
        before: at(before.clone()),
        after: at(after.clone()),
    };
    let is_same = |one: &Option<Value>, other: &Option<Value>| match (one, other) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    };
    let kept = is_same(&measured.before, &promised.before) && is_same(&measured.after, &promised.after);
    Some(if kept {
        Found::AsPromised { read }
    } else {
        Found::Otherwise { read, measured }
    })
}

/// The path of that name: the very one, or else the only one that ends with it. Where two could be meant, none is.
fn the_path<'a>(wanted: &str, paths: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut ending = Vec::new();
    for path in paths {
        if path == wanted {
            return Some(path);
        }
        let within = path.strip_suffix(wanted);
        if within.is_some_and(|start| start.ends_with('.') || wanted.starts_with('[')) && !ending.contains(&path) {
            ending.push(path);
        }
    }
    match ending.as_slice() {
        [path] => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
