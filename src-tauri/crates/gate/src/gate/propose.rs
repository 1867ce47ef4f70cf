use countersign_contract::{Act, HeldRef, Preview, ProposalId, Releases, RowDraft, RowKind};
use countersign_ledger::{DurableRow, parse_strict};
use serde_json::{Value, json};

use super::Gate;
use crate::digest::{canonical, canonical_arguments};
use crate::entry::{Entry, Phase};
use crate::{Ask, AskedAct, At, GateError, rows};

impl Gate {
    /// Takes a write in. Nobody can see or decide it before its row is durable: write the draft, then call
    /// [`Gate::recorded`], or [`Gate::discard`] when it could not be written. A tool's proposal begins with a pending
    /// preview; answer it with [`Gate::set_preview`], with [`crate::no_companion`] when there is nobody to ask.
    ///
    /// # Errors
    /// [`GateError::BadArguments`], [`GateError::TurnedAway`], [`GateError::NoSuchTool`], or [`GateError::TooMany`].
    pub fn propose(&mut self, ask: Ask, at: &At) -> Result<(ProposalId, RowDraft), GateError> {
        if let AskedAct::HeldRequest { tool: Some(tool), .. } = &ask.act {
            self.caught_lying(&tool.digest, &tool.page.origin);
            self.lying_names.insert((tool.name.clone(), tool.page.origin.clone()));
        }
        let bound = bind(&ask.act)?;
        self.hear(&ask, &bound, at)?;
        let by_rule = self.rule_for(&ask, &bound, at)?;
        let origin = &ask.page.origin;
        let open = self
            .entries
            .values()
            .filter(|entry| entry.phase.can_close() && entry.page.origin == *origin)
            .count();
        if open >= self.policy.open_per_origin {
            return Err(GateError::TooMany {
                origin: origin.clone(),
                open,
            });
        }
        let releases = Bound::releases(&ask);
        let Bound { act, canonical, held } = bound;
        let redefined = match &act {
            Act::Tool { tool, .. } => self.redefined(tool),
            Act::Network { .. } => Vec::new(),
        };
        let caught_lying = matches!(&act, Act::Tool { tool, .. } if self.is_caught(tool));
        self.last += 1;
        let id = ProposalId(format!("p{}", self.last));
        let expires_at = at.utc_after(self.policy.hold_ms);
        let mut data = rows::act(&act, &canonical);
        data.insert("proposal".into(), json!(id));
        data.insert("version".into(), 1.into());
        data.insert("page".into(), rows::page(&ask.page));
        data.insert("fingerprint".into(), rows::fingerprint(&ask.fingerprint));
        data.insert("expiresAt".into(), expires_at.clone().into());
        if let Some(client) = &ask.caller.client {
            data.insert("client".into(), json!(client));
        }
        if releases == Releases::OneUse {
            data.insert("releases".into(), json!(releases));
        }
        if let Some(rule) = &by_rule {
            data.insert("byRule".into(), json!(rule));
        }
        if !redefined.is_empty() {
            data.insert("redefined".into(), rows::moved(&redefined));
        }
        let seat = &ask.caller.name;
        let proposed = rows::draft(RowKind::Proposed, ask.caller.ingress, seat, &id, Value::Object(data));
        let preview = match act {
            Act::Tool { .. } => Preview::Pending,
            Act::Network { .. } => Preview::Unavailable {
                why: "The request is stopped in the browser; nobody can say what it would change.".into(),
            },
        };
        let entry = Entry {
            number: self.last,
            id: id.clone(),
            version: 1,
            reading: self.descriptors.reading(&act, &preview),
            preview,
            caller: ask.caller,
            page: ask.page,
            fingerprint: ask.fingerprint,
            held,
            act,
            releases,
            task: ask.task,
            asked: canonical.clone(),
            canonical,
            caught_lying,
            phase: Phase::Held { aside: false },
            moved: Vec::new(),
            measured: None,
            edits: Vec::new(),
            redefined,
            by_rule,
            new_rule: None,
            asked_at: at.utc.clone(),
            expires_at,
            expires_ms: at.ms.saturating_add(self.policy.hold_ms),
            proposed: proposed.clone(),
            row: None,
            presses: 0,
            closed: 0,
            digest: String::new(),
            digests: Vec::new(),
        };
        self.entries.insert(id.clone(), entry);
        Ok((id, proposed))
    }

    /// The `proposed` row is durable: from here on the proposal is seen and can be decided.
    ///
    /// # Errors
    /// [`GateError::NotFound`], or [`GateError::WrongRow`] when the row is another one.
    pub fn recorded(&mut self, id: &ProposalId, row: &DurableRow, at: &At) -> Result<(), GateError> {
        let entry = self
            .entries
            .get_mut(id)
            .ok_or_else(|| GateError::NotFound(id.clone()))?;
        if entry.is_recorded() || !rows::is_row_of(&entry.proposed, row.row()) {
            return Err(GateError::WrongRow(id.clone()));
        }
        entry.row = Some(row.row().seq);
        entry.refresh(&mut self.eye, at.ms);
        Ok(())
    }

    /// The `proposed` row could not be written: there is no such proposal. Its number is not used again.
    pub fn discard(&mut self, id: &ProposalId) {
        self.entries.retain(|other, entry| other != id || entry.is_recorded());
    }

    /// The version whose preview the page has still to be asked for.
    pub fn preview_wanted(&self, id: &ProposalId) -> Option<u32> {
        let entry = self.entries.get(id)?;
        (entry.phase.is_held() && entry.preview == Preview::Pending).then_some(entry.version)
    }

    /// What the page says version `version` would change. `false`, and without effect, when that version is not the one
    /// that waits any more.
    pub fn set_preview(&mut self, id: &ProposalId, version: u32, preview: Preview, at: &At) -> bool {
        let Some(entry) = self.entries.get_mut(id) else {
            return false;
        };
        if !entry.phase.is_held() || entry.version != version {
            return false;
        }
        entry.preview = preview;
        entry.reading = self.descriptors.reading(&entry.act, &entry.preview);
        entry.refresh(&mut self.eye, at.ms);
        true
    }
}

pub(super) struct Bound {
    pub act: Act,
    pub canonical: String,
    held: Option<HeldRef>,
}

/// Fixes the bytes that are shown, hashed and executed.
fn bind(asked: &AskedAct) -> Result<Bound, GateError> {
    let (tool, arguments, held) = match asked {
        AskedAct::Call { tool, arguments } | AskedAct::Grant { tool, arguments } => (tool, arguments.clone(), None),
        AskedAct::HeldCall { held, tool, arguments } => {
            let arguments =
                parse_strict(arguments).map_err(|error| GateError::BadArguments { why: error.to_string() })?;
            (tool, arguments, Some(held.clone()))
        }
        AskedAct::HeldRequest { held, request, .. } => {
            let act = Act::Network {
                request: request.clone(),
            };
            return Ok(Bound {
                canonical: canonical(&json!(request)),
                act,
                held: Some(held.clone()),
            });
        }
    };
    let canonical = canonical_arguments(&arguments)?;
    Ok(Bound {
        act: Act::Tool {
            tool: tool.clone(),
            arguments,
            canonical: canonical.clone(),
        },
        canonical,
        held,
    })
}
