use countersign_contract::StorageChange;

use super::kept::OFTEN;
use super::*;
use crate::doors::browser::told::{Told, tool};

const A: &str = "https://a.example";

impl Told {
    /// A tab of A with the interceptor in it, and a read that runs there.
    fn reading() -> Self {
        let mut told = Self::new();
        told.tab("tab", A, None);
        told.state.watch_read(1, &tool("look", "tab", A));
        told
    }

    fn item(&mut self, session: &str, key: &str) {
        let id = json!({ "securityOrigin": A, "isLocalStorage": true });
        let item = json!({ "storageId": id, "key": key, "newValue": "1" });
        self.event(Some(session), "DOMStorage.domStorageItemAdded", item);
    }

    fn database(&mut self, session: &str) {
        let written = json!({ "origin": A, "databaseName": "d", "objectStoreName": "s" });
        self.event(Some(session), "Storage.indexedDBContentUpdated", written);
    }

    fn ended(&mut self, number: u64, ago: Duration) {
        let watch = self.state.storage.watches.get_mut(&number).unwrap();
        watch.ended = Some(Instant::now() - ago);
    }

    /// What is told of a read: the keys that are certain, and those that are not.
    fn of(&mut self, number: u64) -> (Vec<String>, Vec<String>) {
        self.state.tell_changes(number);
        let (mut sure, mut unsure) = (Vec::new(), Vec::new());
        while let Ok(event) = self.events.try_recv() {
            if let DoorEvent::Changed { changes, certain, .. } = event {
                let keys = changes.into_iter().map(|change: StorageChange| change.key);
                if certain { &mut sure } else { &mut unsure }.extend(keys);
            }
        }
        (sure, unsure)
    }
}

fn keys(sure: &[&str], unsure: &[&str]) -> (Vec<String>, Vec<String>) {
    let own = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    (own(sure), own(unsure))
}

#[test]
fn what_is_told_late_is_still_the_reads_and_later_not_for_certain() {
    let mut told = Told::reading();
    told.item("tab", "a");
    told.ended(1, Duration::ZERO);
    told.item("tab", "b");
    assert_eq!(told.of(1), keys(&["a", "b"], &[]));
    told.ended(1, LATE);
    told.item("tab", "c");
    assert_eq!(told.of(1), keys(&[], &["c"]));
}

#[test]
fn of_two_reads_neither_is_sure() {
    let mut told = Told::reading();
    told.state.watch_read(2, &tool("other", "tab", A));
    told.item("tab", "a");
    assert_eq!((told.of(1), told.of(2)), (keys(&[], &["a"]), keys(&[], &["a"])));
    told.ended(2, Duration::ZERO);
    told.item("tab", "b");
    // The one that has ended is told of at once.
    assert_eq!(told.of(1), keys(&[], &["b", "b"]));
    told.ended(2, LATE);
    told.item("tab", "c");
    assert_eq!((told.of(1), told.of(2)), (keys(&["c"], &[]), keys(&[], &[])));
}

#[test]
fn what_a_write_changes_is_no_reads_not_even_when_it_is_told_late() {
    let mut told = Told::reading();
    told.tab("writes", "https://www.a.example", None);
    told.state.begin_write("writes");
    told.item("tab", "a");
    told.state.end_write("writes");
    told.item("tab", "b");
    assert_eq!(told.of(1), keys(&[], &[]));
    let ended = told.state.storage.wrote.get_mut("writes").unwrap();
    *ended -= LATE;
    told.item("tab", "c");
    assert_eq!(told.of(1), keys(&["c"], &[]));
}

#[test]
fn another_page_a_shared_worker_or_a_click_makes_it_unsure() {
    let mut told = Told::reading();
    told.database("tab");
    assert_eq!(told.of(1), keys(&["d/s"], &[]));
    told.state.served("https://a.example/worker.js");
    told.database("tab");
    told.item("tab", "a");
    assert_eq!(told.of(1), keys(&["a"], &["d/s"]));
    told.tab("other", "https://b.example", None);
    told.item("tab", "b");
    told.item("other", "not the read's tab");
    assert_eq!(told.of(1), keys(&["b"], &[]));
    told.frame("other", "inner", Some("other"), A);
    told.item("tab", "c");
    assert_eq!(told.of(1), keys(&[], &["c"]));

    let mut told = Told::reading();
    let context = json!({ "id": 7, "name": told.state.names.world, "auxData": { "frameId": "tab" } });
    told.event(
        Some("tab"),
        "Runtime.executionContextCreated",
        json!({ "context": context }),
    );
    for said in [
        json!({ "type": "hello", "webmcp": true, "url": A }),
        json!({ "type": "click", "fingerprint": {} }),
    ] {
        let name = told.state.names.binding.clone();
        let said = json!({ "name": name, "payload": said.to_string(), "executionContextId": 7 });
        told.event(Some("tab"), "Runtime.bindingCalled", said);
    }
    told.item("tab", "a");
    assert_eq!(told.of(1), keys(&[], &["a"]));
}

#[test]
fn a_key_that_was_written_over_and_over_before_is_unsure_and_one_that_is_written_often_now_is_not() {
    let mut told = Told::new();
    told.tab("tab", A, None);
    (0..OFTEN).for_each(|_| told.item("tab", "beat"));
    told.item("tab", "once");
    told.state.watch_read(1, &tool("look", "tab", A));
    for key in ["beat", "once", "own", "own", "own", "own"] {
        told.item("tab", key);
    }
    assert_eq!(told.of(1), keys(&["once", "own"], &["beat"]));
}

#[test]
fn of_many_reads_the_last_of_each_tab_is_kept() {
    let mut told = Told::reading();
    told.tab("other", "https://b.example", None);
    told.ended(1, LATE);
    for number in 2..100 {
        told.state
            .watch_read(number, &tool("look", "other", "https://b.example"));
        told.ended(number, LATE);
    }
    told.state.watch_read(100, &tool("look", "other", "https://b.example"));
    let kept = told.state.storage.watches.into_keys().collect::<Vec<_>>();
    assert!(
        kept.len() < 10 && [1, 99, 100].iter().all(|number| kept.contains(number)),
        "{kept:?}"
    );
}
