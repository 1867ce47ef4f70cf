//! What a read of the desk's changes without the network: storage, cookies, databases, caches. It cannot be held; it is seen.
//!
//! The browser tells of it by itself (`DOMStorage`, `Storage`), and the interceptor of cookies, so a read waits for nothing. A
//! change is put down to a read of its tab and site:
//!
//! - while the read runs, or within [`LATE`] after, since most of it is told by another process than the page's. It is certain
//!   when no other read of the desk's ran, nobody clicked in the tab just before, no other tab has a page of that origin, no
//!   worker that pages share has been seen of it (for databases and caches, which those write too), and the key is not one
//!   that the page writes over and over by itself;
//! - in the time after a read, to the one that ended last; never certain.
//!
//! While a released write runs in a tab of the site nothing is put down to a read. What comes back to what it was is no
//! change. Changes of the document itself are not looked at: a read that renders what it found does what it should.

mod kept;
mod seen;
mod told;

use std::time::{Duration, Instant};

use countersign_contract::{StorageArea, Tool};
use serde_json::{Value, json};

pub(super) use self::kept::Storage;
use self::kept::Watch;
use self::seen::{Happened, digest};
use self::told::{CacheWritten, DatabaseWritten, StorageItem};
use super::network::clicked;
use super::scope::site;
use super::state::State;
use crate::DoorEvent;

/// How long after a read's end what it wrote may still be told of.
const LATE: Duration = Duration::from_millis(100);

impl State {
    /// From now on this session's browser tells of what pages of this origin keep.
    pub fn tell_of_storage(&mut self, session: &str, origin: &str) {
        let is_kept = origin.starts_with("http") || origin.starts_with("file:");
        if is_kept && self.storage.told.insert((session.to_owned(), origin.to_owned())) {
            let params = json!({ "origin": origin });
            self.send(Some(session), "Storage.trackIndexedDBForOrigin", &params);
            self.send(Some(session), "Storage.trackCacheStorageForOrigin", &params);
        }
    }

    /// A session has ended.
    pub fn storage_untold(&mut self, session: &str) {
        self.storage.told.retain(|(of, _)| of != session);
    }

    /// A worker that pages share has come up.
    pub fn served(&mut self, url: &str) {
        if let Some(end) = url
            .find("://")
            .and_then(|at| url[at + 3..].find('/').map(|end| at + 3 + end))
        {
            self.storage.served.insert(url[..end].to_owned());
        }
    }

    /// A read is about to run.
    pub fn watch_read(&mut self, number: u64, tool: &Tool) {
        let site = self.site_of(&tool.page.frame);
        self.storage.forget_reads();
        self.storage.watches.insert(number, Watch::new(tool.clone(), site));
    }

    fn after_read(&self) -> Duration {
        self.guard_times.read.max(LATE)
    }

    /// A read has ended, if this is one. Its caller has been answered before.
    pub fn read_watched(&mut self, number: u64) {
        if let Some(watch) = self.storage.watches.get_mut(&number) {
            watch.ended = Some(Instant::now());
            if watch.has_seen() {
                self.tell_soon(number);
            }
        }
    }

    /// Something was seen of a read that has ended: it is told when no more of its kind is to come. A read of which nothing is
    /// seen costs no more than its watch.
    fn tell_soon(&mut self, number: u64) {
        let after = self.after_read();
        let Some(watch) = self.storage.watches.get_mut(&number) else {
            return;
        };
        let Some(ended) = watch.ended.filter(|_| !watch.telling) else {
            return;
        };
        watch.telling = true;
        let until = if watch.is_during() { LATE } else { after };
        let wait = until.saturating_sub(ended.elapsed());
        if !self.after(wait, move |state| state.tell_changes(number)) {
            self.tell_changes(number);
        }
    }

    fn tell_changes(&mut self, number: u64) {
        let Some(watch) = self.storage.watches.get_mut(&number) else {
            return;
        };
        watch.telling = false;
        let tool = watch.tool.clone();
        let found = [(true, watch.certain.take()), (false, watch.unsure.take())];
        for (certain, changes) in found {
            if changes.is_empty() {
                continue;
            }
            if certain {
                self.caught_lying(&tool);
            }
            let tool = Box::new(tool.clone());
            self.report(DoorEvent::Changed { tool, changes, certain });
        }
    }

    /// An item of `localStorage` or `sessionStorage`.
    fn item_changed(&mut self, session: &str, method: &str, item: StorageItem) {
        let Some(origin) = item.storage_id.origin() else { return };
        let area = match item.storage_id.is_local_storage {
            true => StorageArea::LocalStorage,
            false => StorageArea::SessionStorage,
        };
        let happened = match method {
            "DOMStorage.domStorageItemAdded" => Happened::Added(digest(&item.new_value)),
            "DOMStorage.domStorageItemUpdated" => Happened::Updated(digest(&item.old_value), digest(&item.new_value)),
            "DOMStorage.domStorageItemRemoved" => Happened::Removed,
            "DOMStorage.domStorageItemsCleared" => Happened::Cleared,
            _ => return,
        };
        self.changed_by(session, &origin, area, &item.key, happened);
    }

    fn database_written(&mut self, session: &str, written: DatabaseWritten) {
        let key = format!("{}/{}", written.database_name, written.object_store_name);
        self.changed_by(
            session,
            &written.origin,
            StorageArea::IndexedDb,
            &key,
            Happened::Written,
        );
    }

    fn cache_written(&mut self, session: &str, written: CacheWritten) {
        let area = StorageArea::CacheStorage;
        self.changed_by(session, &written.origin, area, &written.cache_name, Happened::Written);
    }

    /// A script of a frame has written a cookie.
    pub fn cookie_written(&mut self, session: &str, frame: &str, name: &str) {
        if let Some(origin) = self.frames.get(frame).map(|frame| frame.origin.clone()) {
            self.changed_by(session, &origin, StorageArea::Cookies, name.trim(), Happened::Written);
        }
    }

    fn changed_by(&mut self, session: &str, origin: &str, area: StorageArea, key: &str, happened: Happened) {
        let Some(tab) = self.tab_of(session).map(str::to_owned) else {
            return;
        };
        let site = site(origin);
        if self.may_be_a_writes(site.as_deref()) {
            return;
        }
        let key = seen::cut(key);
        let alone = self.is_alone(&tab, origin, area);
        let place = (origin.to_owned(), area, key.clone());
        let storage = &mut self.storage;
        storage.note_time(&place);
        let near = |watch: &Watch| watch.tool.page.tab == tab && watch.site == site;
        let during = storage
            .watches
            .values()
            .filter(|watch| near(watch) && watch.is_during());
        let began = during.map(|watch| watch.began).collect::<Vec<_>>();
        let certain = match began[..] {
            [] => return self.changed_after(&tab, site.as_deref(), area, key, happened),
            [began] => alone && !storage.is_habit(&place, began),
            _ => false,
        };
        let mut ended = Vec::new();
        for (number, watch) in &mut storage.watches {
            if near(watch) && watch.is_during() {
                let seen = if certain { &mut watch.certain } else { &mut watch.unsure };
                seen.add(area, key.clone(), happened.clone());
                ended.push(*number);
            }
        }
        ended.into_iter().for_each(|number| self.tell_soon(number));
    }

    /// Nobody reads there now: it may be what the read that ended last has left.
    fn changed_after(&mut self, tab: &str, site: Option<&str>, area: StorageArea, key: String, happened: Happened) {
        let after = self.after_read();
        let near = |watch: &Watch| watch.tool.page.tab == tab && watch.site.as_deref() == site && !watch.is_over(after);
        let watches = self.storage.watches.iter_mut().filter(|(_, watch)| near(watch));
        if let Some((number, last)) = watches.max_by_key(|(_, watch)| watch.ended) {
            last.unsure.add(area, key, happened);
            let number = *number;
            self.tell_soon(number);
        }
    }

    /// Whether a released write runs, or has just run, in a tab with a page of this site.
    fn may_be_a_writes(&self, of: Option<&str>) -> bool {
        let late = self.storage.wrote.iter().filter(|(_, ended)| ended.elapsed() < LATE);
        let mut tabs = self.writing.keys().chain(late.map(|(tab, _)| tab));
        tabs.any(|tab| {
            let mut frames = self.frames.values().filter(|frame| frame.tab == *tab);
            frames.any(|frame| site(&frame.origin).as_deref() == of)
        })
    }

    /// Whether nothing but this tab can have changed what this origin keeps there.
    fn is_alone(&self, tab: &str, origin: &str, area: StorageArea) -> bool {
        let clicked = self
            .frames
            .values()
            .any(|frame| frame.tab == tab && clicked(frame).is_some());
        let mut frames = self.frames.values();
        !clicked
            && match area {
                // A tab has its own, and the interceptor tells of its own document.
                StorageArea::SessionStorage | StorageArea::Cookies => true,
                StorageArea::LocalStorage => !frames.any(|frame| frame.tab != tab && frame.origin == origin),
                StorageArea::IndexedDb | StorageArea::CacheStorage => {
                    !frames.any(|frame| frame.tab != tab && frame.origin == origin)
                        && !self.storage.served.contains(origin)
                }
            }
    }

    /// An event of the browser's about storage.
    pub fn storage_event(&mut self, method: &str, session: &str, params: Value) {
        let skipped = |error| tracing::warn!(method, %error, "skipped an event");
        let done = match method {
            "Storage.indexedDBContentUpdated" => {
                serde_json::from_value(params).map(|written| self.database_written(session, written))
            }
            // The list: a cache was made or deleted. That of databases comes with every opening, and says nothing.
            "Storage.cacheStorageContentUpdated" | "Storage.cacheStorageListUpdated" => {
                serde_json::from_value(params).map(|written| self.cache_written(session, written))
            }
            _ if method.starts_with("DOMStorage.") => {
                serde_json::from_value(params).map(|item| self.item_changed(session, method, item))
            }
            _ => Ok(()),
        };
        done.unwrap_or_else(skipped);
    }
}

#[cfg(test)]
mod tests;
