use countersign_bridge::Executed;
use countersign_contract::{
    Arming, DoorKind, EditParams, HeldRef, Ingress, Preview, ProposalId, RefuseParams, ReleaseParams, SetAsideParams,
    ShownParams, Tool,
};
use countersign_gate::{Ended, Press, ReleaseDraft, Target, Ticket};

use crate::beside::Photographs;
use crate::ended::{ended, taken_at_its_word};
use crate::{Desk, DeskError};

/// What only the approval window may do.
impl Desk {
    /// The approval window is on screen, and active, as its shell measured it.
    pub fn window(&self, visible: bool, active: bool) {
        let at = self.inner.clock.now();
        self.gate().window(visible, active, &at);
        self.changed();
        self.wake_when_armed();
    }

    /// The approval window has painted a card.
    pub fn shown(&self, params: &ShownParams) {
        let at = self.inner.clock.now();
        self.gate().shown(&params.proposal, &params.digest, &at);
        self.changed();
        self.wake_when_armed();
    }

    // Arming ends by itself, and nothing else happens then: without a wake the window would go on drawing a dead button.
    pub(crate) fn wake_when_armed(&self) {
        let arming = self.state().proposals.into_iter().find_map(|card| match card.arming {
            Arming::Arming { remaining_ms } => Some(remaining_ms),
            _ => None,
        });
        if let Some(remaining) = arming {
            let desk = self.clone();
            self.inner.runtime.spawn(async move {
                tokio::time::sleep(std::time::Duration::from_millis(remaining + 1)).await;
                desk.changed();
            });
        }
    }

    /// Releases a proposal exactly as it was shown: asks the page again, makes the `released` row durable, and only then
    /// sends the act. Returns when it has been sent, not when it has ended.
    ///
    /// # Errors
    /// When the card is not armed or has changed, when something moved (held again), or the ledger cannot be written.
    pub async fn release(&self, params: ReleaseParams) -> Result<(), DeskError> {
        let desk = self.clone();
        // A window that closes in the middle must not leave a release half made.
        let task = tokio::spawn(async move {
            let at = desk.inner.clock.now();
            let press = desk.gate().press(&params, &at)?;
            desk.changed();
            let outcome = desk.carry_out(press).await;
            if outcome.is_ok() {
                desk.make_rule_along_with(&params.proposal).await;
            }
            desk.changed();
            outcome
        });
        match task.await {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }

    pub(crate) async fn carry_out(&self, press: Press) -> Result<(), DeskError> {
        let (tool, arguments) = (press.tool().cloned(), press.arguments().to_owned());
        let photographed = if press.runs() { tool.as_ref() } else { None };
        let photographs = self.photographs(photographed, &arguments).await;
        let draft = self.recheck(press).await?;
        let durable = match self.inner.ledger.append(draft.row().clone()).await {
            Ok(durable) => durable,
            Err(error) => {
                let at = self.inner.clock.now();
                self.gate().release_failed(draft, &at);
                return Err(DeskError::Ledger(error));
            }
        };
        if draft.is_grant() {
            let at = self.inner.clock.now();
            self.gate().grant(draft, &durable, &at)?;
            return Ok(());
        }
        let nonce: [u8; 16] = crate::record::nonce();
        let at = self.inner.clock.now();
        let ticket = self.gate().release(draft, durable, nonce, &at)?;
        self.execute(ticket, photographs);
        Ok(())
    }

    async fn recheck(&self, press: Press) -> Result<ReleaseDraft, DeskError> {
        let proposal = press.id().clone();
        let (tool, fresh) = self.ask_again(&press).await;
        let at = self.inner.clock.now();
        let checked = self.gate().recheck(press, tool.as_ref(), fresh, &at);
        let held = match checked {
            Ok(draft) => return Ok(draft),
            Err(held) => held,
        };
        let moved = held
            .moved
            .iter()
            .map(|m| format!("{} was {}, is {}", m.what, m.before, m.after));
        let words = moved.collect::<Vec<_>>().join("; ");
        if let Some(row) = held.row {
            self.record(row).await;
        }
        self.let_know(&proposal, held.held);
        Err(if words.is_empty() {
            DeskError::Gone
        } else {
            DeskError::Moved(words)
        })
    }

    async fn ask_again(&self, press: &Press) -> (Option<Tool>, Option<Preview>) {
        let Some(shown) = press.tool() else {
            return (None, None);
        };
        let Ok(door) = self.door(shown.page.door) else {
            return (None, None);
        };
        let tool = door.tool(&shown.key).await;
        let fresh = match &tool {
            Some(tool) => Some(self.ask_preview(tool, press.arguments()).await),
            None => None,
        };
        (tool, fresh)
    }

    fn execute(&self, ticket: Ticket, photographs: Photographs) {
        let proposal = ticket.proposal().clone();
        let door = self.door_of(&proposal);
        let at = self.inner.clock.now();
        let card = self.gate().get(&proposal, &at);
        let acting = card.and_then(|card| self.acting(card.caller.ingress, (&card.page).into()));
        let is_call = !matches!(ticket.target(), Target::HeldRequest { .. });
        let run = tokio::spawn(async move {
            let _acting = acting;
            match door {
                Some(door) => door.execute(ticket).await,
                None => Executed::NotRun {
                    message: DeskError::NoDoor.to_string(),
                },
            }
        });
        let desk = self.clone();
        tokio::spawn(async move {
            let ended = match run.await {
                Ok(executed) if is_call => ended(executed),
                Ok(executed) => taken_at_its_word(executed),
                Err(_) => Ended::Unknown {
                    message: "Countersign lost track of the call; it may or may not have run.".into(),
                },
            };
            let ran = !matches!(ended, Ended::NotRun { .. });
            let at = desk.inner.clock.now();
            let row = desk.gate().settle(&proposal, ended, &at);
            match row {
                Ok(row) => desk.record(row).await,
                Err(error) => {
                    tracing::error!(%proposal, %error, "an outcome came for a proposal that was not released")
                }
            }
            desk.changed();
            if ran {
                desk.compare(&proposal, photographs).await;
            }
        });
    }

    /// Refuses: nothing runs, and the caller is told why.
    ///
    /// # Errors
    /// When the proposal is not held any more, or the card has changed.
    pub async fn refuse(&self, params: RefuseParams) -> Result<(), DeskError> {
        let at = self.inner.clock.now();
        let (row, held) = self.gate().refuse(&params, &at)?;
        self.record(row).await;
        self.let_know(&params.proposal, held);
        self.make_rule_along_with(&params.proposal).await;
        self.changed();
        Ok(())
    }

    /// Changes the arguments: the next version, with its own digest and a fresh preview.
    ///
    /// # Errors
    /// When the proposal is not held any more, the card has changed, or the arguments cannot be shown exactly.
    pub async fn edit(&self, params: EditParams) -> Result<(), DeskError> {
        let at = self.inner.clock.now();
        let row = self.gate().edit(&params, &at)?;
        self.record(row).await;
        self.changed();
        self.start_preview(&params.proposal);
        Ok(())
    }

    /// Puts a proposal at the back of the queue, still held, or takes it up again.
    ///
    /// # Errors
    /// When the proposal is not held any more.
    pub async fn set_aside(&self, params: SetAsideParams) -> Result<(), DeskError> {
        let at = self.inner.clock.now();
        let row = self.gate().set_aside(&params, &at)?;
        if let Some(row) = row {
            self.record(row).await;
        }
        self.changed();
        Ok(())
    }

    /// Takes a held proposal back for its caller. Nothing happens when it is decided already, or when `by` did not ask for it.
    pub async fn withdraw(&self, proposal: &ProposalId, by: Ingress) {
        let at = self.inner.clock.now();
        let withdrawn = self.gate().withdraw(proposal, by, &at);
        if let Some((row, held)) = withdrawn {
            self.record(row).await;
            self.let_know(proposal, held);
            self.changed();
        }
    }

    /// Ends what has been held too long. Returns how long until the next one is due.
    pub(crate) async fn expire(&self) -> Option<std::time::Duration> {
        let at = self.inner.clock.now();
        let expired = self.gate().expire(&at);
        for (proposal, row, held) in expired {
            self.record(row).await;
            self.let_know(&proposal, held);
            self.changed();
        }
        let next = self.gate().next_expiry()?;
        Some(std::time::Duration::from_millis(
            next.saturating_sub(self.inner.clock.now().ms),
        ))
    }

    /// Tells the page's own caller, if a door holds its call, how its proposal ended.
    /// Nobody waits for it: a page that does not listen must not stop the desk.
    pub(crate) fn let_know(&self, proposal: &ProposalId, held: Option<HeldRef>) {
        let (Some(held), Some(answer)) = (held, self.answer(proposal)) else {
            return;
        };
        if let Some(door) = self.door_of(proposal) {
            tokio::spawn(async move { door.answer(&held, &answer.text).await });
        }
    }

    fn door_of(&self, proposal: &ProposalId) -> Option<std::sync::Arc<dyn countersign_bridge::Door>> {
        let at = self.inner.clock.now();
        let kind: DoorKind = self.gate().get(proposal, &at)?.page.door;
        self.door(kind).ok()
    }
}
