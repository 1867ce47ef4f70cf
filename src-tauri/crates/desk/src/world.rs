use std::collections::BTreeMap;

use countersign_contract::{Door, DoorKind, DoorState, Tab, TabRef, Tool, ToolKey};
use countersign_gate::{companion_of, is_companion, read_beside};

use crate::chosen::{Became, Chosen};

/// What the doors last said of themselves and their pages, and which of these the person chose.
#[derive(Default)]
pub(crate) struct World {
    doors: BTreeMap<DoorKind, DoorState>,
    tabs: BTreeMap<DoorKind, Vec<Tab>>,
    /// The number of each open tab; no other tab has it while the app runs.
    numbers: BTreeMap<TabRef, u64>,
    last: u64,
    pub chosen: Chosen,
}

/// A tab as those outside are told of it, companion previews left out.
pub(crate) struct OutsideTab {
    pub title: String,
    pub url: String,
    pub tools: Vec<Tool>,
}

const CLOSED: &str = "The agent’s page was closed. Choose another.";
const DOOR_CLOSED: &str = "The browser with the agent’s page is not there any more. Choose another page.";

impl World {
    /// Returns what that means for the person's choices, with the number of each tab.
    pub fn set_door(&mut self, kind: DoorKind, state: DoorState, now: u64) -> Vec<(Became, u64)> {
        let gone = match state {
            DoorState::Open { .. } => Vec::new(),
            _ => self.take_over(kind, Vec::new(), DOOR_CLOSED, now),
        };
        self.doors.insert(kind, state);
        gone
    }

    /// Returns what that means for the person's choices.
    pub fn set_tabs(&mut self, kind: DoorKind, tabs: Vec<Tab>, now: u64) -> Vec<(Became, u64)> {
        self.take_over(kind, tabs, CLOSED, now)
    }

    fn take_over(&mut self, kind: DoorKind, tabs: Vec<Tab>, why: &str, now: u64) -> Vec<(Became, u64)> {
        let before = self.tabs.insert(kind, tabs.clone()).unwrap_or_default();
        let new: Vec<_> = tabs
            .iter()
            .filter(|tab| !before.iter().any(|other| other.id == tab.id))
            .collect();
        for tab in &new {
            self.number_for(&(*tab).into());
            if kind == DoorKind::Relay {
                self.chosen.came_by_itself(tab);
            }
        }
        let became = self.chosen.listed(kind, &tabs, &new, why, now);
        let numbered = became.into_iter().map(|became| {
            let number = self.number(became.at());
            (became, number)
        });
        let numbered = numbered.collect();
        let is_gone = |tab: &&Tab| !tabs.iter().any(|other| other.id == tab.id);
        for tab in before.iter().filter(is_gone) {
            self.numbers.remove(&tab.into());
        }
        numbered
    }

    /// Looks again at where what was opened is.
    pub fn settle_origins(&mut self, kind: DoorKind) {
        let tabs = self.tabs.get(&kind).cloned().unwrap_or_default();
        self.chosen.listed(kind, &tabs, &[], CLOSED, 0);
    }

    pub fn doors(&self) -> Vec<Door> {
        self.doors
            .iter()
            .map(|(kind, status)| Door {
                kind: *kind,
                status: status.clone(),
            })
            .collect()
    }

    pub fn tabs(&self) -> Vec<Tab> {
        self.all_tabs().cloned().collect()
    }

    pub fn all_tabs(&self) -> impl Iterator<Item = &Tab> {
        self.tabs.values().flatten()
    }

    pub fn tab(&self, at: &TabRef) -> Option<&Tab> {
        self.tabs.get(&at.door)?.iter().find(|tab| tab.id == at.tab)
    }

    /// Every tool of every page, companion previews left out.
    pub fn tools(&self) -> Vec<Tool> {
        self.all_tabs().flat_map(|tab| offered(&tab.tools)).collect()
    }

    /// The tools of the agent's pages, companion previews left out.
    pub fn agents_tools(&self) -> Vec<Tool> {
        let pages = self.all_tabs().filter(|tab| self.chosen.is_for_the_agent(tab));
        pages.flat_map(|tab| offered(&tab.tools)).collect()
    }

    /// The number of a tab that was listed.
    pub fn number(&self, at: &TabRef) -> u64 {
        self.numbers.get(at).copied().unwrap_or_default()
    }

    /// The number of a tab; a new one where it has none.
    pub fn number_for(&mut self, at: &TabRef) -> u64 {
        *self.numbers.entry(at.clone()).or_insert_with(|| {
            self.last += 1;
            self.last
        })
    }

    /// Every tab that MCP clients may use, with its number, oldest first.
    pub fn pages(&self) -> Vec<(u64, OutsideTab)> {
        let tabs = self.all_tabs().filter(|tab| self.chosen.is_for_clients(tab));
        let mut pages: Vec<_> = tabs
            .map(|tab| {
                let outside = OutsideTab {
                    title: tab.title.clone(),
                    url: tab.url.clone(),
                    tools: offered(&tab.tools),
                };
                (self.number(&tab.into()), outside)
            })
            .collect();
        pages.sort_by_key(|(number, _)| *number);
        pages
    }

    pub fn tool(&self, key: &ToolKey) -> Option<Tool> {
        self.all().find(|tool| tool.key == *key).cloned()
    }

    /// The companion preview of a tool.
    pub fn companion(&self, tool: &Tool) -> Option<Tool> {
        self.all_tabs().find_map(|tab| companion_of(tool, &tab.tools)).cloned()
    }

    /// The read of that name in the document of a tool.
    pub fn beside(&self, tool: &Tool, name: &str) -> Option<Tool> {
        self.all_tabs()
            .find_map(|tab| read_beside(tool, name, &tab.tools))
            .cloned()
    }

    fn all(&self) -> impl Iterator<Item = &Tool> {
        self.all_tabs().flat_map(|tab| &tab.tools)
    }
}

fn offered(tools: &[Tool]) -> Vec<Tool> {
    tools
        .iter()
        .filter(|tool| !is_companion(tool, tools))
        .cloned()
        .collect()
}
