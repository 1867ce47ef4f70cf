use std::collections::{BTreeMap, BTreeSet};

use countersign_contract::{AgentUse, DoorKind, Tab, TabRef};

/// How long after the agent's act in a page a tab that the page opens is still put down to it.
const FOLLOWED_FOR: u64 = 2_000;

/// Which pages the person chose, and for whom. A choice is one of a tab at the origins that the person saw it at: on any other
/// it stands still.
#[derive(Default)]
pub(crate) struct Chosen {
    choices: BTreeMap<TabRef, Choice>,
    pinned: Option<TabRef>,
    /// Why no page is pinned, when one was.
    lost: Option<String>,
    /// What the agent does, by page.
    acts: BTreeMap<TabRef, Acts>,
}

#[derive(Default)]
struct Choice {
    /// Empty until the page that was opened is there.
    origins: BTreeSet<String>,
    offered: bool,
    /// One of the agent's pages opened it.
    followed: bool,
    /// Its door has listed it.
    seen: bool,
}

#[derive(Default)]
struct Acts {
    running: usize,
    ended: Option<u64>,
}

/// What became of the choices by itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Became {
    /// It was opened by a page of the agent's, and is one of them now.
    Followed(TabRef),
    /// The pinned page is gone.
    Lost(TabRef),
}

impl Became {
    /// The tab it is about.
    pub fn at(&self) -> &TabRef {
        match self {
            Self::Followed(at) | Self::Lost(at) => at,
        }
    }
}

impl Chosen {
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    pub fn agents(&self, at: &TabRef) -> Option<AgentUse> {
        if self.pinned.as_ref() == Some(at) {
            return Some(AgentUse::Pinned);
        }
        self.choices
            .get(at)
            .filter(|choice| choice.followed)
            .map(|_| AgentUse::Opened)
    }

    pub fn is_offered(&self, at: &TabRef) -> bool {
        self.choices.get(at).is_some_and(|choice| choice.offered)
    }

    /// It was chosen, and is on an origin that it was not chosen at.
    pub fn has_moved(&self, tab: &Tab) -> bool {
        let at = tab.into();
        let chosen = self.agents(&at).is_some() || self.is_offered(&at);
        chosen && is_of_the_web(&tab.origin) && !self.stands(tab)
    }

    fn stands(&self, tab: &Tab) -> bool {
        self.choices
            .get(&tab.into())
            .is_some_and(|choice| choice.origins.contains(&tab.origin))
    }

    /// Whether the panel's agent may act on it as it is now.
    pub fn is_for_the_agent(&self, tab: &Tab) -> bool {
        self.agents(&tab.into()).is_some() && self.stands(tab)
    }

    /// Whether MCP clients may act on it as it is now.
    pub fn is_for_clients(&self, tab: &Tab) -> bool {
        self.is_offered(&tab.into()) && self.stands(tab)
    }

    /// The person opened it; it may not be listed yet. Returns whether it was pinned as well, since nothing was.
    pub fn opened(&mut self, at: TabRef) -> bool {
        // One that never came up is no page.
        let is_there = |at: &TabRef| self.choices.get(at).is_some_and(|choice| choice.seen);
        let pins = !self.pinned.as_ref().is_some_and(is_there);
        self.choices.entry(at.clone()).or_default().offered = true;
        if pins {
            self.pinned = Some(at);
            self.lost = None;
        }
        pins
    }

    /// Makes it the agent's page, in place of any other and of what that one opened.
    pub fn pin(&mut self, tab: &Tab) {
        self.no_agents_pages();
        let choice = self.choice(tab);
        choice.offered = true;
        self.pinned = Some(tab.into());
        self.lost = None;
    }

    /// The person says yes to the origin that a chosen tab is on.
    pub fn go_on(&mut self, tab: &Tab) {
        self.choice(tab);
    }

    /// It is none of the agent's any more; with the pinned one goes what it opened.
    pub fn leave(&mut self, at: &TabRef) {
        if self.pinned.as_ref() == Some(at) {
            self.no_agents_pages();
        } else if let Some(choice) = self.choices.get_mut(at) {
            choice.followed = false;
        }
    }

    pub fn offer(&mut self, tab: &Tab, offered: bool) {
        self.choice(tab).offered = offered;
    }

    fn choice(&mut self, tab: &Tab) -> &mut Choice {
        let choice = self.choices.entry(tab.into()).or_default();
        choice.origins.insert(tab.origin.clone());
        choice.seen = true;
        choice
    }

    fn no_agents_pages(&mut self) {
        self.pinned = None;
        for choice in self.choices.values_mut() {
            choice.followed = false;
        }
    }

    pub fn begins(&mut self, at: TabRef) {
        self.acts.entry(at).or_default().running += 1;
    }

    pub fn ends(&mut self, at: &TabRef, now: u64) {
        if let Some(acts) = self.acts.get_mut(at) {
            acts.running = acts.running.saturating_sub(1);
            acts.ended = Some(now);
        }
    }

    fn acts_in(&self, at: &TabRef, now: u64) -> bool {
        self.acts.get(at).is_some_and(|acts| {
            acts.running > 0
                || acts
                    .ended
                    .is_some_and(|ended| now.saturating_sub(ended) <= FOLLOWED_FOR)
        })
    }

    /// A door lists its tabs. `new` are those that it did not list before; `why` is said of a pinned one that is gone.
    pub fn listed(&mut self, door: DoorKind, tabs: &[Tab], new: &[&Tab], why: &str, now: u64) -> Vec<Became> {
        let mut became = Vec::new();
        for tab in tabs {
            // What the person opened is chosen at the first place it shows.
            if let Some(choice) = self.choices.get_mut(&tab.into()) {
                choice.seen = true;
                if choice.origins.is_empty() && is_of_the_web(&tab.origin) {
                    choice.origins.insert(tab.origin.clone());
                }
            }
        }
        for tab in new {
            let Some(opener) = &tab.opener else { continue };
            let opener = TabRef {
                door,
                tab: opener.clone(),
            };
            if self.agents(&opener).is_some() && self.acts_in(&opener, now) {
                let origins = self.choices.get(&opener).map(|of| of.origins.clone());
                let choice = self.choices.entry((*tab).into()).or_default();
                choice.followed = true;
                choice.seen = true;
                choice.origins = origins.unwrap_or_default();
                became.push(Became::Followed((*tab).into()));
            }
        }
        let is_gone = |at: &TabRef, seen: bool| at.door == door && seen && !tabs.iter().any(|tab| tab.id == at.tab);
        let pinned = self.pinned.clone();
        if let Some(pinned) = pinned
            && is_gone(&pinned, self.choices.get(&pinned).is_some_and(|choice| choice.seen))
        {
            self.no_agents_pages();
            self.lost = Some(why.to_owned());
            became.push(Became::Lost(pinned));
        }
        self.choices.retain(|at, choice| !is_gone(at, choice.seen));
        self.acts.retain(|at, _| !is_gone(at, true));
        became
    }

    /// A page came over the relay, whose origin the person named beforehand.
    pub fn came_by_itself(&mut self, tab: &Tab) {
        self.choice(tab).offered = true;
    }
}

fn is_of_the_web(origin: &str) -> bool {
    origin.starts_with("http://") || origin.starts_with("https://")
}
