use countersign_contract::{
    Act, Effect, Lasts, NewRule, Pause, Preview, ProposalId, ProposalState, ResumeParams, RevokeRuleParams, RowDraft,
    RowKind, Rule, RuleId, Tool,
};
use countersign_ledger::DurableRow;
use serde_json::json;

use super::Gate;
use crate::entry::{Entry, Phase};
use crate::governor::Source;
use crate::rules::{self, Standing, is_whole, matches, new_rule};
use crate::{At, GateError, rows};

const MAX_MINUTES: u32 = 366 * 24 * 60;

/// A rule that waits for its row to become durable. It is not in force yet.
#[derive(Debug)]
pub struct RuleDraft {
    standing: Standing,
    row: RowDraft,
}

impl RuleDraft {
    /// The row to write.
    pub fn row(&self) -> &RowDraft {
        &self.row
    }
}

impl Gate {
    /// Every rule in force, newest first.
    pub fn rules(&self, at: &At) -> Vec<Rule> {
        let in_force = self.rules.in_force(at);
        in_force.into_iter().map(|standing| standing.rule.clone()).collect()
    }

    /// Whether agents see this tool: it is not hidden, or one use of it is granted.
    pub fn shows(&self, tool: &Tool, at: &At) -> bool {
        let offered = !self.rules.hides(tool, at) || self.rules.grants(tool, |rule| self.on_their_way(rule), at);
        offered && (self.writes_revoked.is_none() || self.classify(tool) == crate::Level::Read)
    }

    /// The rule that was asked for along with the decision on `id`, once that decision stands.
    pub fn rule_along_with(&mut self, id: &ProposalId, at: &At) -> Option<RuleDraft> {
        let entry = self.entries.get_mut(id)?;
        let effect = match entry.phase {
            Phase::Released => Effect::Allow,
            Phase::Ended(ProposalState::Refused { .. }) => Effect::Refuse,
            _ => return None,
        };
        let asked = entry.new_rule.take()?;
        let tool = entry.tool()?.clone();
        let previewed = !matches!(
            entry.preview,
            Preview::Pending | Preview::Unavailable { .. } | Preview::Quoted { .. }
        );
        let (caller, task) = (entry.caller.clone(), entry.task.clone());
        let reason = match &entry.phase {
            Phase::Ended(ProposalState::Refused { reason }) => reason.clone(),
            _ => String::new(),
        };
        let expires_after = asked.minutes.map(|minutes| u64::from(minutes) * 60_000);
        let rule = Rule {
            tool_digest: (effect == Effect::Allow).then(|| tool.digest.clone()),
            arguments: asked.arguments,
            ingress: (effect == Effect::Allow).then_some(caller.ingress),
            client: caller.client.filter(|_| effect == Effect::Allow),
            previewed,
            task: (asked.lasts == Lasts::Task).then_some(task),
            limit: asked.limit,
            expires_at: expires_after.map(|ms| at.utc_after(ms)),
            made_on: Some(id.clone()),
            reason,
            ..new_rule(self.rules.next_id(), effect, &tool, asked.lasts, at)
        };
        let row = rows::rule_made(&rule);
        Some(RuleDraft {
            standing: Standing {
                rule,
                expires_ms: expires_after.map(|ms| at.ms.saturating_add(ms)),
                granted: None,
            },
            row,
        })
    }

    /// Agents are not to see this tool any more. `None` when they do not already.
    pub fn hide(&mut self, tool: &Tool, at: &At) -> Option<RuleDraft> {
        if self.rules.hides(tool, at) {
            return None;
        }
        let rule = new_rule(self.rules.next_id(), Effect::Hide, tool, Lasts::Always, at);
        let row = RowDraft {
            ingress: countersign_contract::Ingress::PanelHand,
            seat: "panel".into(),
            ..rows::rule_made(&rule)
        };
        Some(RuleDraft {
            standing: Standing {
                rule,
                expires_ms: None,
                granted: None,
            },
            row,
        })
    }

    /// The rule's row is durable: from here on it is in force.
    ///
    /// # Errors
    /// [`GateError::WrongRule`] when the row is another one; the rule is not in force then.
    pub fn enforce(&mut self, draft: RuleDraft, row: &DurableRow) -> Result<RuleId, GateError> {
        let id = draft.standing.rule.id.clone();
        if !rows::is_row_of(&draft.row, row.row()) {
            return Err(GateError::WrongRule(id));
        }
        self.rules.add(draft.standing);
        Ok(id)
    }

    /// Ends a rule, or all that allow and refuse. They are out of force at once; the rows say so afterwards.
    ///
    /// # Errors
    /// [`GateError::NoRule`].
    pub fn revoke(&mut self, params: &RevokeRuleParams, at: &At) -> Result<Vec<RowDraft>, GateError> {
        let ids = match &params.rule {
            Some(id) if self.rules.get(id).is_none() => return Err(GateError::NoRule(id.clone())),
            Some(id) => vec![id.clone()],
            None => {
                let ends = |standing: &&Standing| standing.rule.effect != Effect::Hide;
                let in_force = self.rules.in_force(at).into_iter();
                in_force.filter(ends).map(|standing| standing.rule.id.clone()).collect()
            }
        };
        let mut rows = Vec::new();
        for id in ids {
            if let Some(standing) = self.rules.remove(&id) {
                let data =
                    json!({ "rule": id, "effect": standing.rule.effect, "uses": standing.rule.uses.to_string() });
                rows.push(rows::of_panel(RowKind::RuleEnded, data));
            }
        }
        for entry in self.entries.values_mut() {
            let gone = entry
                .by_rule
                .as_ref()
                .is_some_and(|rule| self.rules.get(rule).is_none());
            if gone && entry.phase.is_held() {
                entry.by_rule = None;
                entry.refresh(&mut self.eye, at.ms);
            }
        }
        Ok(rows)
    }

    /// Withdraws every write tool from every agent, or restores them. What is held already still waits for a decision, but no
    /// rule releases it. `None` when it is so already.
    pub fn revoke_writes(&mut self, revoked: bool, at: &At) -> Option<RowDraft> {
        if revoked == self.writes_revoked.is_some() {
            return None;
        }
        self.writes_revoked = revoked.then(|| at.utc.clone());
        self.turned_away.retain(|key| !key.starts_with("writes-revoked"));
        let kind = if revoked {
            RowKind::WritesRevoked
        } else {
            RowKind::WritesRestored
        };
        Some(rows::of_panel(kind, json!({})))
    }

    /// When every write tool was withdrawn; `None` while agents have them.
    pub fn writes_revoked_at(&self) -> Option<String> {
        self.writes_revoked.clone()
    }

    /// Everybody who was stopped for asking without end.
    pub fn paused(&self) -> Vec<Pause> {
        self.governor.paused(|source| {
            let of = |entry: &&Entry| {
                entry.is_recorded()
                    && entry.phase.can_close()
                    && Source::of(&entry.page.origin, &entry.caller) == *source
            };
            u32::try_from(self.entries.values().filter(of).count()).unwrap_or(u32::MAX)
        })
    }

    /// Hears a stopped source again. `None` when it was not stopped.
    pub fn resume(&mut self, params: &ResumeParams) -> Option<RowDraft> {
        let turned_away = self.governor.resume(&params.into())?;
        let mut data = json!({
            "origin": params.origin,
            "ingress": params.ingress,
            "turnedAway": turned_away.to_string(),
        });
        if let Some(client) = &params.client {
            data["client"] = json!(client);
        }
        Some(rows::of_approval(RowKind::Resumed, data))
    }
}

/// Whether a rule may be made along with this decision.
pub(super) fn check(entry: &Entry, asked: &NewRule, effect: Effect) -> Result<(), GateError> {
    let bad = |why: &str| Err(GateError::BadRule { why: why.into() });
    let Act::Tool { arguments, .. } = &entry.act else {
        return bad("a request that was stopped in the browser is decided one by one");
    };
    if effect == Effect::Allow
        && let countersign_contract::Standing::NotOffered { why } = rules::standing(entry)
    {
        return bad(why.trim_end_matches('.'));
    }
    if !is_whole(&asked.arguments) {
        return bad("its pattern names a member twice, or tests a number against something else");
    }
    if !matches(&asked.arguments, arguments, &entry.canonical) {
        return bad("its pattern does not cover the very card it is made on");
    }
    if effect == Effect::Refuse && (asked.limit.is_some() || asked.minutes.is_some()) {
        return bad("a refusing rule has neither a count nor an end");
    }
    if asked.limit == Some(0)
        || asked
            .minutes
            .is_some_and(|minutes| minutes == 0 || minutes > MAX_MINUTES)
    {
        return bad("its count and its minutes must be at least 1, and a year at most");
    }
    Ok(())
}
