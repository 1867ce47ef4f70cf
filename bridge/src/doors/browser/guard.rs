use std::time::{Duration, Instant};

use countersign_contract::Tool;

use super::sent::{Sent, SentKind};
use super::state::State;

/// While it is on, a tab's requests that could change something are held. It is on while a read runs and for a time after;
/// that time ends when a released write begins in the tab, whose requests are its own.
pub(super) struct Guard {
    running: usize,
    until: Instant,
    /// The read that ran last.
    pub tool: Tool,
}

impl State {
    /// A read of this tool is about to run.
    pub fn begin_guard(&mut self, tool: &Tool) {
        let guard = self.guards.entry(tool.page.tab.clone()).or_insert_with(|| Guard {
            running: 0,
            until: Instant::now(),
            tool: tool.clone(),
        });
        guard.running += 1;
        guard.tool = tool.clone();
    }

    /// A read in this tab has ended.
    pub fn end_guard(&mut self, tab: &str) {
        let after: Duration = self.guard_after_read;
        if let Some(guard) = self.guards.get_mut(tab) {
            guard.running = guard.running.saturating_sub(1);
            guard.until = guard.until.max(Instant::now() + after);
        }
    }

    /// A released write is about to run in this tab. Its requests cannot be told from those that a read left behind, so the
    /// time after a read ends here; a read that is still running goes on being guarded.
    pub fn lift_guard(&mut self, tab: &str) {
        if let Some(guard) = self.guards.get_mut(tab) {
            guard.until = Instant::now();
        }
    }

    /// A released write is about to run in this tab.
    pub fn begin_write(&mut self, tab: &str) {
        *self.writing.entry(tab.to_owned()).or_default() += 1;
        if let Some(guard) = self.guards.get_mut(tab) {
            guard.until = Instant::now();
        }
    }

    /// A released write in this tab has ended.
    pub fn end_write(&mut self, tab: &str) {
        if let Some(writes) = self.writing.get_mut(tab) {
            *writes -= 1;
            if *writes == 0 {
                self.writing.remove(tab);
            }
        }
    }

    pub fn end_guard_of(&mut self, sent: &Sent) {
        match sent.kind {
            SentKind::Read { .. } => self.end_guard(&sent.tool.page.tab),
            _ => self.end_write(&sent.tool.page.tab),
        }
    }

    fn is_on(&self, tab: &str, guard: &Guard) -> bool {
        guard.running > 0 || (Instant::now() < guard.until && !self.writing.contains_key(tab))
    }

    /// The read a request of this tab is held for. A tab that a guarded one opened is guarded too; a request that belongs to no
    /// known tab (a worker's) is held while any guard is on.
    pub fn guarding(&self, tab: Option<&str>) -> Option<&Tool> {
        let Some(tab) = tab else {
            return self
                .guards
                .iter()
                .find(|(tab, guard)| self.is_on(tab, guard))
                .map(|(_, guard)| &guard.tool);
        };
        let mut tab = Some(tab);
        // Openers form no circle, but they come from the browser.
        for _ in 0..16 {
            let id = tab?;
            if let Some(guard) = self.guards.get(id).filter(|guard| self.is_on(id, guard)) {
                return Some(&guard.tool);
            }
            tab = self
                .tabs
                .iter()
                .find(|record| record.id == id)
                .and_then(|record| record.opener.as_deref());
        }
        None
    }
}
