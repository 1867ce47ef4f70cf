use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ClientId;

/// How well a fact is known. Derived from the [`Ingress`] it came through; no caller can pass one in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum Grade {
    /// Page code said so.
    ClientAsserted,
    /// Seen outside the page by Countersign itself.
    ServerObserved,
    /// Carried verbatim from another origin, with the SHA-256 of its bytes.
    Inherited,
    /// A signature over this very digest verifies.
    Attested,
}

/// The way an act came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum Ingress {
    /// The panel's own agent, driven by a model.
    PanelAgent,
    /// A tool run from the panel with no model between.
    PanelHand,
    /// An outside MCP client.
    McpClient,
    /// Code in the page, or another agent inside the browser: the page cannot tell which.
    Page,
    /// The browser's network layer, seen over the debugging protocol.
    BrowserNetwork,
    /// The native approval window.
    Approval,
    /// Countersign itself: start, recovery, expiry.
    Desk,
    /// Another origin's claim.
    Partner,
    /// A key that signed the digest.
    Presence,
}

impl Ingress {
    /// The strongest grade a fact that came through this way can carry.
    pub const fn grade(self) -> Grade {
        match self {
            Self::Page => Grade::ClientAsserted,
            Self::PanelAgent
            | Self::PanelHand
            | Self::McpClient
            | Self::BrowserNetwork
            | Self::Approval
            | Self::Desk => Grade::ServerObserved,
            Self::Partner => Grade::Inherited,
            Self::Presence => Grade::Attested,
        }
    }
}

/// Who asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Caller {
    /// The way the ask came in; fixes its grade.
    pub ingress: Ingress,
    /// What the caller calls itself, such as `qwen3 through Ollama`. Only as good as the grade.
    pub name: String,
    /// Which client, for an [`Ingress::McpClient`] and for nobody else.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
}

impl Caller {
    /// A caller that is no MCP client.
    pub fn new(ingress: Ingress, name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            ingress,
            name,
            client: None,
        }
    }

    /// The grade of everything this caller says.
    pub const fn grade(&self) -> Grade {
        self.ingress.grade()
    }
}

/// The input event behind an act, as it was seen. Only `is_trusted` is a measurement: page script cannot forge it, but
/// input made below the browser or the toolkit is trusted too. All other fields are decoration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "contract.ts")]
pub struct Fingerprint {
    /// The DOM event's `isTrusted`; absent when no event led to the act.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_trusted: Option<bool>,
    /// The event's type, such as `click` or `keydown`.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The events that came before it, joined by `+`, such as `pointerdown:mouse+mousedown`; `none` when there were none.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prelude: Option<String>,
    /// `UIEvent.detail`.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<i32>,
    /// `clientX`, `clientY`, in CSS pixels, rounded.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<[i32; 2]>,
    /// `screenX`, `screenY`, in CSS pixels, rounded.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen: Option<[i32; 2]>,
    /// `navigator.userActivation.isActive` at the time.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_activation: Option<bool>,
    /// Milliseconds between the card's first paint and the act; approval window only.
    #[ts(optional, type = "number")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dwell_ms: Option<u64>,
    /// `navigator.webdriver`: the window was under UI automation.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automated: Option<bool>,
}
