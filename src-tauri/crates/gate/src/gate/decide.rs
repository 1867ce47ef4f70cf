use countersign_contract::{
    Act, EditParams, Effect, HeldRef, Preview, ProposalId, ProposalState, RefuseParams, RowDraft, RowKind,
    SetAsideParams,
};
use serde_json::json;

use super::{Gate, standing};
use crate::diff::diff;
use crate::digest::{canonical_arguments, sha256};
use crate::entry::Phase;
use crate::{At, GateError, rows};

impl Gate {
    /// Whether the approval window can be seen, and whether it has the focus, as the desktop measures it.
    pub fn window(&mut self, visible: bool, active: bool, at: &At) {
        self.eye.window(visible, active, at.ms);
    }

    /// The approval window has painted the card of `id` with `digest`; whatever it showed before is gone.
    pub fn shown(&mut self, id: &ProposalId, digest: &str, at: &At) {
        self.eye.shown(id, digest, at.ms);
    }

    /// Other arguments: the next version, with its own digest and a preview that is pending again.
    ///
    /// # Errors
    /// [`GateError::NotFound`], [`GateError::NotHeld`], [`GateError::NotEditable`], [`GateError::BadArguments`],
    /// [`GateError::Unchanged`], or [`GateError::Stale`] when another version was edited than the one that waits.
    pub fn edit(&mut self, params: &EditParams, at: &At) -> Result<RowDraft, GateError> {
        let entry = self.held_mut(&params.proposal)?;
        entry.by_rule = None;
        let Act::Tool {
            arguments, canonical, ..
        } = &mut entry.act
        else {
            return Err(GateError::NotEditable);
        };
        if !entry.digests.contains(&params.digest) {
            return Err(GateError::Stale);
        }
        let edited = canonical_arguments(&params.arguments)?;
        if edited == *canonical {
            return Err(GateError::Unchanged);
        }
        let asked =
            serde_json::from_str(&entry.asked).map_err(|error| GateError::BadArguments { why: error.to_string() })?;
        entry.edits = diff(Some(&asked), Some(&params.arguments)).changes;
        arguments.clone_from(&params.arguments);
        canonical.clone_from(&edited);
        let was = std::mem::replace(&mut entry.canonical, edited);
        entry.version += 1;
        entry.preview = Preview::Pending;
        entry.moved.clear();
        entry.digests.clear();
        let row = rows::by_approval(
            RowKind::Amended,
            &entry.id,
            json!({
                "proposal": entry.id,
                "version": entry.version,
                "arguments": entry.canonical,
                "argumentsDigest": sha256(&entry.canonical),
                "argumentsDigestBefore": sha256(&was),
                "cardDigest": params.digest,
            }),
        );
        let id = entry.id.clone();
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.reading = self.descriptors.reading(&entry.act, &entry.preview);
            entry.refresh(&mut self.eye, at.ms);
        }
        Ok(row)
    }

    /// Nothing runs, whatever the card shows by now. The handle is of a call or request that the door has to answer.
    ///
    /// # Errors
    /// [`GateError::NotFound`], [`GateError::NotHeld`], or [`GateError::BadRule`].
    pub fn refuse(&mut self, params: &RefuseParams, _at: &At) -> Result<(RowDraft, Option<HeldRef>), GateError> {
        let entry = self.held_mut(&params.proposal)?;
        if let Some(rule) = &params.rule {
            standing::check(entry, rule, Effect::Refuse)?;
        }
        entry.new_rule.clone_from(&params.rule);
        let (task, act, asked) = (entry.task.clone(), entry.act.clone(), entry.asked.clone());
        let (id, held) = (entry.id.clone(), entry.held.clone());
        let row = rows::by_approval(
            RowKind::Refused,
            &id,
            json!({
                "proposal": id,
                "version": entry.version,
                "argumentsDigest": sha256(&entry.canonical),
                "cardDigest": params.digest,
                "reason": params.reason,
                "fingerprint": rows::fingerprint(&params.fingerprint),
            }),
        );
        self.end(
            &id,
            Phase::Ended(ProposalState::Refused {
                reason: params.reason.clone(),
            }),
        );
        self.note_refusal(&task, &act, &asked);
        Ok((row, held))
    }

    /// To the back of the queue, or to the front again; it stays held either way. Only putting aside is recorded, and only
    /// when it was not aside before.
    ///
    /// # Errors
    /// [`GateError::NotFound`], or [`GateError::NotHeld`].
    pub fn set_aside(&mut self, params: &SetAsideParams, _at: &At) -> Result<Option<RowDraft>, GateError> {
        let entry = self.held_mut(&params.proposal)?;
        let was = entry.phase == Phase::Held { aside: true };
        entry.phase = Phase::Held { aside: params.aside };
        let data = || json!({"proposal": params.proposal});
        Ok((params.aside && !was).then(|| rows::by_approval(RowKind::SetAside, &params.proposal, data())))
    }
}
