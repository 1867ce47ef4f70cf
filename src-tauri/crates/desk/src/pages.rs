//! Pages as a person knows them: by title and host, and by browser and window where there are several.

use countersign_contract::{DoorKind, ListedPage, Tab};

use crate::world::World;

impl World {
    /// Every tab by browser and window, oldest first, and who may act on it.
    pub fn listed(&self) -> Vec<ListedPage> {
        let mut pages: Vec<_> = self
            .all_tabs()
            .map(|tab| {
                let at = tab.into();
                let page = ListedPage {
                    number: self.number(&at),
                    name: name(tab),
                    host: host(&tab.origin).to_owned(),
                    twin: None,
                    place: self.place(tab),
                    agent: self.chosen.agents(&at),
                    offered: self.chosen.is_offered(&at),
                    moved: self.chosen.has_moved(tab),
                    at,
                };
                (self.window(tab), page)
            })
            .collect();
        pages.sort_by_key(|(window, page)| (page.at.door, *window, page.number));
        let mut pages: Vec<_> = pages.into_iter().map(|(_, page)| page).collect();
        number_twins(&mut pages);
        pages
    }

    fn place(&self, tab: &Tab) -> String {
        let browser = match (tab.door, &tab.browser) {
            (DoorKind::Browser, _) => "Countersign’s browser".to_owned(),
            (DoorKind::Extension, Some(browser)) => format!("{browser} (extension)"),
            (DoorKind::Extension, None) => "Your browser (extension)".to_owned(),
            (DoorKind::Relay, _) => "Connected by itself (relay)".to_owned(),
        };
        match self.window(tab) {
            Some(window) => format!("{browser}, window {window}"),
            None => browser,
        }
    }

    /// The place of its window among those of its browser, from 1, where there are several.
    fn window(&self, tab: &Tab) -> Option<usize> {
        let own = tab.window.as_ref()?;
        let mut windows: Vec<_> = self
            .all_tabs()
            .filter(|other| other.door == tab.door && other.browser == tab.browser)
            .filter_map(|other| Some((self.number(&other.into()), other.window.as_ref()?)))
            .collect();
        windows.sort();
        let mut seen: Vec<&String> = Vec::new();
        for (_, window) in windows {
            if !seen.contains(&window) {
                seen.push(window);
            }
        }
        let place = seen.iter().position(|window| *window == own)?;
        (seen.len() > 1).then_some(place + 1)
    }
}

fn name(tab: &Tab) -> String {
    match tab.title.trim() {
        "" => tab.url.clone(),
        title => title.to_owned(),
    }
}

/// The host and port of an origin.
pub(crate) fn host(origin: &str) -> &str {
    origin.split_once("://").map_or("", |(_, host)| host)
}

fn number_twins(pages: &mut [ListedPage]) {
    let names: Vec<_> = pages
        .iter()
        .map(|page| (page.name.clone(), page.host.clone(), page.number))
        .collect();
    for page in pages {
        let twins = || {
            names
                .iter()
                .filter(|(name, host, _)| *name == page.name && *host == page.host)
        };
        if twins().count() > 1 {
            let before = twins().filter(|(_, _, number)| *number < page.number).count();
            page.twin = u32::try_from(before + 1).ok();
        }
    }
}
