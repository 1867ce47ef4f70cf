//! Which requests are held for a read. While a guard is on, a request that could change something is held when it comes
//!
//! 1. from the tab of the read, or from a tab it opened (`noopener` or not), whatever frame of whatever site sends it: it is put
//!    down to the read;
//! 2. from a worker that belongs to no known frame: it is put down to the read only where the browser says that it is of the
//!    read's site;
//! 3. from any other tab with a frame of the read's site, since pages of one site reach each other through storage, channels
//!    and workers, and from a tab that opened or was opened by one of these or by the read's, since those reach each other as
//!    well, and so on from these to theirs: it may well be that page's own, so it is put down to nobody;
//! 4. from a tab that came up while the guard was on and whose opener is not known: put down to nobody.
//!
//! What a tab with a running released write sends, and the tabs it opened, is the write's: there only 1 applies, and of 1 only
//! reads that are still running. Sites are taken widely ([`site`]); where a frame's site cannot be told, it counts as the
//! read's.
//!
//! With [`GetPolicy::Hold`] for the origin of the read, the same holds for requests that only ask for something.

use std::collections::{BTreeSet, HashSet};
use std::net::Ipv4Addr;

use countersign_contract::{GetPolicy, Tool, gets_of};

use super::guard::Guard;
use super::network::changes_nothing;
use super::protocol::RequestPaused;
use super::state::State;

/// Openers and parents form no circle, but they come from the browser.
const DEEP: usize = 64;

/// What a request is held for.
pub(super) struct HeldFor {
    /// The read.
    pub tool: Tool,
    /// It is put down to that read.
    pub is_its_own: bool,
}

impl State {
    /// The read a request is held for, if it is to be held.
    pub fn held_for(&self, paused: &RequestPaused) -> Option<HeldFor> {
        let only_asks = changes_nothing(&paused.request.method);
        if only_asks && stays_inside(&paused.request.url) {
            return None;
        }
        let counts = |guard: &Guard| !only_asks || gets_of(&self.sites, &guard.tool.page.origin) == GetPolicy::Hold;
        let on = || self.guards_on().filter(|(_, guard)| counts(guard));
        on().next()?;
        let held = |guard: &Guard, own: bool| HeldFor {
            tool: guard.tool.clone(),
            is_its_own: own && !only_asks,
        };
        let Some(frame) = self.frames.get(&paused.frame_id) else {
            let sender = paused.request.header("origin").and_then(site);
            let is_its_own = |guard: &Guard| sender.is_some() && guard.site == sender;
            let guard = on()
                .map(|(_, guard)| guard)
                .max_by_key(|guard| (is_its_own(guard), rank(guard)))?;
            return Some(held(guard, is_its_own(guard)));
        };
        let line = self.openers(&frame.tab);
        let near = on().filter(|(tab, _)| line.contains(tab)).map(|(_, guard)| guard);
        if let Some(guard) = near.max_by_key(|guard| rank(guard)) {
            return Some(held(guard, true));
        }
        if line.iter().any(|tab| self.writes_in(tab)) {
            return None;
        }
        let related = self.related(&frame.tab);
        let sites = self.frames.iter().filter(|(_, of)| related.contains(&of.tab.as_str()));
        let sites: HashSet<_> = sites.filter_map(|(id, _)| self.site_of(id)).collect();
        let is_anyones = self.site_of(&paused.frame_id).is_none();
        let first = line
            .iter()
            .rev()
            .find_map(|id| self.tabs.iter().find(|tab| tab.id == *id));
        let reaches = |tab: &str, guard: &Guard| {
            is_anyones
                || related.contains(&tab)
                || !self.reached(tab, guard.site.as_ref()).is_disjoint(&sites)
                || first.is_some_and(|tab| tab.opened >= guard.since)
        };
        let far = on().filter(|(tab, guard)| reaches(tab, guard)).map(|(_, guard)| guard);
        far.max_by_key(|guard| rank(guard)).map(|guard| held(guard, false))
    }

    /// A tab, and all that are tied to it by opening one another, whichever opened which.
    pub fn related<'a>(&'a self, tab: &'a str) -> Vec<&'a str> {
        let mut related = vec![tab];
        let mut at = 0;
        while at < related.len() {
            let id = related[at];
            let links = self.tabs.iter().filter_map(|tab| {
                let opener = tab.opener.as_deref()?;
                (tab.id == id).then_some(opener).or((opener == id).then_some(&tab.id))
            });
            let new = links.filter(|tab| !related.contains(tab)).collect::<BTreeSet<_>>();
            related.extend(new);
            at += 1;
        }
        related
    }

    /// The sites whose tabs a read reaches: its own, those of the tabs tied to its tab or to a tab of its site, and so on. Only
    /// what a tab itself shows counts: what it embeds shares no storage with a tab of its own.
    fn reached(&self, tab: &str, site: Option<&String>) -> HashSet<String> {
        let tops = || self.frames.iter().filter(|(_, frame)| frame.parent.is_none());
        let mut sites: HashSet<String> = site.cloned().into_iter().collect();
        loop {
            let of_sites = tops().filter(|(id, _)| self.site_of(id).is_some_and(|site| sites.contains(&site)));
            let tabs = of_sites.map(|(_, frame)| frame.tab.as_str()).chain([tab]);
            let tied: HashSet<_> = tabs.flat_map(|tab| self.related(tab)).collect();
            let found = tops().filter(|(_, frame)| tied.contains(frame.tab.as_str()));
            let found: HashSet<_> = found.filter_map(|(id, _)| self.site_of(id)).collect();
            if found.is_subset(&sites) {
                return sites;
            }
            sites.extend(found);
        }
    }

    /// A tab, the one that opened it, and so on.
    pub fn openers<'a>(&'a self, tab: &'a str) -> Vec<&'a str> {
        let mut line = vec![tab];
        while line.len() < DEEP {
            let last = line[line.len() - 1];
            let record = self.tabs.iter().find(|record| record.id == last);
            match record.and_then(|record| record.opener.as_deref()) {
                Some(opener) => line.push(opener),
                None => break,
            }
        }
        line
    }

    /// The site of a frame's document. One without an origin of its own (`about:blank`, `data:`) counts to what embeds it, or
    /// to what opened its tab.
    pub fn site_of(&self, frame: &str) -> Option<String> {
        let mut id = frame;
        for _ in 0..DEEP {
            let frame = self.frames.get(id)?;
            if let Some(site) = site(&frame.origin) {
                return Some(site);
            }
            id = match &frame.parent {
                Some(parent) => parent,
                None => self.tabs.iter().find(|tab| tab.id == frame.tab)?.opener.as_deref()?,
            };
        }
        None
    }
}

/// What a request is put down to first: a read that runs, and of those the one that began last.
pub(super) fn rank(guard: &Guard) -> (bool, std::time::Instant) {
    (guard.is_running(), guard.began)
}

/// What is answered inside the browser.
fn stays_inside(url: &str) -> bool {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    ["data", "blob", "about"]
        .iter()
        .any(|inside| scheme.eq_ignore_ascii_case(inside))
}

/// The site of an origin, taken widely: two origins of one site have the same, and some of different sites do too. It is the
/// last two labels of the host, whatever the scheme and the port, where the browser goes by a list of suffixes that changes:
/// `a.co.uk` and `b.co.uk` are two sites to it and one here.
pub(super) fn site(origin: &str) -> Option<String> {
    let (scheme, rest) = origin.split_once("://")?;
    if scheme == "file" {
        return Some("file:".into());
    }
    let host = rest.split(['/', '?', '#']).next()?;
    let host = match host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((inner, _)) => return Some(inner.to_ascii_lowercase()),
        None => host.rsplit_once(':').map_or(host, |(host, _)| host),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if host.is_empty() {
        return None;
    }
    if host.parse::<Ipv4Addr>().is_ok() {
        return Some(host);
    }
    let mut labels = host.rsplit('.');
    let (last, before) = (labels.next()?, labels.next());
    Some(before.map_or_else(|| last.to_owned(), |before| format!("{before}.{last}")))
}

#[cfg(test)]
mod tests;
