use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{DoorKind, PageRef, Tab};

/// A tab, among those of every door.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct TabRef {
    /// Its door.
    pub door: DoorKind,
    /// [`Tab::id`].
    pub tab: String,
}

impl From<&Tab> for TabRef {
    fn from(tab: &Tab) -> Self {
        Self {
            door: tab.door,
            tab: tab.id.clone(),
        }
    }
}

impl From<&PageRef> for TabRef {
    fn from(page: &PageRef) -> Self {
        Self {
            door: page.door,
            tab: page.tab.clone(),
        }
    }
}

/// A page as a person knows it, and who may act on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ListedPage {
    /// Its tab.
    pub at: TabRef,
    /// Its number among the tabs of this run; MCP clients know it as `t3`.
    #[ts(type = "number")]
    pub number: u64,
    /// Its title, else its address. The page's own words.
    pub name: String,
    /// The host and port it is on; empty when it is on none.
    pub host: String,
    /// Its place among pages of the same name and host, from 1; absent when there is no other.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twin: Option<u32>,
    /// The browser and, where it has several, the window that it is in.
    pub place: String,
    /// Why the panel's agent may use it; absent when it may not.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentUse>,
    /// MCP clients may use it.
    pub offered: bool,
    /// It is on an origin that the person did not choose it at, so nobody but the person uses it until they say so.
    pub moved: bool,
}

/// Why a page is one of the agent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum AgentUse {
    /// The person pinned it.
    Pinned,
    /// One of the agent's pages opened it while the agent acted there.
    Opened,
}

/// `pin_page`, `go_on_with_page`: the tab, at the origin that the person saw it at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ChoosePageParams {
    /// The tab.
    pub at: TabRef,
    /// [`Tab::origin`] as it was shown.
    pub origin: String,
}

/// `leave_page`: it is none of the agent's pages any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct LeavePageParams {
    /// The tab.
    pub at: TabRef,
}

/// `offer_page`: whether MCP clients may use it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct OfferPageParams {
    /// The tab.
    pub at: TabRef,
    /// [`Tab::origin`] as it was shown.
    pub origin: String,
    /// They may.
    pub offered: bool,
}
