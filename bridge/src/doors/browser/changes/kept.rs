use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use countersign_contract::{StorageArea, Tool};

use super::LATE;
use super::seen::Seen;

/// A key that changed this often in the time before a read changes by itself.
pub(super) const OFTEN: usize = 3;
const BEFORE: Duration = Duration::from_secs(10);
/// So many reads are kept before any is dropped.
const MANY: usize = 8;
/// How many keys are remembered.
const KEYS: usize = 2000;

/// Something that is kept: origin, area and key.
pub(super) type Place = (String, StorageArea, String);

/// What was seen around one read.
pub(super) struct Watch {
    pub tool: Tool,
    pub site: Option<String>,
    pub began: Instant,
    pub ended: Option<Instant>,
    pub certain: Seen,
    pub unsure: Seen,
    /// What was seen is told in a moment.
    pub telling: bool,
}

impl Watch {
    pub fn new(tool: Tool, site: Option<String>) -> Self {
        Self {
            tool,
            site,
            began: Instant::now(),
            ended: None,
            certain: Seen::default(),
            unsure: Seen::default(),
            telling: false,
        }
    }

    pub fn has_seen(&self) -> bool {
        !(self.certain.is_empty() && self.unsure.is_empty())
    }

    /// Whether nothing more is put down to the read.
    pub fn is_over(&self, after: Duration) -> bool {
        !self.telling && self.ended.is_some_and(|ended| ended.elapsed() >= after)
    }

    /// Whether something that is told of now happened during the read.
    pub fn is_during(&self) -> bool {
        self.ended.is_none_or(|ended| ended.elapsed() < LATE)
    }
}

/// What is known of the storage of every page.
#[derive(Default)]
pub(in super::super) struct Storage {
    pub(super) watches: BTreeMap<u64, Watch>,
    /// When a key was last seen to change.
    times: HashMap<Place, VecDeque<Instant>>,
    /// When the last released write of a tab ended.
    pub(super) wrote: HashMap<String, Instant>,
    /// Sessions that tell of an origin's databases and caches.
    pub(super) told: HashSet<(String, String)>,
    /// Origins that a worker was seen of which their pages share.
    pub(super) served: HashSet<String>,
}

impl Storage {
    /// The browser has gone.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Drops the reads that nothing can be put down to any more: of each tab the last one stays, and those that ended just now.
    pub fn forget_reads(&mut self) {
        if self.watches.len() < MANY {
            return;
        }
        let mut last = HashMap::new();
        for (number, watch) in &self.watches {
            if let Some(ended) = watch.ended {
                let newest = last.entry(watch.tool.page.tab.clone()).or_insert((ended, *number));
                *newest = (*newest).max((ended, *number));
            }
        }
        let is_last = |number: u64| last.values().any(|(_, newest)| *newest == number);
        self.watches
            .retain(|number, watch| !watch.is_over(LATE) || is_last(*number));
    }

    /// The last released write of this tab has ended; what it changed may still be told of.
    pub fn write_ended(&mut self, tab: &str) {
        self.wrote.retain(|_, ended| ended.elapsed() < LATE);
        self.wrote.insert(tab.to_owned(), Instant::now());
    }

    pub(super) fn note_time(&mut self, place: &Place) {
        let now = Instant::now();
        if self.times.len() >= KEYS {
            self.times
                .retain(|_, times| times.back().is_some_and(|last| now - *last < BEFORE));
        }
        if self.times.len() < KEYS || self.times.contains_key(place) {
            let times = self.times.entry(place.clone()).or_default();
            times.push_back(now);
            // What a read itself writes must not push out what came before it.
            if times.len() > 20 * OFTEN {
                times.pop_front();
            }
        }
    }

    /// Whether the page wrote it over and over before the read began.
    pub(super) fn is_habit(&self, place: &Place, began: Instant) -> bool {
        let times = self.times.get(place).into_iter().flatten();
        times.filter(|time| **time < began && began - **time < BEFORE).count() >= OFTEN
    }
}
