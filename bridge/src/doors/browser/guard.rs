//! When requests are held: while a read runs, and for a time after. Which requests those are is [`super::scope`]'s.
//!
//! A read has one guard for its tab and origin. It is on while a read of theirs runs and for [`GuardTimes`] after the last one.
//! What a page puts off beyond that is not held.
//!
//! A released write is never held for a read that has ended: the time after the reads of its tab ends where it begins, and a
//! read the page begins while it runs is taken for the write's own until the write ends. A read that is still running when
//! the write begins stays guarded, and so does one the desk begins meanwhile.

use std::time::{Duration, Instant};

use countersign_contract::Tool;

use super::scope::rank;
use super::sent::{Sent, SentKind};
use super::state::{ForeignRead, State};

/// How long the page's function may run on after its call was cancelled. Nobody hears of its end.
const CANCELLED: Duration = Duration::from_secs(60);

/// How long what is sent after a read is put down to a released write that runs in the same tab. A page can leave its write
/// unfinished for good.
const WRITE: Duration = Duration::from_secs(60);

/// The released writes that run in a tab.
pub(super) struct Writing {
    writes: usize,
    /// When the last of them began.
    since: Instant,
}

impl Writing {
    #[cfg(test)]
    pub fn began_long_ago(&mut self) {
        self.since = Instant::now()
            .checked_sub(WRITE)
            .expect("the machine has been up for a minute");
    }
}

/// How long a guard stays on after a read.
#[derive(Clone, Copy)]
pub(super) struct GuardTimes {
    /// After any read.
    pub read: Duration,
    /// After a read of an origin one of whose reads was caught sending something.
    pub lie: Duration,
}

/// The tab of a read, and the origin of its tool.
pub(super) type GuardKey = (String, String);

pub(super) struct Guard {
    running: usize,
    until: Instant,
    /// Since when it has been on without a break.
    pub since: Instant,
    /// When the last read began.
    pub began: Instant,
    /// The site of the read, if it has one.
    pub site: Option<String>,
    /// The read that began last.
    pub tool: Tool,
}

impl Guard {
    pub fn is_running(&self) -> bool {
        self.running > 0
    }

    fn is_over(&self) -> bool {
        self.running == 0 && Instant::now() >= self.until
    }
}

fn key(tool: &Tool) -> GuardKey {
    (tool.page.tab.clone(), tool.page.origin.clone())
}

impl State {
    /// A read of this tool is about to run.
    pub fn begin_guard(&mut self, tool: &Tool) {
        self.guards.retain(|_, guard| !guard.is_over());
        let site = self.site_of(&tool.page.frame);
        let now = Instant::now();
        let guard = self.guards.entry(key(tool)).or_insert_with(|| Guard {
            running: 0,
            until: now,
            since: now,
            began: now,
            site,
            tool: tool.clone(),
        });
        guard.running += 1;
        guard.began = now;
        guard.tool = tool.clone();
        self.align_sockets();
    }

    /// A read of this tool has ended.
    pub fn end_guard(&mut self, tool: &Tool) {
        let until = Instant::now() + self.after_read_of(&tool.page.origin);
        if let Some(guard) = self.guards.get_mut(&key(tool)) {
            guard.running = guard.running.saturating_sub(1);
            guard.until = guard.until.max(until);
            self.watch_guards();
        }
    }

    fn after_read_of(&self, origin: &str) -> Duration {
        if self.caught.contains(origin) {
            self.guard_times.read.max(self.guard_times.lie)
        } else {
            self.guard_times.read
        }
    }

    /// A read of this tool was caught: from now on the time after the reads of its origin is longer.
    pub fn caught_lying(&mut self, tool: &Tool) {
        let origin = &tool.page.origin;
        self.caught.insert(origin.clone());
        let until = Instant::now() + self.after_read_of(origin);
        for (_, guard) in self.guards.iter_mut().filter(|((_, of), _)| of == origin) {
            guard.until = guard.until.max(until);
        }
    }

    /// A tab with reads is gone. What they left elsewhere (a worker, another tab) is still held for a while.
    pub fn guarded_tab_closed(&mut self, tab: &str) {
        let times = self.guards.keys().filter(|(of, _)| of == tab);
        let times = times.map(|key| (key.clone(), Instant::now() + self.after_read_of(&key.1)));
        for (key, until) in times.collect::<Vec<_>>() {
            if let Some(guard) = self.guards.get_mut(&key).filter(|guard| guard.running > 0) {
                guard.running = 0;
                guard.until = guard.until.max(until);
            }
        }
    }

    /// A read that somebody else makes is about to run. While a released write runs in its tab it may be the write that makes
    /// it, so it is guarded only from the end of that write on.
    pub fn begin_foreign_guard(&mut self, tool: &Tool) -> ForeignRead {
        let guarded = !self.writes_in(&tool.page.tab);
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
            self.end_guard(&read.tool);
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
        let now = Instant::now();
        let writing = self
            .writing
            .entry(tab.to_owned())
            .or_insert(Writing { writes: 0, since: now });
        writing.writes += 1;
        writing.since = now;
        for (_, guard) in self.guards.iter_mut().filter(|((of, _), _)| of == tab) {
            guard.until = Instant::now();
        }
        self.align_sockets();
        self.after(WRITE, State::align_sockets);
    }

    /// Whether a released write that began not long ago runs in this tab.
    pub fn writes_in(&self, tab: &str) -> bool {
        self.writing
            .get(tab)
            .is_some_and(|writing| writing.since.elapsed() < WRITE)
    }

    /// A released write in this tab has ended.
    pub fn end_write(&mut self, tab: &str) {
        if let Some(writing) = self.writing.get_mut(tab) {
            writing.writes -= 1;
            if writing.writes > 0 {
                return;
            }
            self.writing.remove(tab);
            self.storage.write_ended(tab);
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
            SentKind::Read { .. } => self.end_guard(&sent.tool),
            _ => self.end_write(&sent.tool.page.tab),
        }
    }

    /// The guards that are on now, each with its tab. In a tab where a released write runs only reads that run count.
    pub fn guards_on(&self) -> impl Iterator<Item = (&str, &Guard)> {
        self.guards.iter().filter_map(|((tab, _), guard)| {
            let after = !guard.is_over() && !self.writes_in(tab);
            (guard.is_running() || after).then_some((tab.as_str(), guard))
        })
    }

    /// The read that is guarded in this tab, or in one that opened it; with no tab, anywhere. Of several the one that runs, or
    /// ran, last.
    pub fn guarding(&self, tab: Option<&str>) -> Option<&Tool> {
        let line = tab.map(|tab| self.openers(tab));
        let near = |of: &str| line.as_ref().is_none_or(|line| line.contains(&of));
        let on = self.guards_on().filter(|(of, _)| near(of)).map(|(_, guard)| guard);
        on.max_by_key(|guard| rank(guard)).map(|guard| &guard.tool)
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
}
