use countersign_contract::{ClientId, HeldRef, Ingress, ProposalId, ProposalState, RowDraft, RowKind};
use serde_json::json;

use super::{Closed, Gate};
use crate::entry::{Entry, Phase};
use crate::{At, rows};

impl Gate {
    /// Its caller takes a write back; the panel's agent and the panel's hand are one caller in this. `None` when `by` is not
    /// who asked, or when it is too late: it is decided, or its release is being written.
    pub fn withdraw(&mut self, id: &ProposalId, by: Ingress, at: &At) -> Option<(RowDraft, Option<HeldRef>)> {
        let asked = &self.entries.get(id)?.caller;
        // Of clients there are many: the way in says too little.
        let own = asked.client.is_none() && (asked.ingress == by || (is_panel(asked.ingress) && is_panel(by)));
        own.then(|| self.take_back(id, at)).flatten()
    }

    /// As [`Gate::withdraw`], for an MCP client: only what it asked for itself.
    pub fn withdraw_for(&mut self, id: &ProposalId, client: &ClientId, at: &At) -> Option<(RowDraft, Option<HeldRef>)> {
        let own = self.entries.get(id)?.caller.client.as_ref() == Some(client);
        own.then(|| self.take_back(id, at)).flatten()
    }

    /// The client that asked for it is not heard any more, so nobody waits for it.
    pub fn client_gone(&mut self, id: &ProposalId, message: &str, _at: &At) -> Option<(RowDraft, Option<HeldRef>)> {
        let entry = self.entries.get(id).filter(|entry| entry.phase.can_close())?;
        let data = json!({"proposal": id, "version": entry.version, "why": message});
        let row = rows::by_desk(RowKind::Expired, id, data);
        let held = entry.held.clone();
        let message = message.to_owned();
        self.end(id, Phase::Ended(ProposalState::Expired { message }));
        Some((row, held))
    }

    fn take_back(&mut self, id: &ProposalId, _at: &At) -> Option<(RowDraft, Option<HeldRef>)> {
        let entry = self.entries.get(id).filter(|entry| entry.phase.can_close())?;
        let row = rows::by_caller(
            RowKind::Withdrawn,
            entry,
            json!({"proposal": id, "version": entry.version}),
        );
        let held = entry.held.clone();
        self.end(id, Phase::Ended(ProposalState::Withdrawn));
        Some((row, held))
    }

    /// As [`Gate::withdraw`], for something a door holds. It needs no answer: whoever made it is not waiting any more.
    pub fn withdraw_held(&mut self, held: &HeldRef, at: &At) -> Option<(ProposalId, RowDraft)> {
        let of = |entry: &&Entry| entry.held.as_ref() == Some(held) && entry.phase.can_close();
        let id = self.entries.values().find(of)?.id.clone();
        let (row, _) = self.take_back(&id, at)?;
        Some((id, row))
    }

    /// A document is gone, and with it everything that waits for it. What is being released goes its way: the door will
    /// say whether it still ran.
    pub fn page_gone(&mut self, document: &str, message: &str, _at: &At) -> Vec<Closed> {
        let gone = self.in_order(|entry| entry.page.document == document && entry.phase.can_close());
        gone.into_iter().filter_map(|id| self.lose_page(&id, message)).collect()
    }

    /// Ends what nobody decided in time. A release that was pressed in time is left to end.
    pub fn expire(&mut self, at: &At) -> Vec<Closed> {
        let late = |entry: &Entry| entry.is_recorded() && entry.phase.is_held() && entry.expires_ms <= at.ms;
        let mut expired = Vec::new();
        for id in self.in_order(late) {
            let Some(entry) = self.entries.get(&id) else { continue };
            let message = format!("nobody decided before {}", entry.expires_at);
            let row = rows::by_desk(
                RowKind::Expired,
                &id,
                json!({"proposal": id, "version": entry.version, "why": message}),
            );
            let held = entry.held.clone();
            self.end(&id, Phase::Ended(ProposalState::Expired { message }));
            expired.push((id, row, held));
        }
        expired
    }

    /// When [`Gate::expire`] next has something to end, in [`At::ms`].
    pub fn next_expiry(&self) -> Option<u64> {
        let waits = |entry: &&Entry| entry.is_recorded() && entry.phase.is_held();
        self.entries.values().filter(waits).map(|entry| entry.expires_ms).min()
    }

    pub(super) fn lose_page(&mut self, id: &ProposalId, message: &str) -> Option<Closed> {
        let entry = self.entries.get(id)?;
        let data = json!({"proposal": id, "version": entry.version, "why": rows::words(message)});
        let row = rows::by_desk(RowKind::PageGone, id, data);
        let held = entry.held.clone();
        self.end(
            id,
            Phase::Ended(ProposalState::PageGone {
                message: message.into(),
            }),
        );
        Some((id.clone(), row, held))
    }

    pub(crate) fn in_order(&self, which: impl Fn(&Entry) -> bool) -> Vec<ProposalId> {
        let mut found: Vec<_> = self.entries.values().filter(|entry| which(entry)).collect();
        found.sort_unstable_by_key(|entry| entry.number);
        found.into_iter().map(|entry| entry.id.clone()).collect()
    }
}

const fn is_panel(ingress: Ingress) -> bool {
    matches!(ingress, Ingress::PanelAgent | Ingress::PanelHand)
}
