use countersign_contract::{
    Act, ArgumentPattern, Arming, Effect, HeldRef, Lasts, Moved, Preview, ProposalId, ProposalState, ReleaseParams,
    Releases, RowDraft, RowKind, Rule, RuleId, Tool,
};
use countersign_ledger::DurableRow;
use serde_json::{Value, json};

use super::{Gate, not_held, standing};
use crate::entry::{Entry, Phase, preview_digest};
use crate::rules::{self, Asked, Granted, Standing};
use crate::{At, GateError, Target, Ticket, moved, risks, rows};

/// A press of release that the gate accepted. It lets nothing run yet: the page has to be asked again first.
#[derive(Debug)]
pub struct Press {
    id: ProposalId,
    press: u64,
    by: By,
    tool: Option<Box<Tool>>,
    canonical: String,
    runs: bool,
}

/// What pressed.
#[derive(Debug)]
enum By {
    /// A press in the approval window, after the card had been in view that long.
    Window { params: ReleaseParams, seen_ms: u64 },
    /// A rule.
    Rule { rule: RuleId, digest: String },
}

impl By {
    fn card_digest(&self) -> &str {
        match self {
            Self::Window { params, .. } => &params.digest,
            Self::Rule { digest, .. } => digest,
        }
    }
}

impl Press {
    /// The proposal.
    pub fn id(&self) -> &ProposalId {
        &self.id
    }

    /// The tool whose definition has to be looked up again; `None` for a paused request, which needs no re-check.
    pub fn tool(&self) -> Option<&Tool> {
        self.tool.as_deref()
    }

    /// Whether releasing it runs it; a grant of one use runs nothing.
    pub fn runs(&self) -> bool {
        self.runs
    }

    /// What would run, in canonical form: what the companion is asked with.
    pub fn arguments(&self) -> &str {
        &self.canonical
    }
}

/// A release that passed its re-check and waits for its row to become durable.
#[derive(Debug)]
pub struct ReleaseDraft {
    id: ProposalId,
    press: u64,
    row: RowDraft,
    grant: Option<Standing>,
}

impl ReleaseDraft {
    /// Nothing runs: one use is granted. Its row goes to [`Gate::grant`] and not to [`Gate::release`].
    pub fn is_grant(&self) -> bool {
        self.grant.is_some()
    }

    /// The row to write. The ticket is made from this very row and no other.
    pub fn row(&self) -> &RowDraft {
        &self.row
    }

    /// The proposal.
    pub fn id(&self) -> &ProposalId {
        &self.id
    }
}

/// A release that did not pass its re-check. Nothing ran.
#[derive(Debug, PartialEq)]
pub struct Held {
    /// What to write: `repriced` (it is held again) or `page-gone` (it is over). `None` when the proposal ended while the
    /// page was being asked; its row was handed out then. `None` too when the rule that pressed has ended: it is held again.
    pub row: Option<RowDraft>,
    /// What moved; empty when the page or the proposal is gone.
    pub moved: Vec<Moved>,
    /// When the page is gone: what a door still holds of it.
    pub held: Option<HeldRef>,
}

impl Gate {
    /// Release was pressed. What comes back says what has to be asked again before [`Gate::recheck`].
    ///
    /// # Errors
    /// [`GateError::NotFound`], [`GateError::NotHeld`], [`GateError::Stale`], [`GateError::Automated`], [`GateError::Dead`],
    /// [`GateError::NotArmed`], [`GateError::Unacknowledged`], or [`GateError::BadRule`].
    pub fn press(&mut self, params: &ReleaseParams, at: &At) -> Result<Press, GateError> {
        let Self {
            entries, eye, policy, ..
        } = self;
        let unknown = || GateError::NotFound(params.proposal.clone());
        let entry = entries
            .get_mut(&params.proposal)
            .filter(|entry| entry.is_recorded())
            .ok_or_else(unknown)?;
        if !entry.phase.is_held() {
            return Err(not_held(entry));
        }
        // Whoever ends what is late may be late as well.
        if at.ms >= entry.expires_ms {
            return Err(GateError::NotHeld {
                proposal: entry.id.clone(),
                how: format!("its time ran out at {}", entry.expires_at),
            });
        }
        if params.digest != entry.digest {
            return Err(GateError::Stale);
        }
        if policy.refuse_automated && params.fingerprint.automated == Some(true) {
            return Err(GateError::Automated);
        }
        match entry.arming(eye, at.ms) {
            Arming::Armed => {}
            Arming::Arming { remaining_ms } => return Err(GateError::NotArmed { remaining_ms }),
            Arming::Unseen => {
                return Err(GateError::NotArmed {
                    remaining_ms: eye.arming_ms(),
                });
            }
            Arming::Dead { why } => return Err(GateError::Dead { why }),
        }
        let risks = entry.risks();
        let ids: Vec<String> = risks::critical(&risks)
            .filter(|id| !params.acknowledged.iter().any(|named| named == id))
            .map(Into::into)
            .collect();
        if !ids.is_empty() {
            return Err(GateError::Unacknowledged { ids });
        }
        if let Some(rule) = &params.rule {
            standing::check(entry, rule, Effect::Allow)?;
        }
        entry.new_rule.clone_from(&params.rule);
        let seen_ms = eye.seen_ms(&entry.id, &entry.digest, at.ms).unwrap_or_default();
        let by = By::Window {
            params: params.clone(),
            seen_ms,
        };
        Ok(pressed(entry, by))
    }

    /// The rule that covers a proposal releases it, now that its preview is known. `None` when no rule does (any more), or when
    /// there is something about it that a rule never covers: then it waits for a person like any other.
    pub fn press_by_rule(&mut self, id: &ProposalId, at: &At) -> Option<Press> {
        let entry = self.entries.get(id)?;
        let rule = entry.by_rule.clone()?;
        let fit = entry.is_recorded()
            && entry.phase == Phase::Held { aside: false }
            && entry.preview != Preview::Pending
            && (entry.version, entry.presses) == (1, 0)
            && at.ms < entry.expires_ms
            && self.still_covers(entry, &rule, at);
        let entry = self.entries.get_mut(id)?;
        if fit {
            let digest = entry.digest.clone();
            return Some(pressed(entry, By::Rule { rule, digest }));
        }
        if entry.phase.is_held() && entry.preview != Preview::Pending {
            entry.by_rule = None;
            entry.refresh(&mut self.eye, at.ms);
        }
        None
    }

    fn still_covers(&self, entry: &Entry, rule: &RuleId, at: &At) -> bool {
        let Some(standing) = self.rules.get(rule).filter(|standing| standing.is_live(at)) else {
            return false;
        };
        let Act::Tool { tool, arguments, .. } = &entry.act else {
            return false;
        };
        let hidden = standing.granted.is_none() && self.hides_from(entry.caller.ingress, tool, at);
        if hidden || self.writes_revoked.is_some() {
            return false;
        }
        let asked = Asked {
            tool,
            arguments,
            canonical: &entry.canonical,
            ingress: entry.caller.ingress,
            client: entry.caller.client.as_ref(),
            task: &entry.task,
        };
        let risks = entry.risks();
        let safe = match &standing.granted {
            // Whoever granted it has seen what was to be seen: it must be no more than that now.
            Some(granted) => {
                moved::preview(&granted.preview, &entry.preview).is_empty()
                    && risks::critical(&risks).all(|id| granted.acknowledged.iter().any(|seen| seen == id))
            }
            None => {
                let blind = matches!(entry.preview, Preview::Unavailable { .. } | Preview::Quoted { .. });
                rules::standing(entry) == countersign_contract::Standing::Offered && !(standing.rule.previewed && blind)
            }
        };
        // Its own place among those on their way is one of the uses.
        standing.covers(&asked) && safe && standing.has_use_left(self.on_their_way(rule).saturating_sub(1))
    }

    /// The page has been asked again: `now_tool` is the tool as it is defined now, `fresh` what its companion says now.
    /// Both are ignored for a paused request.
    ///
    /// # Errors
    /// [`Held`] when something moved (the card shows what, and arms anew), when the rule that pressed has ended, or when the
    /// tool is gone.
    pub fn recheck(
        &mut self,
        press: Press,
        now_tool: Option<&Tool>,
        fresh: Option<Preview>,
        at: &At,
    ) -> Result<ReleaseDraft, Box<Held>> {
        let over = || {
            Box::new(Held {
                row: None,
                moved: Vec::new(),
                held: None,
            })
        };
        let current = Phase::Rechecking { press: press.press };
        // A rule may have ended while the page was asked.
        let covered = match (&press.by, self.entries.get(&press.id)) {
            (By::Rule { rule, .. }, Some(entry)) => self.still_covers(entry, rule, at),
            _ => true,
        };
        let entry = self
            .entries
            .get_mut(&press.id)
            .filter(|entry| entry.phase == current)
            .ok_or_else(over)?;
        let mut seen_again = None;
        if let Act::Tool { tool, .. } = &entry.act {
            let Some(now_tool) = now_tool.filter(|now| now.page.origin == tool.page.origin) else {
                let message = format!("the page does not offer `{}` any more", tool.name);
                let closed = self.lose_page(&press.id, &message);
                let gone = |(_, row, held)| {
                    Box::new(Held {
                        row: Some(row),
                        moved: Vec::new(),
                        held,
                    })
                };
                return Err(closed.map_or_else(over, gone));
            };
            let mut moved = moved::definition(tool, now_tool);
            let fresh = match fresh {
                None | Some(Preview::Pending) => Preview::Unavailable {
                    why: "The page did not say what would change when it was asked again.".into(),
                },
                Some(fresh) => fresh,
            };
            moved.extend(moved::preview(&entry.preview, &fresh));
            if moved.is_empty() {
                let reads = self.descriptors.reading(&entry.act, &fresh);
                moved.extend(moved::reading(entry.reading.as_ref(), reads.as_ref()));
            }
            if !moved.is_empty() {
                if let Act::Tool { tool, .. } = &mut entry.act {
                    **tool = now_tool.clone();
                }
                entry.page = now_tool.page.clone();
                entry.preview = fresh;
                entry.reading = self.descriptors.reading(&entry.act, &entry.preview);
                return Err(Box::new(self.hold_again(&press, moved, at)));
            }
            seen_again = Some(fresh);
        }
        if !covered {
            self.back(&press.id, &current, at);
            return Err(over());
        }
        entry.phase = Phase::Writing { press: press.press };
        let mut row = released_row(entry, &press, seen_again.as_ref());
        let mut grant = None;
        match entry.releases {
            Releases::OneUse => {
                let rule = self.rules.next_id();
                grant = self
                    .entries
                    .get(&press.id)
                    .and_then(|entry| one_use(entry, &press, rule, at));
                if let (Some(standing), Value::Object(data)) = (&grant, &mut row.data) {
                    row.kind = RowKind::RuleMade;
                    data.insert("rule".into(), rules::written(&standing.rule));
                }
            }
            Releases::Run => {
                let tool = entry.tool().cloned();
                if let (Some(tool), Value::Object(data)) = (tool, &mut row.data)
                    && let Some(definition) = self.definition_to_record(&tool)
                {
                    data.insert("definition".into(), definition);
                }
            }
        }
        Ok(ReleaseDraft {
            id: press.id,
            press: press.press,
            row,
            grant,
        })
    }

    /// The row of a grant is durable: from here on the one use is there.
    ///
    /// # Errors
    /// [`GateError::WrongRow`] when `row` is not what became of this draft; it is held again then.
    pub fn grant(&mut self, draft: ReleaseDraft, row: &DurableRow, at: &At) -> Result<RuleId, GateError> {
        let writing = Phase::Writing { press: draft.press };
        let entry = self.entries.get(&draft.id).filter(|entry| entry.phase == writing);
        let fits = entry.is_some() && draft.row.kind == RowKind::RuleMade && rows::is_row_of(&draft.row, row.row());
        let Some(standing) = draft.grant.filter(|_| fits) else {
            self.back(&draft.id, &writing, at);
            return Err(GateError::WrongRow(draft.id));
        };
        let rule = standing.rule.id.clone();
        self.rules.add(standing);
        self.end(&draft.id, Phase::Ended(ProposalState::Granted { rule: rule.clone() }));
        Ok(rule)
    }

    /// The re-check came to no end (it was cancelled): held again, as it was.
    pub fn put_back(&mut self, press: Press, at: &At) {
        self.back(&press.id, &Phase::Rechecking { press: press.press }, at);
    }

    /// The row could not be written: held again, and nothing ran.
    pub fn release_failed(&mut self, draft: ReleaseDraft, at: &At) {
        self.back(&draft.id, &Phase::Writing { press: draft.press }, at);
    }

    /// The row is durable: this makes the one ticket. `nonce` is 16 bytes nobody can guess.
    ///
    /// # Errors
    /// [`GateError::WrongRow`] when `row` is not what became of this draft; it is held again then.
    pub fn release(
        &mut self,
        draft: ReleaseDraft,
        row: DurableRow,
        nonce: [u8; 16],
        at: &At,
    ) -> Result<Ticket, GateError> {
        let writing = Phase::Writing { press: draft.press };
        let unknown = || GateError::NotFound(draft.id.clone());
        let entry = self.entries.get_mut(&draft.id).ok_or_else(unknown)?;
        if entry.phase != writing {
            return Err(not_held(entry));
        }
        if draft.row.kind != RowKind::Released || !rows::is_row_of(&draft.row, row.row()) {
            self.back(&draft.id, &writing, at);
            return Err(GateError::WrongRow(draft.id));
        }
        let target = match (&entry.act, &entry.held) {
            (Act::Tool { tool, canonical, .. }, None) => Target::Call {
                tool: tool.clone(),
                arguments: canonical.clone(),
            },
            (Act::Tool { tool, canonical, .. }, Some(held)) => Target::HeldCall {
                held: held.clone(),
                tool: tool.clone(),
                arguments: canonical.clone(),
            },
            (Act::Network { request }, Some(held)) => Target::HeldRequest {
                held: held.clone(),
                request: request.clone(),
            },
            (Act::Network { .. }, None) => {
                self.back(&draft.id, &writing, at);
                return Err(GateError::WrongRow(draft.id));
            }
        };
        entry.phase = Phase::Released;
        let (tool, by_rule) = (entry.tool().cloned(), entry.by_rule.clone());
        if let Some(rule) = by_rule {
            self.rules.used(&rule, at);
        }
        if let Some(tool) = tool {
            self.note_released(&tool);
        }
        let nonce = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Ticket {
            proposal: draft.id,
            target,
            nonce,
            row: row.row().seq,
        })
    }

    fn hold_again(&mut self, press: &Press, moved: Vec<Moved>, at: &At) -> Held {
        let data = json!({
            "proposal": press.id,
            "press": press.press,
            "cardDigest": press.by.card_digest(),
            "moved": rows::moved(&moved),
        });
        if let Some(entry) = self.entries.get_mut(&press.id) {
            entry.moved.clone_from(&moved);
        }
        self.back(&press.id, &Phase::Rechecking { press: press.press }, at);
        Held {
            row: Some(rows::by_desk(RowKind::Repriced, &press.id, data)),
            moved,
            held: None,
        }
    }

    /// From `phase` back to held, in front, with everything to be seen anew.
    fn back(&mut self, id: &ProposalId, phase: &Phase, at: &At) {
        if let Some(entry) = self.entries.get_mut(id).filter(|entry| entry.phase == *phase) {
            entry.phase = Phase::Held { aside: false };
            // What a rule could not release is for a person.
            entry.by_rule = None;
            entry.refresh(&mut self.eye, at.ms);
            self.eye.restart(id, at.ms);
        }
    }
}

fn pressed(entry: &mut Entry, by: By) -> Press {
    entry.presses += 1;
    entry.phase = Phase::Rechecking { press: entry.presses };
    Press {
        id: entry.id.clone(),
        press: entry.presses,
        by,
        tool: entry.tool().cloned().map(Box::new),
        canonical: entry.canonical.clone(),
        runs: entry.releases == Releases::Run,
    }
}

/// How long one granted use waits to be made.
const ONE_USE_MS: u64 = 600_000;

fn one_use(entry: &Entry, press: &Press, id: RuleId, at: &At) -> Option<Standing> {
    let By::Window { params, .. } = &press.by else {
        return None;
    };
    let rule = Rule {
        tool_digest: Some(entry.tool()?.digest.clone()),
        arguments: ArgumentPattern::Exactly {
            canonical: entry.canonical.clone(),
        },
        limit: Some(1),
        expires_at: Some(at.utc_after(ONE_USE_MS)),
        made_on: Some(entry.id.clone()),
        ..rules::new_rule(id, Effect::Allow, entry.tool()?, Lasts::Session, at)
    };
    Some(Standing {
        rule,
        expires_ms: Some(at.ms.saturating_add(ONE_USE_MS)),
        granted: Some(Granted {
            preview: entry.preview.clone(),
            acknowledged: params.acknowledged.clone(),
        }),
    })
}

fn released_row(entry: &Entry, press: &Press, seen_again: Option<&Preview>) -> RowDraft {
    let mut data = rows::act(&entry.act, &entry.canonical);
    let facts = json!({
        "proposal": entry.id,
        "version": entry.version,
        "press": press.press,
        "page": rows::page(&entry.page),
        "preview": rows::preview_state(&entry.preview),
        "previewDigest": preview_digest(&entry.preview),
        "previewDigestAtPress": seen_again.map(preview_digest),
        "cardDigest": press.by.card_digest(),
        "cost": entry.cost().map(|cost| json!({
            "totals": cost.totals,
            "notMeasured": cost.not_measured,
            "asOf": cost.as_of,
        })),
    });
    if let Value::Object(facts) = facts {
        data.extend(facts);
    }
    if let Some(reading) = &entry.reading {
        data.insert("namedBy".into(), json!(reading.by));
    }
    match &press.by {
        By::Window { params, seen_ms } => {
            let risks = entry.risks();
            let acknowledged: Vec<&str> = risks::critical(&risks)
                .filter(|id| params.acknowledged.iter().any(|named| named == id))
                .collect();
            data.insert("shownMs".into(), seen_ms.to_string().into());
            data.insert("acknowledged".into(), json!(acknowledged));
            data.insert("fingerprint".into(), rows::fingerprint(&params.fingerprint));
            rows::by_approval(RowKind::Released, &entry.id, Value::Object(data))
        }
        By::Rule { rule, .. } => {
            data.insert("byRule".into(), json!(rule));
            rows::by_desk(RowKind::Released, &entry.id, Value::Object(data))
        }
    }
}
