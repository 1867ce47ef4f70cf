//! Pages that keep a chain of their own have its head recorded, and remember the row.

use std::time::{Duration, Instant};

use countersign_contract::PageRef;
use countersign_contract::wire::{Head, ToPage};

use super::state::State;
use crate::DoorEvent;

/// A page cannot fill the ledger with its heads: what comes sooner after the last is not recorded.
const APART: Duration = Duration::from_secs(1);

impl State {
    pub fn head_told(&mut self, frame: &str, context: i64, number: u32, head: Head) {
        let now = Instant::now();
        let Some(of) = self.frames.get_mut(frame) else { return };
        let Some(page) = of.page.as_mut().filter(|page| page.context == context) else {
            return;
        };
        let session = of.session.clone();
        let is_soon = page.head_told.is_some_and(|last| now.duration_since(last) < APART);
        if is_soon || !head.is_well_formed() {
            return self.tell(&session, context, &ToPage::Head { number, row: None }, |_, _| {});
        }
        page.head_told = Some(now);
        let Some(of) = self.frames.get(frame) else { return };
        let page = self.page_ref(frame, of);
        self.report(DoorEvent::Head { page, number, head });
    }

    /// Tells the document that asked; one that came after it in the same frame did not.
    pub fn tell_head(&self, page: &PageRef, number: u32, row: Option<Head>) {
        let frame = self
            .frames
            .get(&page.frame)
            .filter(|frame| frame.document == page.document);
        if let Some((frame, side)) = frame.and_then(|frame| Some((frame, frame.page.as_ref()?))) {
            self.tell(&frame.session, side.context, &ToPage::Head { number, row }, |_, _| {});
        }
    }
}
