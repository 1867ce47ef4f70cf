use std::time::Duration;

use countersign_contract::ChatItem;
use tokio::time::Instant;

use crate::Host;

/// How often a growing text is shown anew: a screen draws no faster, and a fast model sends hundreds of pieces a second.
const PACE: Duration = Duration::from_millis(30);

/// The model's text of one round, as it grows in the conversation. Nothing is shown before there is something to read.
pub(crate) struct Saying<'a> {
    host: &'a dyn Host,
    entry: Option<u64>,
    text: String,
    unseen: bool,
    due: Instant,
}

impl<'a> Saying<'a> {
    pub(crate) fn new(host: &'a dyn Host) -> Self {
        Self {
            host,
            entry: None,
            text: String::new(),
            unseen: false,
            due: Instant::now(),
        }
    }

    pub(crate) fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.unseen = !self.text.trim().is_empty();
        if self.unseen && Instant::now() >= self.due {
            self.show(false);
        }
    }

    /// When text that came since the last time is to be shown.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.unseen.then_some(self.due)
    }

    pub(crate) fn show(&mut self, done: bool) {
        let item = ChatItem::Text {
            text: self.text.clone(),
            done,
        };
        match self.entry {
            Some(entry) => self.host.update(entry, item),
            None => self.entry = Some(self.host.push(item)),
        }
        self.unseen = false;
        self.due = Instant::now() + PACE;
    }

    /// No more will come. `whole` is the text of the reply, when there is one.
    pub(crate) fn finish(mut self, whole: Option<&str>) -> String {
        if let Some(whole) = whole {
            whole.clone_into(&mut self.text);
        }
        if !self.text.trim().is_empty() || self.entry.is_some() {
            self.show(true);
        }
        self.text
    }
}
