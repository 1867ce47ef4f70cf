use countersign_contract::{Act, Arming, HeldRef, Moved, Preview, ProposalId, ReleaseParams, RowDraft, RowKind, Tool};
use countersign_ledger::DurableRow;
use serde_json::{Value, json};

use super::{Gate, not_held};
use crate::entry::{Entry, Phase, preview_digest};
use crate::{At, GateError, Target, Ticket, moved, risks, rows};

/// A press of release that the gate accepted. It lets nothing run yet: the page has to be asked again first.
#[derive(Debug)]
pub struct Press {
    id: ProposalId,
    press: u64,
    params: ReleaseParams,
    seen_ms: u64,
    tool: Option<Box<Tool>>,
    canonical: String,
    wants_preview: bool,
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

    /// Whether the page's companion preview has to be asked again.
    pub fn wants_preview(&self) -> bool {
        self.wants_preview
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
}

impl ReleaseDraft {
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
    /// page was being asked; its row was handed out then.
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
    /// [`GateError::NotFound`], [`GateError::NotHeld`], [`GateError::Stale`], [`GateError::Dead`], [`GateError::NotArmed`],
    /// or [`GateError::Unacknowledged`].
    pub fn press(&mut self, params: &ReleaseParams, at: &At) -> Result<Press, GateError> {
        let Self { entries, eye, .. } = self;
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
        entry.presses += 1;
        entry.phase = Phase::Rechecking { press: entry.presses };
        Ok(Press {
            id: entry.id.clone(),
            press: entry.presses,
            params: params.clone(),
            seen_ms: eye.seen_ms(&entry.id, &entry.digest, at.ms).unwrap_or_default(),
            tool: entry.tool().cloned().map(Box::new),
            canonical: entry.canonical.clone(),
            wants_preview: !matches!(entry.preview, Preview::Pending | Preview::Unavailable { .. }),
        })
    }

    /// The page has been asked again: `now_tool` is the tool as it is defined now, `fresh` what its companion says now.
    /// Both are ignored for a paused request.
    ///
    /// # Errors
    /// [`Held`] when something moved (the card shows what, and arms anew) or when the tool is gone.
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
        let entry = self
            .entries
            .get_mut(&press.id)
            .filter(|entry| entry.phase == current)
            .ok_or_else(over)?;
        let mut seen_again = None;
        if let Act::Tool { tool, .. } = &mut entry.act {
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
                None | Some(Preview::Pending) if press.wants_preview => Preview::Unavailable {
                    why: "The page did not say what would change when it was asked again.".into(),
                },
                None | Some(Preview::Pending) => entry.preview.clone(),
                Some(fresh) => fresh,
            };
            moved.extend(moved::preview(&entry.preview, &fresh));
            if !moved.is_empty() {
                **tool = now_tool.clone();
                entry.page = now_tool.page.clone();
                entry.preview = fresh;
                return Err(Box::new(self.hold_again(&press, moved, at)));
            }
            seen_again = Some(fresh);
        }
        entry.phase = Phase::Writing { press: press.press };
        let row = released_row(entry, &press, seen_again.as_ref());
        Ok(ReleaseDraft {
            id: press.id,
            press: press.press,
            row,
        })
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
            "cardDigest": press.params.digest,
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
            entry.refresh(&mut self.eye, at.ms);
            self.eye.restart(id, at.ms);
        }
    }
}

fn released_row(entry: &Entry, press: &Press, seen_again: Option<&Preview>) -> RowDraft {
    let mut data = rows::act(&entry.act, &entry.canonical);
    let risks = entry.risks();
    let acknowledged: Vec<&str> = risks::critical(&risks)
        .filter(|id| press.params.acknowledged.iter().any(|named| named == id))
        .collect();
    let facts = json!({
        "proposal": entry.id,
        "version": entry.version,
        "press": press.press,
        "page": rows::page(&entry.page),
        "preview": rows::preview_state(&entry.preview),
        "previewDigest": preview_digest(&entry.preview),
        "previewDigestAtPress": seen_again.map(preview_digest),
        "cardDigest": press.params.digest,
        "shownMs": press.seen_ms.to_string(),
        "cost": entry.cost().map(|cost| json!({
            "totals": cost.totals,
            "notMeasured": cost.not_measured,
            "asOf": cost.as_of,
        })),
        "acknowledged": acknowledged,
        "fingerprint": rows::fingerprint(&press.params.fingerprint),
    });
    if let Value::Object(facts) = facts {
        data.extend(facts);
    }
    rows::by_approval(RowKind::Released, &entry.id, Value::Object(data))
}
