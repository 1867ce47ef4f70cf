use std::collections::HashMap;

use countersign_contract::{ProposalId, RowKind};

/// A proposal the last run left without an end. It must never run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The proposal.
    pub proposal: ProposalId,
    /// Its release is in the ledger, so it may have run; otherwise it certainly did not.
    pub released: bool,
}

/// What the rows say about proposals, gathered while they are read.
#[derive(Default)]
pub(crate) struct History {
    open: HashMap<String, Open>,
    last: u64,
}

struct Open {
    proposed: u64,
    released: bool,
}

impl History {
    pub(crate) fn observe(&mut self, seq: u64, kind: RowKind, reference: Option<&str>) {
        let Some(reference) = reference else { return };
        if let Some(number) = reference.strip_prefix('p').and_then(|number| number.parse().ok()) {
            self.last = self.last.max(number);
        }
        match kind {
            RowKind::Proposed => {
                self.open.entry(reference.to_owned()).or_insert(Open {
                    proposed: seq,
                    released: false,
                });
            }
            RowKind::Released => {
                if let Some(open) = self.open.get_mut(reference) {
                    open.released = true;
                }
            }
            // A rule with a proposal of its own is a grant, and that is how the proposal ends.
            RowKind::Refused
            | RowKind::Expired
            | RowKind::Withdrawn
            | RowKind::PageGone
            | RowKind::Outcome
            | RowKind::RuleMade => {
                self.open.remove(reference);
            }
            RowKind::Opened
            | RowKind::Recovered
            | RowKind::Door
            | RowKind::Read
            | RowKind::Amended
            | RowKind::Repriced
            | RowKind::SetAside
            | RowKind::LyingRead
            | RowKind::ChangedUnreleased
            | RowKind::PageHead
            | RowKind::PageChosen
            | RowKind::ClientPaired
            | RowKind::ClientRefused
            | RowKind::ClientUnpaired
            | RowKind::Phase
            | RowKind::Claim
            | RowKind::Photographed
            | RowKind::Prompt
            | RowKind::RuleEnded
            | RowKind::TurnedAway
            | RowKind::Paused
            | RowKind::Resumed
            | RowKind::WritesRevoked
            | RowKind::WritesRestored => {}
        }
    }

    /// The largest number a proposal has had; 0 when there was none.
    pub(crate) const fn last_proposal(&self) -> u64 {
        self.last
    }

    /// In the order in which they were proposed.
    pub(crate) fn unfinished(self) -> Vec<Unfinished> {
        let mut open: Vec<_> = self.open.into_iter().collect();
        open.sort_by_key(|(_, open)| open.proposed);
        let unfinished = |(id, open): (String, Open)| Unfinished {
            proposal: ProposalId(id),
            released: open.released,
        };
        open.into_iter().map(unfinished).collect()
    }
}
