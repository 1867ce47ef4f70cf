use std::cmp::Reverse;

use countersign_contract::{Answer, Proposal, ProposalId};

use super::Gate;
use crate::entry::{Entry, Phase};
use crate::{At, words};

impl Gate {
    /// Every proposal the screens know: open ones first, oldest first, set-aside ones last; then what is running; then
    /// settled ones, newest first.
    pub fn proposals(&self, at: &At) -> Vec<Proposal> {
        let mut entries: Vec<_> = self.entries.values().filter(|entry| entry.is_recorded()).collect();
        entries.sort_unstable_by_key(|entry| place(entry));
        entries.into_iter().map(|entry| entry.view(&self.eye, at.ms)).collect()
    }

    /// One proposal.
    pub fn get(&self, id: &ProposalId, at: &At) -> Option<Proposal> {
        Some(
            self.entries
                .get(id)
                .filter(|entry| entry.is_recorded())?
                .view(&self.eye, at.ms),
        )
    }

    /// What its caller is told, in whole; nothing before its row is durable.
    pub fn answer(&self, id: &ProposalId) -> Option<Answer> {
        self.entries
            .get(id)
            .filter(|entry| entry.is_recorded() || entry.phase.is_over())
            .map(words::answer)
    }
}

fn place(entry: &Entry) -> (u8, Reverse<u64>, u64) {
    match entry.phase {
        Phase::Held { aside: false } | Phase::Rechecking { .. } | Phase::Writing { .. } => {
            (0, Reverse(0), entry.number)
        }
        Phase::Held { aside: true } => (1, Reverse(0), entry.number),
        Phase::Released => (2, Reverse(entry.number), 0),
        Phase::NotRun { .. } | Phase::Ended(_) => (3, Reverse(entry.closed), 0),
    }
}
