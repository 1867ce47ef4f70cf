use std::time::{Duration, Instant};

use countersign_contract::Tool;

use super::sent::{Sent, SentKind};
use super::state::{ForeignRead, State};

/// How long the page's function may run on after its call was cancelled. Nobody hears of its end.
const CANCELLED: Duration = Duration::from_secs(60);

/// While it is on, a tab's requests that could change something are held. It is on while a read runs and for a time after.
///
/// While a released write runs in the tab, nothing is held but for reads of the desk and reads that were running when it began:
/// the time after a read ends there, and a read the page begins meanwhile is taken for the write's own until the write ends.
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
        self.align_sockets();
    }

    /// A read in this tab has ended.
    pub fn end_guard(&mut self, tab: &str) {
        let after: Duration = self.guard_after_read;
        if let Some(guard) = self.guards.get_mut(tab) {
            guard.running = guard.running.saturating_sub(1);
            guard.until = guard.until.max(Instant::now() + after);
            self.watch_guards();
        }
    }

    /// A read that somebody else makes is about to run. While a released write runs in its tab it may be the write that makes
    /// it, so it is guarded only from the end of that write on.
    pub fn begin_foreign_guard(&mut self, tool: &Tool) -> ForeignRead {
        let guarded = !self.writing.contains_key(&tool.page.tab);
        if guarded {
            self.begin_guard(tool);
        }
        ForeignRead {
            tool: Box::new(tool.clone()),
            guarded,
        }
    }

    /// A read that somebody else made has ended.
    pub fn end_foreign_guard(&mut self, read: &ForeignRead) {
        if read.guarded {
            self.end_guard(&read.tool.page.tab);
        }
    }

    /// A read was cancelled, and the page's function runs on unheard: the guard stays on for [`CANCELLED`], or until the
    /// document goes.
    pub fn guard_cancelled(&mut self, invocation: String, read: ForeignRead) {
        self.foreign_reads.insert(invocation.clone(), read);
        self.after(CANCELLED, move |state| {
            if let Some(read) = state.foreign_reads.remove(&invocation) {
                state.end_foreign_guard(&read);
            }
        });
    }

    /// A released write is about to run in this tab. Its requests cannot be told from those that a read left behind, so the
    /// time after a read ends here; a read that is still running goes on being guarded.
    pub fn begin_write(&mut self, tab: &str) {
        *self.writing.entry(tab.to_owned()).or_default() += 1;
        if let Some(guard) = self.guards.get_mut(tab) {
            guard.until = Instant::now();
        }
        self.align_sockets();
    }

    /// A released write in this tab has ended.
    pub fn end_write(&mut self, tab: &str) {
        if let Some(writes) = self.writing.get_mut(tab) {
            *writes -= 1;
            if *writes > 0 {
                return;
            }
            self.writing.remove(tab);
        }
        let reads = self.foreign_reads.values_mut().chain(self.reading.values_mut());
        let unguarded = reads.filter(|read| !read.guarded && read.tool.page.tab == tab);
        let tools = unguarded.map(|read| {
            read.guarded = true;
            read.tool.clone()
        });
        for tool in tools.collect::<Vec<_>>() {
            self.begin_guard(&tool);
        }
        self.align_sockets();
    }

    pub fn end_guard_of(&mut self, sent: &Sent) {
        match sent.kind {
            SentKind::Read { .. } => self.end_guard(&sent.tool.page.tab),
            _ => self.end_write(&sent.tool.page.tab),
        }
    }

    /// When the first of the guards ends that no read runs under any more.
    pub fn next_guard_end(&self) -> Option<Instant> {
        let now = Instant::now();
        let ends = self
            .guards
            .values()
            .filter(|guard| guard.running == 0)
            .map(|guard| guard.until);
        ends.filter(|end| *end > now).min()
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
