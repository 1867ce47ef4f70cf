use countersign_contract::{Arming, ProposalId};

/// What the approval window has in front of somebody: one card at most, and since when.
#[derive(Debug)]
pub(crate) struct Eye {
    arming_ms: u64,
    /// Since when the window has been visible and active without a break.
    watching: Option<u64>,
    shown: Option<Shown>,
}

#[derive(Debug)]
struct Shown {
    proposal: ProposalId,
    digest: String,
    since: u64,
}

impl Eye {
    pub(crate) fn new(arming_ms: u64) -> Self {
        Self {
            arming_ms,
            watching: None,
            shown: None,
        }
    }

    pub(crate) fn window(&mut self, visible: bool, active: bool, now: u64) {
        self.watching = match (visible && active, self.watching) {
            (true, since) => Some(since.unwrap_or(now)),
            (false, _) => None,
        };
    }

    pub(crate) fn shown(&mut self, proposal: &ProposalId, digest: &str, now: u64) {
        let same = self
            .shown
            .as_ref()
            .is_some_and(|shown| shown.proposal == *proposal && shown.digest == digest);
        if !same {
            self.shown = Some(Shown {
                proposal: proposal.clone(),
                digest: digest.to_owned(),
                since: now,
            });
        }
    }

    /// The card changed: what was painted of it before does not count, not even if it changes back.
    pub(crate) fn restart(&mut self, proposal: &ProposalId, now: u64) {
        if let Some(shown) = self.shown.as_mut().filter(|shown| shown.proposal == *proposal) {
            shown.since = now;
        }
    }

    /// How long this very card has been in front of an active window without a break; `None` when it is not.
    pub(crate) fn seen_ms(&self, proposal: &ProposalId, digest: &str, now: u64) -> Option<u64> {
        let shown = self
            .shown
            .as_ref()
            .filter(|shown| shown.proposal == *proposal && shown.digest == digest)?;
        Some(now.saturating_sub(shown.since.max(self.watching?)))
    }

    pub(crate) fn arming(&self, proposal: &ProposalId, digest: &str, now: u64) -> Arming {
        match self.seen_ms(proposal, digest, now) {
            None => Arming::Unseen,
            Some(seen) if seen >= self.arming_ms => Arming::Armed,
            Some(seen) => Arming::Arming {
                remaining_ms: self.arming_ms - seen,
            },
        }
    }

    pub(crate) fn arming_ms(&self) -> u64 {
        self.arming_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> ProposalId {
        ProposalId(name.into())
    }

    fn watching() -> Eye {
        let mut eye = Eye::new(500);
        eye.window(true, true, 0);
        eye.shown(&id("p1"), "a", 0);
        eye
    }

    #[test]
    fn a_card_arms_after_its_time() {
        let eye = watching();
        assert_eq!(eye.arming(&id("p1"), "a", 499), Arming::Arming { remaining_ms: 1 });
        assert_eq!(eye.arming(&id("p1"), "a", 500), Arming::Armed);
    }

    #[test]
    fn only_the_shown_card_with_the_shown_content_arms() {
        let eye = watching();
        assert_eq!(eye.arming(&id("p1"), "b", 900), Arming::Unseen);
        assert_eq!(eye.arming(&id("p2"), "a", 900), Arming::Unseen);
    }

    #[test]
    fn hiding_or_leaving_the_window_starts_again() {
        for (visible, active) in [(false, true), (true, false), (false, false)] {
            let mut eye = watching();
            eye.window(visible, active, 400);
            assert_eq!(eye.arming(&id("p1"), "a", 900), Arming::Unseen);
            eye.window(true, true, 1000);
            assert_eq!(eye.arming(&id("p1"), "a", 1499), Arming::Arming { remaining_ms: 1 });
            assert_eq!(eye.arming(&id("p1"), "a", 1500), Arming::Armed);
        }
    }

    #[test]
    fn saying_the_same_again_does_not_start_again() {
        let mut eye = watching();
        eye.window(true, true, 300);
        eye.shown(&id("p1"), "a", 400);
        assert_eq!(eye.arming(&id("p1"), "a", 500), Arming::Armed);
    }

    #[test]
    fn another_card_in_between_starts_again() {
        let mut eye = watching();
        eye.shown(&id("p2"), "x", 600);
        eye.shown(&id("p1"), "a", 700);
        assert_eq!(eye.arming(&id("p1"), "a", 1199), Arming::Arming { remaining_ms: 1 });
    }

    #[test]
    fn a_change_starts_again_even_when_it_changes_back() {
        let mut eye = watching();
        eye.restart(&id("p1"), 600);
        assert_eq!(eye.arming(&id("p1"), "a", 700), Arming::Arming { remaining_ms: 400 });
    }

    #[test]
    fn a_clock_that_goes_back_does_not_arm() {
        let mut eye = Eye::new(500);
        eye.window(true, true, 1000);
        eye.shown(&id("p1"), "a", 1000);
        assert_eq!(eye.arming(&id("p1"), "a", 200), Arming::Arming { remaining_ms: 500 });
    }
}
