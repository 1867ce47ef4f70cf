use std::time::Duration;

use countersign_contract::{DoorKind, Tab, TabState};

use super::state::{State, TabRecord};
use super::tools::GRACE;
use crate::DoorEvent;

/// Changes within this time are reported as one.
const TOGETHER: Duration = Duration::from_millis(30);

impl State {
    /// Something in the list of tabs and tools has changed: it is reported soon.
    pub fn changed(&mut self) {
        if !self.reporting {
            self.reporting = self.after(TOGETHER, |state| {
                state.reporting = false;
                state.report_tabs();
            });
        }
    }

    /// Does something later, if the browser is still there now.
    pub fn after(&self, wait: Duration, then: impl FnOnce(&mut Self) + Send + 'static) -> bool {
        let Some(browser) = &self.browser else { return false };
        let me = self.me.clone();
        browser.later.after(wait, move || {
            if let Some(inner) = me.upgrade() {
                then(&mut inner.state());
            }
        });
        true
    }

    fn report_tabs(&mut self) {
        let tabs = self.tabs.iter().map(|tab| self.tab(tab)).collect::<Vec<_>>();
        if tabs != self.shown {
            self.shown.clone_from(&tabs);
            self.report(DoorEvent::Tabs(tabs));
        }
        let awaited = self
            .frames
            .values()
            .any(|frame| frame.listed.keys().any(|name| self.is_awaited(frame, name)));
        if awaited && !self.awaiting {
            self.awaiting = self.after(GRACE, |state| {
                state.awaiting = false;
                state.changed();
            });
        }
    }

    fn tab(&self, tab: &TabRecord) -> Tab {
        let mut frames = self
            .frames
            .iter()
            .filter(|(_, frame)| frame.tab == tab.id)
            .collect::<Vec<_>>();
        frames.sort_by_key(|(id, frame)| (frame.parent.is_some(), *id));
        let top = frames
            .first()
            .filter(|(_, frame)| frame.parent.is_none())
            .map(|(_, frame)| *frame);
        let state = match top {
            _ if tab.crashed => TabState::Crashed,
            _ if tab.loading => TabState::Loading,
            Some(frame) if frame.page.as_ref().is_some_and(|page| page.webmcp) => TabState::Ready,
            _ => TabState::NoWebmcp,
        };
        let tools = frames
            .iter()
            .flat_map(|(id, frame)| frame.listed.keys().filter_map(|name| self.listed_tool(id, name)));
        Tab {
            id: tab.id.clone(),
            door: DoorKind::Browser,
            title: tab.title.clone(),
            url: top.map_or_else(|| tab.url.clone(), |frame| frame.url.clone()),
            origin: top.map_or_else(|| "null".into(), |frame| frame.origin.clone()),
            state,
            browser: None,
            window: tab.window.map(|id| id.to_string()),
            opener: tab.opener.clone(),
            tools: tools.collect(),
        }
    }
}
