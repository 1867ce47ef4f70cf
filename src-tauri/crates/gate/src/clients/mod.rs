//! Which MCP clients may ask at all. One is let in by a press on a card that was in view long enough, exactly as a write is
//! released, and only once its row is durable; the ledger is where pairings live.

mod recall;

use countersign_contract::{
    Arming, Client, ClientId, ClientStanding, ClientWho, PairParams, ProposalId, RevokeRuleParams, RowDraft, RowKind,
};
use countersign_ledger::DurableRow;
use serde_json::{Value, json};

pub(crate) use recall::Pairings;

use crate::arming::Eye;
use crate::digest::sha256;
use crate::gate::Gate;
use crate::{At, GateError, rows};

/// How many clients may wait to be let in; whoever comes after them is told so.
const MOST_ASKING: usize = 8;
/// What a client says of itself is cut to this.
const LONGEST: usize = 80;

#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub id: ClientId,
    pub who: ClientWho,
    pub standing: Standing,
    pub connections: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Asking,
    Paired { at: String },
    Refused,
}

/// Every client of this run, and those that were let in before.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    list: Vec<Known>,
    last: u64,
}

/// A pairing that waits for its row to become durable. The client may not ask yet.
#[derive(Debug)]
pub struct PairDraft {
    client: ClientId,
    at: String,
    row: RowDraft,
}

impl PairDraft {
    /// The row to write.
    pub fn row(&self) -> &RowDraft {
        &self.row
    }
}

impl Clients {
    fn find_mut(&mut self, id: &ClientId) -> Result<&mut Known, GateError> {
        let found = self.list.iter_mut().find(|known| known.id == *id);
        found.ok_or_else(|| GateError::NoClient(id.clone()))
    }

    fn get(&self, id: &ClientId) -> Option<&Known> {
        self.list.iter().find(|known| known.id == *id)
    }

    /// Only so many wait to be let in. The longest forgotten is one that is not connected any more.
    fn make_room(&mut self) -> Result<(), GateError> {
        let asks = |known: &Known| known.standing == Standing::Asking;
        if self.list.iter().filter(|known| asks(known)).count() < MOST_ASKING {
            return Ok(());
        }
        let gone = self.list.iter().position(|known| asks(known) && known.connections == 0);
        self.list.remove(gone.ok_or(GateError::TooManyClients)?);
        Ok(())
    }

    fn next_id(&mut self) -> ClientId {
        self.last += 1;
        ClientId(format!("c{}", self.last))
    }
}

impl Known {
    /// SHA-256 of what is let in with its card. Its process is not: one that connects anew for every call has another each time.
    fn digest(&self) -> String {
        let who = ClientWho {
            process: None,
            ..self.who.clone()
        };
        sha256(&json!({ "id": self.id, "who": who }).to_string())
    }

    fn card(&self) -> ProposalId {
        card(&self.id)
    }

    fn row(&self, kind: RowKind, mut more: Value) -> RowDraft {
        more["client"] = json!(self.id);
        more["who"] = said(&self.who);
        rows::of_approval(kind, more)
    }
}

/// The name its card has before the eye: no proposal is called so.
fn card(client: &ClientId) -> ProposalId {
    ProposalId(client.0.clone())
}

/// Who it is, as a row has it.
fn said(who: &ClientWho) -> Value {
    let mut said = json!(who);
    if let Some(process) = who.process {
        said["process"] = process.to_string().into();
    }
    said
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

impl Gate {
    /// A client has come. One that is known is known again; any other waits to be let in.
    ///
    /// # Errors
    /// [`GateError::TooManyClients`].
    pub fn client_joined(&mut self, who: ClientWho) -> Result<ClientId, GateError> {
        let who = ClientWho {
            name: cut(&who.name),
            version: cut(&who.version),
            ..who
        };
        let clients = &mut self.clients;
        if let Some(known) = clients.list.iter_mut().find(|known| known.who.is_same(&who)) {
            known.connections = known.connections.saturating_add(1);
            known.who = who;
            return Ok(known.id.clone());
        }
        clients.make_room()?;
        let id = clients.next_id();
        clients.list.push(Known {
            id: id.clone(),
            who,
            standing: Standing::Asking,
            connections: 1,
        });
        Ok(id)
    }

    /// A client has gone. It can still be let in: some connect anew for every call.
    pub fn client_left(&mut self, client: &ClientId) {
        if let Ok(known) = self.clients.find_mut(client) {
            known.connections = known.connections.saturating_sub(1);
        }
    }

    /// Whether this client may ask.
    ///
    /// # Errors
    /// [`GateError::NotPaired`], with what it is to be told.
    pub fn admit(&self, client: Option<&ClientId>) -> Result<(), GateError> {
        let standing = client
            .and_then(|client| self.clients.get(client))
            .map(|known| &known.standing);
        match standing {
            Some(Standing::Paired { .. }) => Ok(()),
            Some(Standing::Asking) => Err(GateError::NotPaired {
                why: "the person has not let this client in yet: its card waits in Countersign's approval window"
                    .into(),
            }),
            Some(Standing::Refused) => Err(GateError::NotPaired {
                why: "the person did not let this client in".into(),
            }),
            None => Err(GateError::NotPaired {
                why: "this client is not paired with Countersign".into(),
            }),
        }
    }

    /// Every client, those that ask first.
    pub fn clients(&self, at: &At) -> Vec<Client> {
        let mut clients: Vec<_> = self
            .clients
            .list
            .iter()
            .map(|known| client(known, &self.eye, at))
            .collect();
        clients.sort_by_key(|client| match client.standing {
            ClientStanding::Asking { .. } => 0,
            ClientStanding::Paired { .. } => 1,
            ClientStanding::Refused => 2,
        });
        clients
    }

    /// Its card was painted.
    pub fn client_shown(&mut self, client: &ClientId, digest: &str, at: &At) {
        if self
            .clients
            .get(client)
            .is_some_and(|known| known.standing == Standing::Asking)
        {
            self.eye.shown(&card(client), digest, at.ms);
        }
    }

    /// Somebody pressed to let a client in. It is let in once the row is durable.
    ///
    /// # Errors
    /// [`GateError::NoClient`], [`GateError::Stale`], [`GateError::Automated`], or [`GateError::NotArmed`].
    pub fn pair(&self, params: &PairParams, at: &At) -> Result<PairDraft, GateError> {
        let known = self.clients.get(&params.client);
        let known = known.ok_or_else(|| GateError::NoClient(params.client.clone()))?;
        let digest = known.digest();
        if known.standing != Standing::Asking || digest != params.digest {
            return Err(GateError::Stale);
        }
        if self.policy.refuse_automated && params.fingerprint.automated == Some(true) {
            return Err(GateError::Automated);
        }
        let seen_ms = match self.eye.arming(&known.card(), &digest, at.ms) {
            Arming::Armed => self.eye.seen_ms(&known.card(), &digest, at.ms).unwrap_or_default(),
            Arming::Arming { remaining_ms } => return Err(GateError::NotArmed { remaining_ms }),
            Arming::Unseen | Arming::Dead { .. } => {
                let remaining_ms = self.eye.arming_ms();
                return Err(GateError::NotArmed { remaining_ms });
            }
        };
        let data = json!({ "seenMs": seen_ms.to_string(), "fingerprint": rows::fingerprint(&params.fingerprint) });
        Ok(PairDraft {
            client: known.id.clone(),
            at: at.utc.clone(),
            row: known.row(RowKind::ClientPaired, data),
        })
    }

    /// The pairing's row is durable: from here on the client may ask.
    ///
    /// # Errors
    /// [`GateError::NoClient`] when it has gone, and [`GateError::Stale`] when the row is another one.
    pub fn paired(&mut self, draft: PairDraft, row: &DurableRow) -> Result<(), GateError> {
        if !rows::is_row_of(&draft.row, row.row()) {
            return Err(GateError::Stale);
        }
        let known = self.clients.find_mut(&draft.client)?;
        known.standing = Standing::Paired { at: draft.at };
        Ok(())
    }

    /// A client that asks is not let in.
    ///
    /// # Errors
    /// [`GateError::NoClient`], or [`GateError::Stale`] when it does not ask any more.
    pub fn turn_client_away(&mut self, client: &ClientId) -> Result<RowDraft, GateError> {
        let known = self.clients.find_mut(client)?;
        if known.standing != Standing::Asking {
            return Err(GateError::Stale);
        }
        known.standing = Standing::Refused;
        Ok(known.row(RowKind::ClientRefused, json!({})))
    }

    /// Ends a pairing, with every rule that was made for it; it may not ask from here on. One that was turned away may ask
    /// again. Returns what is to be recorded of it.
    ///
    /// # Errors
    /// [`GateError::NoClient`].
    pub fn unpair(&mut self, client: &ClientId, at: &At) -> Result<Vec<RowDraft>, GateError> {
        let known = self.clients.find_mut(client)?;
        let was = std::mem::replace(&mut known.standing, Standing::Asking);
        if was == Standing::Asking {
            return Ok(Vec::new());
        }
        let data = json!({ "client": known.id, "who": said(&known.who) });
        if known.connections == 0 {
            self.clients.list.retain(|known| known.id != *client);
        }
        if was == Standing::Refused {
            return Ok(Vec::new());
        }
        let mut rows = vec![rows::of_panel(RowKind::ClientUnpaired, data)];
        let rules = self
            .rules(at)
            .into_iter()
            .filter(|rule| rule.client.as_ref() == Some(client));
        for rule in rules {
            rows.extend(self.revoke(&RevokeRuleParams { rule: Some(rule.id) }, at)?);
        }
        Ok(rows)
    }

    /// What a client has asked for and is still held.
    pub fn held_for(&self, client: &ClientId) -> Vec<ProposalId> {
        self.in_order(|entry| entry.caller.client.as_ref() == Some(client) && entry.phase.can_close())
    }

    /// Everything this client has asked for in this run, oldest first.
    pub fn asked_by(&self, client: &ClientId) -> Vec<ProposalId> {
        self.in_order(|entry| entry.caller.client.as_ref() == Some(client) && entry.is_recorded())
    }
}

fn client(known: &Known, eye: &Eye, at: &At) -> Client {
    let digest = known.digest();
    let standing = match &known.standing {
        Standing::Asking => ClientStanding::Asking {
            arming: eye.arming(&known.card(), &digest, at.ms),
        },
        Standing::Paired { at } => ClientStanding::Paired { at: at.clone() },
        Standing::Refused => ClientStanding::Refused,
    };
    Client {
        id: known.id.clone(),
        who: known.who.clone(),
        standing,
        connections: known.connections,
        digest,
    }
}
