use countersign_contract::{
    Act, Arming, Caller, Change, Cost, Fingerprint, HeldRef, Measured, Moved, NewRule, PageRef, Preview, Proposal,
    ProposalId, ProposalState, Reading, Releases, Risk, RowDraft, RuleId, Tool,
};
use serde_json::json;

use crate::arming::Eye;
use crate::digest::sha256;
use crate::risks::risks;
use crate::rules;

const MAX_REMEMBERED: usize = 16;

/// A proposal as the gate keeps it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub number: u64,
    pub id: ProposalId,
    pub version: u32,
    pub caller: Caller,
    pub page: PageRef,
    pub fingerprint: Fingerprint,
    /// The door's handle, when the door holds what is proposed.
    pub held: Option<HeldRef>,
    pub act: Act,
    /// What releasing it does.
    pub releases: Releases,
    /// The task it was asked in.
    pub task: String,
    /// What was asked for at first, in canonical form (the request, for a paused one).
    pub asked: String,
    /// What would run now, in canonical form.
    pub canonical: String,
    pub caught_lying: bool,
    pub phase: Phase,
    pub preview: Preview,
    /// What a descriptor makes of act and preview.
    pub reading: Option<Reading>,
    pub moved: Vec<Moved>,
    pub measured: Option<Measured>,
    pub edits: Vec<Change>,
    /// How its tool differs from the definition that was released last.
    pub redefined: Vec<Moved>,
    /// The rule that is to release it, or has.
    pub by_rule: Option<RuleId>,
    /// The rule to make along with the decision.
    pub new_rule: Option<NewRule>,
    pub asked_at: String,
    pub expires_at: String,
    pub expires_ms: u64,
    /// The row that has to become durable before anybody hears of it.
    pub proposed: RowDraft,
    /// That row's number once it is.
    pub row: Option<u64>,
    /// How often release was pressed.
    pub presses: u64,
    /// Which place among the closed ones it has.
    pub closed: u64,
    pub digest: String,
    /// The digests the card of this version has had.
    pub digests: Vec<String>,
}

/// How far a proposal has come.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Phase {
    /// Waits for a decision.
    Held { aside: bool },
    /// That press of release is being re-checked.
    Rechecking { press: u64 },
    /// The row of that press is being written. Nothing but its result can change this.
    Writing { press: u64 },
    /// The ticket is out.
    Released,
    /// Released, and it certainly never started.
    NotRun { message: String },
    /// Ended, in that state.
    Ended(ProposalState),
}

impl Phase {
    pub(crate) fn state(&self) -> ProposalState {
        match self {
            Self::Held { aside } => ProposalState::Held { set_aside: *aside },
            Self::Rechecking { .. } | Self::Writing { .. } => ProposalState::Releasing,
            Self::Released => ProposalState::Released,
            Self::NotRun { message } => ProposalState::Failed {
                message: message.clone(),
                ran: false,
            },
            Self::Ended(state) => state.clone(),
        }
    }

    pub(crate) const fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// Nothing can run yet, and nothing is on its way to.
    pub(crate) const fn can_close(&self) -> bool {
        matches!(self, Self::Held { .. } | Self::Rechecking { .. })
    }

    pub(crate) const fn is_over(&self) -> bool {
        matches!(self, Self::NotRun { .. } | Self::Ended(_))
    }
}

/// What names one answer of a preview: the digest of the page's own words, where there are any.
pub(crate) fn preview_digest(preview: &Preview) -> String {
    match preview {
        Preview::Changes(changes) => changes.digest.clone(),
        other => sha256(&json!(other).to_string()),
    }
}

impl Entry {
    pub(crate) fn tool(&self) -> Option<&Tool> {
        match &self.act {
            Act::Tool { tool, .. } => Some(tool),
            Act::Network { .. } => None,
        }
    }

    /// A rule is about to release it, or does.
    pub(crate) fn is_on_its_way_by(&self, rule: &RuleId) -> bool {
        let open = matches!(
            self.phase,
            Phase::Held { .. } | Phase::Rechecking { .. } | Phase::Writing { .. }
        );
        open && self.by_rule.as_ref() == Some(rule)
    }

    pub(crate) fn is_recorded(&self) -> bool {
        self.row.is_some()
    }

    pub(crate) fn cost(&self) -> Option<&Cost> {
        let cost = match &self.preview {
            Preview::NoChange { cost, .. } | Preview::Quoted { cost, .. } => cost,
            Preview::Changes(changes) => &changes.cost,
            Preview::Pending | Preview::Unavailable { .. } | Preview::WouldFail { .. } => return None,
        };
        (!cost.items.is_empty()).then_some(cost)
    }

    pub(crate) fn risks(&self) -> Vec<Risk> {
        risks(&self.act, &self.caller, &self.preview, self.caught_lying)
    }

    /// Computes the card's digest anew: over all a window draws of it but how it stands and what time does to it. A card
    /// that changed has not been seen.
    pub(crate) fn refresh(&mut self, eye: &mut Eye, now: u64) {
        let card = json!({
            "id": self.id,
            "version": self.version,
            "act": self.act,
            "page": self.page,
            "caller": self.caller,
            "fingerprint": self.fingerprint,
            "preview": self.preview,
            "reading": self.reading,
            "risks": self.risks(),
            "moved": self.moved,
            "edits": self.edits,
            "releases": self.releases,
            "redefined": self.redefined,
            "byRule": self.by_rule,
            "canonical": self.canonical,
            "askedAt": self.asked_at,
            "row": self.row,
        });
        let digest = sha256(&card.to_string());
        if digest != self.digest {
            self.digest = digest;
            if self.digests.len() == MAX_REMEMBERED {
                self.digests.remove(0);
            }
            self.digests.push(self.digest.clone());
            eye.restart(&self.id, now);
        }
    }

    pub(crate) fn arming(&self, eye: &Eye, now: u64) -> Arming {
        let dead = |why: &str| Arming::Dead { why: why.into() };
        match (&self.phase, &self.preview) {
            (Phase::Held { .. }, _) if self.by_rule.is_some() => dead("a rule is about to release it"),
            (Phase::Held { .. }, Preview::Pending) => dead("the page is still being asked what would change"),
            (Phase::Held { .. }, _) => eye.arming(&self.id, &self.digest, now),
            (Phase::Rechecking { .. } | Phase::Writing { .. }, _) => dead("it is being released already"),
            (Phase::Released | Phase::NotRun { .. } | Phase::Ended(_), _) => dead("it is decided already"),
        }
    }

    pub(crate) fn view(&self, eye: &Eye, now: u64) -> Proposal {
        Proposal {
            id: self.id.clone(),
            version: self.version,
            act: self.act.clone(),
            releases: self.releases,
            page: self.page.clone(),
            caller: self.caller.clone(),
            grade: self.caller.grade(),
            fingerprint: self.fingerprint.clone(),
            state: self.phase.state(),
            preview: self.preview.clone(),
            cost: self.cost().cloned(),
            reading: self.reading.clone(),
            risks: self.risks(),
            moved: self.moved.clone(),
            measured: self.measured.clone(),
            edits: self.edits.clone(),
            redefined: self.redefined.clone(),
            standing: rules::standing(self),
            by_rule: self.by_rule.clone(),
            arguments_digest: sha256(&self.canonical),
            digest: self.digest.clone(),
            arming: self.arming(eye, now),
            asked_at: self.asked_at.clone(),
            expires_at: self.expires_at.clone(),
            row: self.row.unwrap_or_default(),
        }
    }
}
