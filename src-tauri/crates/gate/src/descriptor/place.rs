use serde_json::Value;

use crate::diff::member;

pub(super) const MAX_STEPS: usize = 8;
const MAX_POINTER: usize = 200;
/// One pattern with `*` names at most so many members.
pub(super) const MAX_PLACES: usize = 200;

/// Which members are meant: a JSON pointer (RFC 6901) in which the step `*` stands for every item or member.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    steps: Vec<String>,
    text: String,
}

/// A member that a pattern fits.
pub(super) struct Place<'a> {
    pub pointer: String,
    /// The same as the path of a change.
    pub path: String,
    pub value: &'a Value,
}

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_POINTER {
            return Err(format!("is longer than {MAX_POINTER} bytes"));
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err("is not a JSON pointer: it must begin with “/”".into());
        };
        let steps = rest.split('/').map(unescaped).collect::<Option<Vec<_>>>();
        let steps = steps.ok_or("is not a JSON pointer: “~” stands only before 0 or 1")?;
        if steps.len() > MAX_STEPS {
            return Err(format!("goes deeper than {MAX_STEPS} members"));
        }
        let text = text.to_owned();
        Ok(Self { steps, text })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The members of `value` that it fits, in their order; no more than [`MAX_PLACES`].
    pub(super) fn places<'a>(&self, value: &'a Value) -> Vec<Place<'a>> {
        let mut found = vec![Place {
            pointer: String::new(),
            path: String::new(),
            value,
        }];
        for step in &self.steps {
            found = found
                .iter()
                .flat_map(|place| place.step(step))
                .take(MAX_PLACES)
                .collect();
        }
        found
    }

    /// Whether a JSON Schema leaves room for such a member. One that says nothing of it leaves room.
    pub(super) fn is_in(&self, schema: &Value) -> bool {
        let mut at = schema;
        for step in &self.steps {
            let next = match (at.get("properties"), at.get("items")) {
                (Some(Value::Object(properties)), _) if step == "*" => properties.values().next(),
                (Some(Value::Object(properties)), _) => match properties.get(step) {
                    Some(next) => Some(next),
                    None => return false,
                },
                (_, Some(items)) if items.is_object() => Some(items),
                _ => None,
            };
            let Some(next) = next else { return true };
            at = next;
        }
        true
    }
}

impl<'a> Place<'a> {
    fn step(&self, step: &str) -> Vec<Self> {
        let item = |index: usize, value: &'a Value| Self {
            pointer: format!("{}/{index}", self.pointer),
            path: format!("{}[{index}]", self.path),
            value,
        };
        let named = |name: &str, value: &'a Value| Self {
            pointer: format!("{}/{}", self.pointer, escaped(name)),
            path: member(&self.path, name),
            value,
        };
        match (self.value, step) {
            (Value::Array(items), "*") => items.iter().enumerate().map(|(at, value)| item(at, value)).collect(),
            (Value::Object(members), "*") => members.iter().map(|(name, value)| named(name, value)).collect(),
            (Value::Array(items), _) => index(step)
                .and_then(|at| items.get(at).map(|value| item(at, value)))
                .into_iter()
                .collect(),
            (Value::Object(members), _) => members.get(step).map(|value| named(step, value)).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// An index as RFC 6901 writes it: digits without a leading zero.
fn index(step: &str) -> Option<usize> {
    let digits = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    (digits && (step == "0" || !step.starts_with('0')))
        .then(|| step.parse().ok())
        .flatten()
}

pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn unescaped(step: &str) -> Option<String> {
    let bad = step.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
    (!bad).then(|| step.replace("~1", "/").replace("~0", "~"))
}
