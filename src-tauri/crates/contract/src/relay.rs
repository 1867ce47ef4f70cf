use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Annotations, DoorKind, Tool};

/// How the person set up the relay: the door for pages that connect by themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "contract.ts")]
pub struct RelaySettings {
    /// It is turned on, and will be again at the next start.
    pub on: bool,
    /// The one origin it serves, such as `https://room.example`.
    pub origin: String,
    /// The port on 127.0.0.1.
    pub port: u16,
}

impl Default for RelaySettings {
    /// Off, for nobody, at the port that pages look at unless they are told otherwise.
    fn default() -> Self {
        Self {
            on: false,
            origin: String::new(),
            port: 7340,
        }
    }
}

/// The person's word that a tool only reads, for a page of the relay or one with the mcp-b widget that says nothing of it. It holds for this very definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct MarkedRead {
    /// The page's origin.
    pub origin: String,
    /// The tool's name.
    pub tool: String,
    /// The definition's digest.
    pub digest: String,
}

impl MarkedRead {
    /// Whether it is about this tool. It never is about a tool of another door, nor about one that says anything of itself.
    pub fn is_about(&self, tool: &Tool) -> bool {
        matches!(tool.page.door, DoorKind::Relay | DoorKind::McpB)
            && tool.annotations == Annotations::default()
            && (&*self.origin, &*self.tool, &*self.digest) == (&*tool.page.origin, &*tool.name, &*tool.digest)
    }
}

/// What a person has to be told about the relay, as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RelayState {
    /// The relay, while it is turned on.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<RelayInvite>,
    /// Whether a page is attached.
    pub attached: bool,
    /// The second page that was refused last.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedPage>,
    /// A browser is connected and says nothing: it waits for its person's leave to reach this computer, or was refused it.
    pub silent: bool,
    /// Why it could not be turned on at the start, and what to do.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A relay that is turned on, and how a page gets to it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RelayInvite {
    /// Where it listens, such as `127.0.0.1:7340`.
    pub address: String,
    /// The one origin it serves.
    pub origin: String,
    /// The first 8 characters of its token.
    pub fingerprint: String,
    /// The address to open in a browser. It holds the token, and whoever has that can take the page's place.
    pub url: String,
}

impl std::fmt::Debug for RelayInvite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RelayInvite")
            .field("address", &self.address)
            .field("origin", &self.origin)
            .field("fingerprint", &self.fingerprint)
            .field("url", &"<redacted>")
            .finish()
    }
}

/// A second page that was refused while another was attached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RefusedPage {
    /// What that page was told.
    pub reason: String,
    /// How many of its requests were refused.
    pub times: u32,
}

/// `turn_relay_on`: listen for pages of one origin, with a new token. A relay that is on already is closed first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RelayOnParams {
    /// As in [`RelaySettings::origin`].
    pub origin: String,
    /// As in [`RelaySettings::port`].
    pub port: u16,
}

/// `mark_read`: take a tool for a read from now on, or not any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct MarkReadParams {
    /// The tool and its definition.
    pub mark: MarkedRead,
    /// Whether it is to count as a read. `true` is taken only of a tool that the relay's page lists now.
    pub read: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_with_the_token_is_not_printed() {
        let on = RelayInvite {
            address: "127.0.0.1:7340".into(),
            origin: "https://room.example".into(),
            fingerprint: "01234567".into(),
            url: "https://room.example/?bridge=http://127.0.0.1:7340&token=0123456789abcdef".into(),
        };
        let printed = format!(
            "{:?}",
            RelayState {
                on: Some(on),
                ..RelayState::default()
            }
        );
        assert!(
            printed.contains("01234567") && !printed.contains("89abcdef"),
            "{printed}"
        );
    }
}
