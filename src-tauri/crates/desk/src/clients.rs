use std::sync::atomic::Ordering;

use countersign_contract::{ClientId, PairParams, ShownClientParams, TurnAwayParams, UnpairParams};

use crate::{Desk, DeskError};

/// Letting MCP clients in, and ending that.
impl Desk {
    /// The approval window has painted a client's card.
    pub fn client_shown(&self, params: &ShownClientParams) {
        let at = self.inner.clock.now();
        self.gate().client_shown(&params.client, &params.digest, &at);
        self.changed();
        self.wake_when_armed();
    }

    /// Lets a client in, as it was shown. The row is durable before the client may ask.
    ///
    /// # Errors
    /// When the card is not armed or has changed, or the ledger cannot be written.
    pub async fn pair(&self, params: PairParams) -> Result<(), DeskError> {
        let at = self.inner.clock.now();
        let draft = self.gate().pair(&params, &at)?;
        let durable = self.inner.ledger.append(draft.row().clone()).await?;
        self.gate().paired(draft, &durable)?;
        self.changed();
        Ok(())
    }

    /// Does not let a client in.
    ///
    /// # Errors
    /// When it does not ask to be.
    pub async fn turn_client_away(&self, params: &TurnAwayParams) -> Result<(), DeskError> {
        let row = self.gate().turn_client_away(&params.client)?;
        self.changed();
        self.record(row).await;
        Ok(())
    }

    /// Ends a pairing, with what the client asked for and is held; or lets a client ask again that was turned away.
    ///
    /// # Errors
    /// When there is no such client.
    pub async fn unpair(&self, params: &UnpairParams) -> Result<(), DeskError> {
        let at = self.inner.clock.now();
        let rows = self.gate().unpair(&params.client, &at)?;
        self.changed();
        for row in rows {
            self.record(row).await;
        }
        self.expire_all_of(&params.client, "its client is not paired any more")
            .await;
        Ok(())
    }

    /// Whether what a client asked for stays held when its last connection ends, from now on.
    pub fn keep_for_clients_that_leave(&self, keep: bool) {
        self.inner.keeps.store(keep, Ordering::Relaxed);
    }

    pub(crate) async fn client_left(&self, client: &ClientId) {
        let last = {
            let at = self.inner.clock.now();
            let mut gate = self.gate();
            gate.client_left(client);
            let clients = gate.clients(&at);
            clients.iter().all(|one| one.id != *client || one.connections == 0)
        };
        self.changed();
        if last && !self.inner.keeps.load(Ordering::Relaxed) {
            self.expire_all_of(client, "its client has gone").await;
        }
    }

    async fn expire_all_of(&self, client: &ClientId, why: &str) {
        let at = self.inner.clock.now();
        let held = self.gate().held_for(client);
        for proposal in held {
            let expired = self.gate().client_gone(&proposal, why, &at);
            if let Some((row, held)) = expired {
                self.record(row).await;
                self.let_know(&proposal, held);
                self.changed();
            }
        }
    }
}
