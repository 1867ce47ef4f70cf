//! The rules in force: who may go without a press, who is turned away, which tools agents do not see. The ledger is where they
//! live: one is in force only once its row is durable, and at the start they are read back from there.

mod offer;
mod pattern;
mod recall;

use countersign_contract::{
    ArgumentPattern, ClientId, Effect, Ingress, Lasts, Preview, ProposalId, Rule, RuleId, Tool,
};
use serde_json::Value;

use crate::At;

pub(crate) use offer::standing;
pub(crate) use pattern::{is_whole, matches};
pub use recall::Recall;
pub(crate) use recall::{LastReleased, definition, definition_moved, written};

/// A rule, and what of it is not for the screens.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub rule: Rule,
    /// When it ends, on the gate's own clock.
    pub expires_ms: Option<u64>,
    /// What was in view when one use was granted; a standing rule has none of this.
    pub granted: Option<Granted>,
}

/// What somebody looked at when they granted one use.
#[derive(Clone, Debug)]
pub(crate) struct Granted {
    pub preview: Preview,
    pub acknowledged: Vec<String>,
}

/// An ask, as far as rules look at it.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub tool: &'a Tool,
    pub arguments: &'a Value,
    pub canonical: &'a str,
    pub ingress: Ingress,
    pub client: Option<&'a ClientId>,
    pub task: &'a str,
}

/// Every rule in force.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    list: Vec<Standing>,
    last: u64,
    /// Rules were found that cannot be read: what they refused is not known, so nothing is allowed by rule.
    unreadable: bool,
}

impl Rules {
    pub fn new(list: Vec<Standing>, last: u64, unreadable: bool) -> Self {
        Self { list, last, unreadable }
    }

    /// A name no rule of this ledger has had.
    pub fn next_id(&mut self) -> RuleId {
        self.last += 1;
        RuleId(format!("r{}", self.last))
    }

    pub fn add(&mut self, standing: Standing) {
        self.list.push(standing);
    }

    pub fn get(&self, id: &RuleId) -> Option<&Standing> {
        self.list.iter().find(|standing| standing.rule.id == *id)
    }

    pub fn remove(&mut self, id: &RuleId) -> Option<Standing> {
        let at = self.list.iter().position(|standing| standing.rule.id == *id)?;
        Some(self.list.remove(at))
    }

    /// Everything in force, newest first.
    pub fn in_force(&self, at: &At) -> Vec<&Standing> {
        let live = self.list.iter().filter(|standing| standing.is_live(at));
        let mut live: Vec<_> = live.collect();
        live.reverse();
        live
    }

    pub fn end_task(&mut self, task: &str) {
        self.list.retain(|standing| standing.rule.task.as_deref() != Some(task));
    }

    pub fn used(&mut self, id: &RuleId, at: &At) {
        if let Some(standing) = self.list.iter_mut().find(|standing| standing.rule.id == *id) {
            standing.rule.uses = standing.rule.uses.saturating_add(1);
            standing.rule.last_used_at = Some(at.utc.clone());
        }
    }

    /// The rule that turns this ask away.
    pub fn refusing(&self, asked: &Asked<'_>, at: &At) -> Option<&Standing> {
        self.list
            .iter()
            .find(|standing| standing.applies(Effect::Refuse, asked, at))
    }

    /// Whether agents see this tool at all.
    pub fn hides(&self, tool: &Tool, at: &At) -> bool {
        self.list
            .iter()
            .any(|standing| standing.rule.effect == Effect::Hide && standing.is_live(at) && standing.is_about(tool))
    }

    /// The rule that would release this ask, if one has a use left; of a hidden tool only a grant of one use does. `taken` says
    /// how many uses of a rule are on their way.
    pub fn allowing(
        &self,
        asked: &Asked<'_>,
        hidden: bool,
        taken: impl Fn(&RuleId) -> u32,
        at: &At,
    ) -> Option<&Standing> {
        if self.unreadable {
            return None;
        }
        self.list.iter().find(|standing| {
            standing.applies(Effect::Allow, asked, at)
                && (!hidden || standing.granted.is_some())
                && standing.has_use_left(taken(&standing.rule.id))
        })
    }

    /// Whether one use of this tool is granted and not on its way yet.
    pub fn grants(&self, tool: &Tool, taken: impl Fn(&RuleId) -> u32, at: &At) -> bool {
        !self.unreadable
            && self.list.iter().any(|standing| {
                standing.granted.is_some()
                    && standing.is_live(at)
                    && standing.is_about(tool)
                    && standing.has_use_left(taken(&standing.rule.id))
            })
    }
}

impl Standing {
    pub fn is_live(&self, at: &At) -> bool {
        let spent = self.rule.limit.is_some_and(|limit| self.rule.uses >= limit);
        !spent && self.expires_ms.is_none_or(|ms| ms > at.ms)
    }

    pub fn has_use_left(&self, taken: u32) -> bool {
        self.rule
            .limit
            .is_none_or(|limit| self.rule.uses.saturating_add(taken) < limit)
    }

    fn applies(&self, effect: Effect, asked: &Asked<'_>, at: &At) -> bool {
        self.rule.effect == effect && self.is_live(at) && self.covers(asked)
    }

    fn is_about(&self, tool: &Tool) -> bool {
        let digest = self.rule.tool_digest.as_ref();
        self.rule.origin == tool.page.origin
            && self.rule.tool == tool.name
            && digest.is_none_or(|digest| *digest == tool.digest)
    }

    pub fn covers(&self, asked: &Asked<'_>) -> bool {
        let theirs = self
            .rule
            .ingress
            .is_none_or(|ingress| same_seat(ingress, asked.ingress) && self.rule.client.as_ref() == asked.client);
        let task = self.rule.lasts != Lasts::Task || self.rule.task.as_deref() == Some(asked.task);
        theirs && task && self.is_about(asked.tool) && matches(&self.rule.arguments, asked.arguments, asked.canonical)
    }
}

/// The panel's model and the panel's hand sit on one seat.
pub(crate) const fn same_seat(one: Ingress, other: Ingress) -> bool {
    const fn seat(ingress: Ingress) -> u8 {
        match ingress {
            Ingress::PanelAgent | Ingress::PanelHand => 0,
            Ingress::McpClient => 1,
            Ingress::Page => 2,
            Ingress::BrowserNetwork => 3,
            Ingress::Approval => 4,
            Ingress::Desk => 5,
            Ingress::Partner => 6,
            Ingress::Presence => 7,
        }
    }
    seat(one) == seat(other)
}

/// A rule about `tool` that has not been used yet.
pub(crate) fn new_rule(id: RuleId, effect: Effect, tool: &Tool, lasts: Lasts, at: &At) -> Rule {
    Rule {
        id,
        effect,
        origin: tool.page.origin.clone(),
        tool: tool.name.clone(),
        tool_digest: None,
        arguments: ArgumentPattern::Any,
        ingress: None,
        client: None,
        previewed: false,
        lasts,
        task: None,
        limit: None,
        uses: 0,
        last_used_at: None,
        made_at: at.utc.clone(),
        expires_at: None,
        made_on: None::<ProposalId>,
        reason: String::new(),
    }
}
