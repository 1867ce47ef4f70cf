use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use countersign_contract::{StorageAct, StorageArea, StorageChange};
use countersign_ledger::sha256_hex;

/// A page can write keys without end.
const KEYS: usize = 50;
/// And keys of any length.
const LENGTH: usize = 200;

/// What the browser says of one key.
#[derive(Clone, Debug)]
pub(in super::super) enum Happened {
    /// With the digest of its value.
    Added(String),
    /// With the digests of its old and new value.
    Updated(String, String),
    Removed,
    /// The whole area.
    Cleared,
    /// Nobody says what.
    Written,
}

/// The digest of a value.
pub(in super::super) fn digest(value: &str) -> String {
    sha256_hex(value.as_bytes())
}

/// A key as it is shown.
pub(super) fn cut(key: &str) -> String {
    match key.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &key[..end]),
        None => key.to_owned(),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Held {
    Absent,
    Unsaid,
    Value(String),
}

#[derive(Debug)]
enum Found {
    Between { before: Held, after: Held },
    Act(StorageAct),
}

/// Changes by key: what happened to one more than once is one change, or none.
#[derive(Default)]
pub(super) struct Seen(BTreeMap<(StorageArea, String), Found>);

impl Seen {
    pub fn add(&mut self, area: StorageArea, key: String, happened: Happened) {
        let is_full = self.0.len() >= KEYS;
        let (before, after) = match happened {
            Happened::Added(new) => (Held::Absent, Held::Value(new)),
            Happened::Updated(old, new) => (Held::Value(old), Held::Value(new)),
            Happened::Removed => (Held::Unsaid, Held::Absent),
            Happened::Cleared => return self.act(area, String::new(), StorageAct::Cleared),
            Happened::Written => return self.act(area, key, StorageAct::Written),
        };
        match self.0.entry((area, key)) {
            Entry::Occupied(mut known) => {
                if let Found::Between { after: last, .. } = known.get_mut() {
                    *last = after;
                }
            }
            Entry::Vacant(place) if !is_full => {
                place.insert(Found::Between { before, after });
            }
            Entry::Vacant(_) => {}
        }
    }

    fn act(&mut self, area: StorageArea, key: String, act: StorageAct) {
        if self.0.len() < KEYS {
            self.0.insert((area, key), Found::Act(act));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What has changed, in the end. What is as it was has not.
    pub fn take(&mut self) -> Vec<StorageChange> {
        let found = std::mem::take(&mut self.0).into_iter();
        found
            .filter_map(|((area, key), found)| change(area, key, found))
            .collect()
    }
}

fn change(area: StorageArea, key: String, found: Found) -> Option<StorageChange> {
    let (before, after) = match found {
        Found::Act(act) => {
            return Some(StorageChange {
                area,
                key,
                act,
                before: None,
                after: None,
            });
        }
        Found::Between { before, after } => (before, after),
    };
    let act = match (&before, &after) {
        (before, after) if before == after => return None,
        (Held::Absent, _) => StorageAct::Added,
        (_, Held::Absent) => StorageAct::Removed,
        _ => StorageAct::Updated,
    };
    let said = |held| match held {
        Held::Value(digest) => Some(digest),
        Held::Absent | Held::Unsaid => None,
    };
    Some(StorageChange {
        area,
        key,
        act,
        before: said(before),
        after: said(after),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: StorageArea = StorageArea::LocalStorage;

    fn of(happened: &[(&str, Happened)]) -> Vec<(String, StorageAct, Option<String>, Option<String>)> {
        let mut seen = Seen::default();
        for (key, happened) in happened {
            seen.add(AREA, (*key).into(), happened.clone());
        }
        let changes = seen.take().into_iter();
        changes
            .map(|change| (change.key, change.act, change.before, change.after))
            .collect()
    }

    #[test]
    fn what_comes_back_to_what_it_was_is_no_change() {
        use Happened::{Added, Removed, Updated};
        let (one, two) = (digest("1"), digest("2"));
        let updated = |old: &String, new: &String| Updated(old.clone(), new.clone());
        assert_eq!(of(&[("t", Added(one.clone())), ("t", Removed)]), []);
        assert_eq!(of(&[("t", updated(&one, &two)), ("t", updated(&two, &one))]), []);
        let both = (Some(one.clone()), Some(two.clone()));
        assert_eq!(
            of(&[
                ("a", Added(one.clone())),
                ("a", updated(&one, &two)),
                ("b", Removed),
                ("c", updated(&one, &two)),
                ("d", Happened::Cleared),
            ]),
            [
                (String::new(), StorageAct::Cleared, None, None),
                ("a".into(), StorageAct::Added, None, Some(two.clone())),
                ("b".into(), StorageAct::Removed, None, None),
                ("c".into(), StorageAct::Updated, both.0, both.1),
            ]
        );
    }

    #[test]
    fn neither_keys_nor_their_number_are_without_end() {
        let many = (0..KEYS * 2).map(|n| (n.to_string(), Happened::Removed));
        let mut seen = Seen::default();
        many.for_each(|(key, happened)| seen.add(AREA, key, happened));
        assert_eq!(seen.take().len(), KEYS);
        assert_eq!(cut(&"é".repeat(LENGTH + 1)), "é".repeat(LENGTH) + "…");
        assert_eq!(cut("short"), "short");
    }
}
