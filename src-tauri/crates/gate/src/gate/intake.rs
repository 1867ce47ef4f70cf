use countersign_contract::{Act, Caller, Ingress, Releases, RowKind, RuleId, Tool};
use serde_json::{Value, json};

use super::Gate;
use super::propose::Bound;
use crate::digest::sha256;
use crate::governor::{Source, Verdict};
use crate::rules::{Asked, LastReleased, definition_moved};
use crate::{Ask, AskedAct, At, GateError, rows};

/// An act that was refused, and in which task: it is not asked again there for long.
pub(crate) type Refusal = (String, String, String);

/// How often the same act may be refused in one task before it is not asked any more.
const REFUSALS: u32 = 2;
const MAX_REFUSALS: usize = 4096;

impl Gate {
    /// Whether an ask is heard at all. What is turned away was not held and has not run.
    pub(super) fn hear(&mut self, ask: &Ask, bound: &Bound, at: &At) -> Result<(), GateError> {
        if ask.caller.ingress == Ingress::McpClient {
            self.admit(ask.caller.client.as_ref())?;
        }
        // The person's own hand is no agent: what it asks for is held as ever.
        let agents = ask.caller.ingress != Ingress::PanelHand;
        if let Some(since) = self.writes_revoked.as_ref().filter(|_| agents) {
            let why = format!("the person withdrew every write tool from agents at {since}; reads still work");
            return Err(self.turn_away(ask, bound, "writes-revoked", why, None, at));
        }
        if let Some((rule, reason)) = self.refusing_rule(ask, bound, at) {
            self.rules.used(&rule, at);
            let why = match reason.trim() {
                "" => format!("the person has refused this for good (rule {rule})"),
                reason => format!("the person has refused this for good (rule {rule}): {reason}"),
            };
            return Err(self.turn_away(ask, bound, "rule", why, Some(rule), at));
        }
        if self.refusals.get(&refusal(&ask.task, &bound.act, &bound.canonical)) >= Some(&REFUSALS) {
            let why =
                format!("this very act was refused {REFUSALS} times in this task, so it is not asked again in it");
            return Err(self.turn_away(ask, bound, "refused-before", why, None, at));
        }
        let source = Source::of(&ask.page.origin, &ask.caller);
        match self.governor.asks(&source, &ask.caller, &self.policy, at) {
            Verdict::Heard => Ok(()),
            Verdict::Stopped { why } => Err(GateError::TurnedAway {
                why: stopped(&why),
                row: None,
            }),
            Verdict::Stops { why } => {
                let mut data = json!({
                    "origin": source.origin,
                    "ingress": source.ingress,
                    "caller": rows::words(&ask.caller.name),
                    "why": why,
                });
                if let Some(client) = source.client {
                    data["client"] = json!(client);
                }
                let row = rows::of_desk(RowKind::Paused, data);
                Err(GateError::TurnedAway {
                    why: stopped(&why),
                    row: Some(Box::new(row)),
                })
            }
        }
    }

    /// The first time somebody is turned away for one reason it is recorded; after that it is only said.
    fn turn_away(
        &mut self,
        ask: &Ask,
        bound: &Bound,
        how: &str,
        why: String,
        rule: Option<RuleId>,
        _at: &At,
    ) -> GateError {
        let key = format!("{how} {} {:?} {}", ask.page.origin, ask.caller.ingress, bound.name());
        let row = self.turned_away.insert(key).then(|| {
            let data = json!({
                "how": how,
                "byRule": rule,
                "origin": ask.page.origin,
                "name": rows::words(&bound.name()),
                "argumentsDigest": sha256(&bound.canonical),
                "caller": rows::words(&ask.caller.name),
                "ingress": ask.caller.ingress,
            });
            Box::new(rows::of_desk(RowKind::TurnedAway, data))
        });
        if self.turned_away.len() > MAX_REFUSALS {
            self.turned_away.clear();
        }
        GateError::TurnedAway { why, row }
    }

    fn refusing_rule(&self, ask: &Ask, bound: &Bound, at: &At) -> Option<(RuleId, String)> {
        let asked = bound.asked(ask)?;
        let standing = self.rules.refusing(&asked, at)?;
        Some((standing.rule.id.clone(), standing.rule.reason.clone()))
    }

    /// The rule that is to release this ask, and whether the tool is there at all for whoever asks.
    pub(super) fn rule_for(&self, ask: &Ask, bound: &Bound, at: &At) -> Result<Option<RuleId>, GateError> {
        if matches!(ask.act, AskedAct::Grant { .. }) {
            return Ok(None);
        }
        let Some(asked) = bound.asked(ask) else {
            return Ok(None);
        };
        let hidden = self.hides_from(ask.caller.ingress, asked.tool, at);
        let rule = self.rules.allowing(&asked, hidden, |rule| self.on_their_way(rule), at);
        let rule = rule.map(|standing| standing.rule.id.clone());
        if hidden && rule.is_none() {
            return Err(GateError::NoSuchTool {
                tool: asked.tool.name.clone(),
            });
        }
        Ok(rule)
    }

    /// Whether this tool is not there for whoever asks this way. Only a grant of one use helps against that.
    pub(super) fn hides_from(&self, ingress: Ingress, tool: &Tool, at: &At) -> bool {
        ingress != Ingress::PanelHand && self.rules.hides(tool, at)
    }

    /// How many open proposals a rule is about to release.
    pub(super) fn on_their_way(&self, rule: &RuleId) -> u32 {
        let of = self.entries.values().filter(|entry| entry.is_on_its_way_by(rule));
        u32::try_from(of.count()).unwrap_or(u32::MAX)
    }

    /// The same act was refused once more in this task.
    pub(super) fn note_refusal(&mut self, task: &str, act: &Act, asked: &str) {
        if self.refusals.len() >= MAX_REFUSALS {
            self.refusals.clear();
        }
        *self.refusals.entry(refusal(task, act, asked)).or_default() += 1;
    }

    /// How `tool` differs from the definition that was last released under its name.
    pub(super) fn redefined(&self, tool: &Tool) -> Vec<countersign_contract::Moved> {
        let key = (tool.page.origin.clone(), tool.name.clone());
        match self.released.get(&key) {
            Some(last) if last.digest != tool.digest => definition_moved(last, tool),
            _ => Vec::new(),
        }
    }

    /// What a release has to record of a tool's definition: nothing when the ledger has it already.
    pub(super) fn definition_to_record(&self, tool: &Tool) -> Option<Value> {
        let key = (tool.page.origin.clone(), tool.name.clone());
        let known = self.released.get(&key).is_some_and(|last| last.digest == tool.digest);
        if known { None } else { crate::rules::definition(tool) }
    }

    /// A tool was released: whoever changes it from here on is shown to have.
    pub(super) fn note_released(&mut self, tool: &Tool) {
        let key = (tool.page.origin.clone(), tool.name.clone());
        let last = LastReleased {
            digest: tool.digest.clone(),
            definition: crate::rules::definition(tool),
        };
        self.released.insert(key, last);
    }

    /// A task is over, and with it the rules that were made for it.
    pub fn end_task(&mut self, task: &str) {
        self.rules.end_task(task);
        self.refusals.retain(|(of, ..), _| of != task);
    }

    /// How long a caller that asks fast is to be kept waiting before its next ask is taken, in milliseconds.
    pub fn slows(&mut self, origin: &str, caller: &Caller, at: &At) -> u64 {
        self.governor.slows(&Source::of(origin, caller), &self.policy, at)
    }
}

fn stopped(why: &str) -> String {
    format!(
        "{} Nothing more is taken from it until the person resumes it in Countersign; what it asked for before still waits",
        why
    )
}

fn refusal(task: &str, act: &Act, asked: &str) -> Refusal {
    let name = match act {
        Act::Tool { tool, .. } => format!("{} {}", tool.page.origin, tool.name),
        Act::Network { request } => format!("{} {}", request.method, request.url),
    };
    (task.to_owned(), name, asked.to_owned())
}

impl Bound {
    fn name(&self) -> String {
        match &self.act {
            Act::Tool { tool, .. } => tool.name.clone(),
            Act::Network { request } => format!("{} {}", request.method, request.url),
        }
    }

    /// As the rules look at it; `None` for a request, which no rule covers.
    fn asked<'a>(&'a self, ask: &'a Ask) -> Option<Asked<'a>> {
        match &self.act {
            Act::Tool { tool, arguments, .. } => Some(Asked {
                tool,
                arguments,
                canonical: &self.canonical,
                ingress: ask.caller.ingress,
                client: ask.caller.client.as_ref(),
                task: &ask.task,
            }),
            Act::Network { .. } => None,
        }
    }

    pub(super) fn releases(ask: &Ask) -> Releases {
        match ask.act {
            AskedAct::Grant { .. } => Releases::OneUse,
            _ => Releases::Run,
        }
    }
}
