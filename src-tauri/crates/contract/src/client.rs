use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Arming, Fingerprint};

/// An MCP client's name here: `c` and a number that is never used again in one ledger.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[ts(export_to = "contract.ts")]
pub struct ClientId(pub String);

impl std::fmt::Display for ClientId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a client reaches the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum ClientWay {
    /// It started `countersign-bridge mcp`, which joined the app over its local socket.
    Stdio,
    /// Streamable HTTP on loopback, with a token.
    Http,
}

/// Who a client is. What it calls itself is its own word; `program` and `process` were measured.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ClientWho {
    /// What it calls itself, such as `claude-code`. Untrusted text.
    pub name: String,
    /// The version it says it has; empty when it says none. Untrusted text.
    pub version: String,
    /// How it came.
    pub way: ClientWay,
    /// The program that started the bridge, as the system tells; absent where the system tells nothing.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Its process now; absent where the system tells nothing.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<u32>,
    /// The name of the token it came with.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl ClientWho {
    /// Whether a pairing of one is a pairing of the other: version and process may differ.
    pub fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.way == other.way && self.program == other.program && self.token == other.token
    }
}

/// How a client stands to the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum ClientStanding {
    /// It waits for somebody to pair it. Until then it sees and calls nothing.
    Asking {
        /// Whether it can be paired now; the rule is the gate's.
        arming: Arming,
    },
    /// It may read, and ask for writes.
    Paired {
        /// Since when.
        at: String,
    },
    /// It was turned away, until Countersign ends or somebody lets it ask again.
    Refused,
}

/// An MCP client that has come to the desk, or may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Client {
    /// Its name here.
    pub id: ClientId,
    /// Who it is.
    pub who: ClientWho,
    /// How it stands.
    pub standing: ClientStanding,
    /// How often it is connected now.
    pub connections: u32,
    /// SHA-256 of what its card shows.
    pub digest: String,
}

/// `approval_client_shown`: the approval window has painted a client's card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ShownClientParams {
    /// The client.
    pub client: ClientId,
    /// The digest of what was painted.
    pub digest: String,
}

/// `approval_pair`: let a client in, exactly as it was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct PairParams {
    /// The client.
    pub client: ClientId,
    /// The digest of what was shown.
    pub digest: String,
    /// What was measured of the press.
    pub fingerprint: Fingerprint,
}

/// `approval_turn_away`: do not let a client in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct TurnAwayParams {
    /// The client.
    pub client: ClientId,
}

/// `unpair`: end a pairing, or let a client ask again that was turned away. What it asked for and is held is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct UnpairParams {
    /// The client.
    pub client: ClientId,
}

/// How the person set up what MCP clients may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "contract.ts")]
pub struct ClientSettings {
    /// What a client asked for stays held when its last connection ends; otherwise it is taken back.
    pub keep: bool,
    /// Clients may come over HTTP, and may again at the next start.
    pub http: bool,
    /// The port on 127.0.0.1 for those.
    pub port: u16,
    /// The tokens that let a client come over HTTP.
    pub tokens: Vec<ClientToken>,
}

impl Default for ClientSettings {
    /// What is held stays held, and nobody comes over HTTP.
    fn default() -> Self {
        Self {
            keep: true,
            http: false,
            port: 7350,
            tokens: Vec::new(),
        }
    }
}

/// A token for HTTP. The token itself is shown once and kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ClientToken {
    /// The name the person gave it.
    pub name: String,
    /// SHA-256 of it.
    pub digest: String,
}

/// `make_client_token`: a token of that name, in place of an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ClientTokenParams {
    /// Its name.
    pub name: String,
}

/// What [`ClientTokenParams`] gets.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct NewClientToken {
    /// The token. It is not shown again.
    pub token: String,
}

/// `set_clients`: whether what clients asked for outlives their connection, and whether they may come over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct SetClientsParams {
    /// As [`ClientSettings::keep`].
    pub keep: bool,
    /// As [`ClientSettings::http`].
    pub http: bool,
    /// As [`ClientSettings::port`].
    pub port: u16,
}

/// How clients reach the app now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ClientDoors {
    /// The program that a client starts, with `mcp` as its argument; absent when it is not beside the app.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Why programs cannot join the app; absent when all is well.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The address for HTTP; absent while nobody may come that way.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
    /// Why HTTP could not be turned on.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_problem: Option<String>,
}
