use std::collections::HashMap;

use countersign_contract::{Annotations, ArgumentPattern, Effect, Lasts, Moved, Row, RowKind, Rule, RuleId, Tool};
use jiff::Timestamp;
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::{Rules, Standing, is_whole};
use crate::clients::{Clients, Pairings};
use crate::{At, moved};

/// The last definition of a tool that was released.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LastReleased {
    pub digest: String,
    /// Its parts, as the row had them; `None` when no row has them.
    pub definition: Option<Value>,
}

/// What the gate has to know from earlier runs, gathered from the ledger's rows as they are read.
#[derive(Debug, Default)]
pub struct Recall {
    rules: Vec<Result<Rule, Broken>>,
    last_rule: u64,
    pub(crate) released: HashMap<(String, String), LastReleased>,
    pairings: Pairings,
}

/// A rule that cannot be read, and whom it was about as far as that can be.
#[derive(Debug)]
struct Broken {
    id: Option<String>,
    about: Option<(String, String)>,
}

impl Recall {
    /// The kinds of rows it wants to see.
    pub const KINDS: [RowKind; 6] = [
        RowKind::RuleMade,
        RowKind::RuleEnded,
        RowKind::Released,
        RowKind::ClientPaired,
        RowKind::ClientRefused,
        RowKind::ClientUnpaired,
    ];

    /// One row of the ledger; they come in order.
    pub fn see(&mut self, row: &Row) {
        match row.kind {
            RowKind::RuleMade => self.made(&row.data["rule"]),
            RowKind::RuleEnded => self.ended(row.data["rule"].as_str().unwrap_or_default()),
            RowKind::Released => self.was_released(row),
            _ => self.pairings.see(row),
        }
    }

    fn made(&mut self, rule: &Value) {
        let id = rule["id"].as_str();
        if let Some(number) = id.and_then(|id| id.strip_prefix('r')?.parse().ok()) {
            self.last_rule = self.last_rule.max(number);
        }
        let read = read(rule)
            .filter(|rule| is_whole(&rule.arguments) && (rule.effect != Effect::Allow || rule.tool_digest.is_some()));
        let of = |member: &str| Some(rule[member].as_str()?.to_owned());
        self.rules.push(read.ok_or_else(|| Broken {
            id: id.map(Into::into),
            about: of("origin").zip(of("tool")),
        }));
    }

    fn ended(&mut self, id: &str) {
        self.rules.retain(|rule| match rule {
            Ok(rule) => rule.id.0 != id,
            Err(broken) => broken.id.as_deref() != Some(id),
        });
    }

    fn was_released(&mut self, row: &Row) {
        let data = &row.data;
        if let Some(used) = data["byRule"].as_str() {
            let of = |rule: &&mut Rule| rule.id.0 == used;
            if let Some(rule) = self.rules.iter_mut().filter_map(|rule| rule.as_mut().ok()).find(of) {
                rule.uses = rule.uses.saturating_add(1);
                rule.last_used_at = Some(row.at.clone());
            }
        }
        let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
        if let (Some(origin), Some(tool), Some(digest)) = (
            text(&data["page"]["origin"]),
            text(&data["tool"]),
            text(&data["toolDigest"]),
        ) {
            let before = self.released.remove(&(origin.clone(), tool.clone()));
            let definition = match (&data["definition"], before) {
                (Value::Null, Some(before)) if before.digest == digest => before.definition,
                (Value::Null, _) => None,
                (definition, _) => Some(definition.clone()),
            };
            self.released
                .insert((origin, tool), LastReleased { digest, definition });
        }
    }

    /// The rules that outlive a restart, what was released, and the pairings. A rule that cannot be read refuses what it was
    /// about, and where even that cannot be read nothing is allowed by rule.
    pub(crate) fn into_parts(self, at: &At) -> (Rules, HashMap<(String, String), LastReleased>, Clients) {
        let mut unreadable = false;
        let list = self.rules.into_iter().filter_map(|rule| match rule {
            Ok(rule) => (rule.lasts == Lasts::Always).then(|| Standing {
                expires_ms: rule
                    .expires_at
                    .as_deref()
                    .map(|until| at.ms.saturating_add(left(until, at))),
                rule,
                granted: None,
            }),
            Err(broken) => {
                unreadable |= broken.about.is_none();
                let (origin, tool) = broken.about?;
                Some(Standing {
                    rule: refusing(broken.id, origin, tool, at),
                    expires_ms: None,
                    granted: None,
                })
            }
        });
        let list = list.collect();
        let rules = Rules::new(list, self.last_rule, unreadable);
        (rules, self.released, self.pairings.into_clients())
    }
}

/// A rule as a row has it. What its arguments are tested for may be a fraction, which no row can hold: they are text there.
pub(crate) fn written(rule: &Rule) -> Value {
    let mut written = json!(rule);
    written["arguments"] = written["arguments"].to_string().into();
    written
}

fn read(written: &Value) -> Option<Rule> {
    let mut rule = written.clone();
    rule["arguments"] = serde_json::from_str(written["arguments"].as_str()?).ok()?;
    Rule::deserialize(rule).ok()
}

/// Milliseconds until then; none when either time cannot be read.
fn left(until: &str, at: &At) -> u64 {
    let left = until.parse::<Timestamp>().ok().zip(at.utc.parse::<Timestamp>().ok());
    let left = left.map(|(until, now)| until.as_millisecond().saturating_sub(now.as_millisecond()));
    left.and_then(|left| u64::try_from(left).ok()).unwrap_or_default()
}

fn refusing(id: Option<String>, origin: String, tool: String, at: &At) -> Rule {
    Rule {
        id: RuleId(id.unwrap_or_else(|| "unnamed".into())),
        effect: Effect::Refuse,
        origin,
        tool,
        tool_digest: None,
        arguments: ArgumentPattern::Any,
        ingress: None,
        client: None,
        previewed: false,
        lasts: Lasts::Always,
        task: None,
        limit: None,
        uses: 0,
        last_used_at: None,
        made_at: at.utc.clone(),
        expires_at: None,
        made_on: None,
        reason: "The ledger has a rule about this that cannot be read. Revoke it to be asked again.".into(),
    }
}

/// The parts of a definition, as a row has them; `None` when they are too long for one.
pub(crate) fn definition(tool: &Tool) -> Option<Value> {
    const MOST: usize = 16_384;
    let parts = json!({
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema.to_string(),
        "annotations": tool.annotations,
    });
    (parts.to_string().len() <= MOST).then_some(parts)
}

/// What differs between the definition that was released last and this one.
pub(crate) fn definition_moved(last: &LastReleased, now: &Tool) -> Vec<Moved> {
    let before = last.definition.as_ref().and_then(|parts| {
        Some(Tool {
            title: parts["title"].as_str()?.into(),
            description: parts["description"].as_str()?.into(),
            input_schema: serde_json::from_str(parts["inputSchema"].as_str()?).ok()?,
            annotations: Annotations::deserialize(&parts["annotations"]).ok()?,
            digest: last.digest.clone(),
            ..now.clone()
        })
    });
    match before {
        Some(before) => moved::definition(&before, now),
        None => vec![Moved {
            what: "definition".into(),
            before: format!("digest: {}", last.digest),
            after: format!("digest: {}", now.digest),
        }],
    }
}
