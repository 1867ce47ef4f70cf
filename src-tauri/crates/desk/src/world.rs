use std::collections::BTreeMap;

use countersign_contract::{Door, DoorKind, DoorState, Tab, Tool, ToolKey};
use countersign_gate::{companion_of, is_companion, read_beside};

/// What the doors last said of themselves and their pages.
#[derive(Default)]
pub(crate) struct World {
    doors: BTreeMap<DoorKind, DoorState>,
    tabs: BTreeMap<DoorKind, Vec<Tab>>,
    /// The number of each open tab; no other tab has it while the app runs.
    numbers: BTreeMap<(DoorKind, String), u64>,
    last: u64,
}

/// A tab as those outside are told of it, companion previews left out.
pub(crate) struct OutsideTab {
    pub title: String,
    pub url: String,
    pub tools: Vec<Tool>,
}

impl World {
    pub fn set_door(&mut self, kind: DoorKind, state: DoorState) {
        if !matches!(state, DoorState::Open { .. }) {
            self.tabs.remove(&kind);
        }
        self.doors.insert(kind, state);
    }

    pub fn set_tabs(&mut self, kind: DoorKind, tabs: Vec<Tab>) {
        self.tabs.insert(kind, tabs);
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
        self.tabs.values().flatten().cloned().collect()
    }

    /// Every tool of every page, companion previews left out.
    pub fn tools(&self) -> Vec<Tool> {
        self.tabs
            .values()
            .flatten()
            .flat_map(|tab| offered(&tab.tools))
            .collect()
    }

    /// Every tab with its number, oldest first.
    pub fn pages(&mut self) -> Vec<(u64, OutsideTab)> {
        let tabs: Vec<_> = self.tabs.values().flatten().collect();
        self.numbers
            .retain(|(door, id), _| tabs.iter().any(|tab| tab.door == *door && tab.id == *id));
        let mut pages: Vec<_> = tabs
            .into_iter()
            .map(|tab| {
                let number = *self.numbers.entry((tab.door, tab.id.clone())).or_insert_with(|| {
                    self.last += 1;
                    self.last
                });
                let outside = OutsideTab {
                    title: tab.title.clone(),
                    url: tab.url.clone(),
                    tools: offered(&tab.tools),
                };
                (number, outside)
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
        self.tabs
            .values()
            .flatten()
            .find_map(|tab| companion_of(tool, &tab.tools))
            .cloned()
    }

    /// The read of that name in the document of a tool.
    pub fn beside(&self, tool: &Tool, name: &str) -> Option<Tool> {
        self.tabs
            .values()
            .flatten()
            .find_map(|tab| read_beside(tool, name, &tab.tools))
            .cloned()
    }

    fn all(&self) -> impl Iterator<Item = &Tool> {
        self.tabs.values().flatten().flat_map(|tab| &tab.tools)
    }
}

fn offered(tools: &[Tool]) -> Vec<Tool> {
    tools
        .iter()
        .filter(|tool| !is_companion(tool, tools))
        .cloned()
        .collect()
}
