use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::RefusedPage;

/// How the person set up the door for pages with the widget of `@mcp-b/webmcp-local-relay`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "contract.ts")]
pub struct McpBSettings {
    /// It is turned on, and will be again at the next start.
    pub on: bool,
    /// The origins of pages that may come, such as `https://room.example`.
    pub origins: Vec<String>,
    /// Other origins that these pages take the widget from, such as `https://cdn.jsdelivr.net`.
    pub widgets: Vec<String>,
    /// The port on 127.0.0.1.
    pub port: u16,
}

impl Default for McpBSettings {
    /// Off, for nobody, at the port where the widget looks first.
    fn default() -> Self {
        Self {
            on: false,
            origins: Vec::new(),
            widgets: Vec::new(),
            port: 9333,
        }
    }
}

/// What a person has to be told about the door for mcp-b pages, as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct McpBState {
    /// Where it listens, such as `127.0.0.1:9333`, while it is turned on.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// How many pages are connected.
    pub pages: u32,
    /// Who was refused last since it was turned on.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedPage>,
    /// Why it could not be turned on at the start, and what to do.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// `turn_mcp_b_on`: listen for pages of these origins. A door that is on already is closed first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct McpBOnParams {
    /// As in [`McpBSettings::origins`].
    pub origins: Vec<String>,
    /// As in [`McpBSettings::widgets`].
    pub widgets: Vec<String>,
    /// As in [`McpBSettings::port`].
    pub port: u16,
}
