use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

thread_local! {
    static LINES: RefCell<Vec<(Level, String)>> = const { RefCell::new(Vec::new()) };
}

/// Keeps what is logged from now on. Every test has a thread of its own, and the door it tests runs on it.
///
/// One for all threads: whether anybody listens is kept for each place that logs, and a thread without a listener would have it
/// kept that nobody does.
pub fn keep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Kept).unwrap();
        tracing::callsite::rebuild_interest_cache();
    });
}

/// Everything that was logged.
pub fn all() -> String {
    LINES.with_borrow(|lines| lines.iter().map(|(_, line)| format!("{line}\n")).collect())
}

/// What was logged aloud.
pub fn warnings() -> Vec<String> {
    LINES.with_borrow(|lines| {
        let warnings = lines.iter().filter(|(level, _)| *level <= Level::WARN);
        warnings.map(|(_, line)| line.clone()).collect()
    })
}

struct Kept;

fn note(metadata: &Metadata<'_>, visit: impl FnOnce(&mut Line)) {
    let mut line = Line(format!("{} {}", metadata.level(), metadata.target()));
    visit(&mut line);
    let _ = LINES.try_with(|lines| lines.borrow_mut().push((*metadata.level(), line.0)));
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        note(span.metadata(), |line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        note(event.metadata(), |line| event.record(line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
