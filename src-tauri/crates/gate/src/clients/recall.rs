use countersign_contract::{ClientId, ClientWay, ClientWho, Row, RowKind};
use serde_json::Value;

use super::{Clients, Known, Standing};

/// The pairings that outlive a restart, gathered from the ledger's rows as they are read.
#[derive(Debug, Default)]
pub(crate) struct Pairings {
    list: Vec<Known>,
    last: u64,
}

impl Pairings {
    /// One row; those that are about no client are let pass.
    pub fn see(&mut self, row: &Row) {
        let Some(id) = row.data["client"].as_str() else { return };
        if let Some(number) = id.strip_prefix('c').and_then(|number| number.parse().ok()) {
            self.last = self.last.max(number);
        }
        let id = ClientId(id.to_owned());
        match row.kind {
            RowKind::ClientPaired => {
                self.list.retain(|known| known.id != id);
                // One that cannot be read has to ask again.
                self.list.extend(who(&row.data["who"]).map(|who| Known {
                    id,
                    who,
                    standing: Standing::Paired { at: row.at.clone() },
                    connections: 0,
                }));
            }
            RowKind::ClientUnpaired => self.list.retain(|known| known.id != id),
            _ => {}
        }
    }

    pub fn into_clients(self) -> Clients {
        let Self { list, last } = self;
        Clients { list, last }
    }
}

fn who(said: &Value) -> Option<ClientWho> {
    let text = |member: &str| said[member].as_str().map(ToOwned::to_owned);
    Some(ClientWho {
        name: text("name")?,
        version: text("version")?,
        way: match said["way"].as_str()? {
            "stdio" => ClientWay::Stdio,
            "http" => ClientWay::Http,
            _ => return None,
        },
        program: text("program"),
        process: None,
        token: text("token"),
    })
}
