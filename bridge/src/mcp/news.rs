//! What became of writes that a client asked for, told with its next answer.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use countersign_contract::ProposalId;

use super::seat::{Seat, Told};

/// More than this is left to `list_proposals`.
const MOST: usize = 32;
/// How long it may take until it is noticed that a client has left.
const LOOK: Duration = Duration::from_secs(60);

#[derive(Clone, Default)]
pub(super) struct News {
    ended: Arc<Mutex<Vec<Told>>>,
}

impl News {
    /// Waits for the end of a write, and keeps it until there is an answer to tell it with. A client that has left is not kept here by
    /// what it waits for.
    pub fn follow(&self, seat: &Arc<dyn Seat>, proposal: ProposalId) {
        let (news, seat) = (self.clone(), Arc::downgrade(seat));
        tokio::spawn(async move {
            if let Some(told) = settled(seat, &proposal).await {
                let mut ended = news.ended.lock().unwrap_or_else(PoisonError::into_inner);
                ended.push(told);
                let too_many = ended.len().saturating_sub(MOST);
                ended.drain(..too_many);
            }
        });
    }

    /// The client has just been told of this one.
    pub fn told(&self, told: &Told) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.retain(|other| other.proposal != told.proposal);
    }

    pub fn take(&self) -> Vec<Told> {
        std::mem::take(&mut *self.ended.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn settled(seat: Weak<dyn Seat>, proposal: &ProposalId) -> Option<Told> {
    loop {
        let seat = seat.upgrade()?;
        if let Ok(told) = tokio::time::timeout(LOOK, seat.settled(proposal)).await {
            return told;
        }
    }
}
