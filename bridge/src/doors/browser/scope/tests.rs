use countersign_contract::{Fingerprint, SitePolicy};
use serde_json::{Value, json};

use super::*;
use crate::DoorEvent;
use crate::doors::browser::told::{Told, tool};

const A: &str = "https://a.example";
const B: &str = "https://b.example";
const C: &str = "https://c.example";
const D: &str = "https://d.example";

impl Told {
    fn sends(&mut self, frame: &str, method: &str, headers: Value) -> Option<(String, bool)> {
        let request = json!({ "url": "https://x.example/", "method": method, "headers": headers });
        let paused = json!({ "requestId": "r", "frameId": frame, "request": request });
        let held = self.state.held_for(&serde_json::from_value(paused).unwrap());
        held.map(|held| (held.tool.name, held.is_its_own))
    }

    fn posts(&mut self, frame: &str) -> Option<(String, bool)> {
        self.sends(frame, "POST", json!({}))
    }
}

fn own(name: &str) -> Option<(String, bool)> {
    Some((name.into(), true))
}

fn nobodys(name: &str) -> Option<(String, bool)> {
    Some((name.into(), false))
}

#[test]
fn a_read_reaches_its_tab_what_that_opened_and_its_site() {
    let mut told = Told::new();
    told.tab("reads", A, None);
    told.frame("reads", "ad", Some("reads"), C);
    told.tab("sister", "http://www.a.example:8080", None);
    told.frame("sister", "blank", Some("sister"), "://");
    told.frame("sister", "far", Some("sister"), B);
    told.tab("of its popup's site", B, None);
    told.tab("tied to that", D, Some("of its popup's site"));
    told.tab("of the site of that", D, None);
    told.tab("other", C, None);
    told.tab("empty", "://", None);
    told.tab("opener", B, None);
    told.tab("reads as well", A, Some("opener"));
    told.tab("its sister", B, Some("opener"));
    told.state.begin_guard(&tool("look", "reads", A));
    told.tab("popup", B, Some("reads"));
    told.tab("of popup", B, Some("popup"));
    told.tab("stray", B, None);
    told.tab("of other", C, Some("other"));
    told.tab("of sister", "://", Some("sister"));
    for (frame, held) in [
        ("reads", own("look")),
        ("ad", own("look")),
        ("popup", own("look")),
        ("of popup", own("look")),
        ("sister", nobodys("look")),
        ("blank", nobodys("look")),
        ("of sister", nobodys("look")),
        ("stray", nobodys("look")),
        ("empty", nobodys("look")),
        ("a worker", nobodys("look")),
        ("far", nobodys("look")),
        ("opener", nobodys("look")),
        ("its sister", nobodys("look")),
        ("of its popup's site", nobodys("look")),
        ("tied to that", nobodys("look")),
        ("of the site of that", nobodys("look")),
        ("other", None),
        ("of other", None),
    ] {
        assert_eq!(told.posts(frame), held, "{frame}");
        assert_eq!(told.sends(frame, "GET", json!({})), None, "{frame}");
    }
    assert_eq!(told.sends("a worker", "POST", json!({ "Origin": A })), own("look"));
    assert_eq!(told.sends("a worker", "POST", json!({ "Origin": B })), nobodys("look"));

    told.state.sites = vec![SitePolicy {
        origin: A.into(),
        gets: GetPolicy::Hold,
    }];
    assert_eq!(told.sends("reads", "GET", json!({})), nobodys("look"));
    assert_eq!(told.sends("sister", "HEAD", json!({})), nobodys("look"));
    assert_eq!(told.sends("other", "GET", json!({})), None);
}

#[test]
fn a_write_is_held_only_for_reads_of_its_own_tab_that_still_run() {
    let mut told = Told::new();
    told.tab("reads", A, None);
    told.tab("writes", A, None);
    let (look, ended, running) = (
        tool("look", "reads", A),
        tool("ended", "writes", A),
        tool("running", "writes", A),
    );
    told.state.begin_guard(&look);
    told.state.begin_guard(&ended);
    told.state.end_guard(&ended);
    assert_eq!(told.posts("writes"), own("ended"));

    told.state.begin_write("writes");
    told.tab("popup", B, Some("writes"));
    told.tab("stray", B, None);
    assert_eq!((told.posts("writes"), told.posts("popup")), (None, None));
    assert_eq!(told.posts("stray"), nobodys("look"));
    assert_eq!(told.posts("reads"), own("look"));
    assert_eq!(told.posts("a worker"), nobodys("look"));
    told.state.begin_guard(&running);
    assert_eq!(told.posts("writes"), own("running"));
    told.state.end_guard(&running);
    assert_eq!(told.posts("writes"), None);

    told.state.end_write("writes");
    assert_eq!(told.posts("writes"), own("running"));
}

#[test]
fn a_write_that_does_not_end_covers_the_reads_after_it_for_a_minute_only() {
    let mut told = Told::new();
    told.tab("tab", A, None);
    let look = tool("look", "tab", A);
    told.state.begin_write("tab");
    told.state.begin_guard(&look);
    told.state.end_guard(&look);
    assert_eq!(told.posts("tab"), None, "it may be the write's");
    told.state.writing.get_mut("tab").unwrap().began_long_ago();
    assert_eq!(told.posts("tab"), own("look"));
    assert!(told.state.begin_foreign_guard(&look).guarded);
    told.state.begin_write("tab");
    assert_eq!(told.posts("tab"), own("look"), "the read that the page makes runs on");
}

#[test]
fn a_click_just_before_is_told_and_lets_nothing_pass() {
    let mut told = Told::new();
    told.tab("reads", A, None);
    let context = json!({ "id": 7, "name": told.state.names.world, "auxData": { "frameId": "reads" } });
    told.event(
        Some("reads"),
        "Runtime.executionContextCreated",
        json!({ "context": context }),
    );
    let says = |payload: Value| json!({ "name": told.state.names.binding, "payload": payload.to_string(), "executionContextId": 7 });
    let hello = says(json!({ "type": "hello", "webmcp": true, "url": A }));
    let click = says(json!({ "type": "click", "fingerprint": { "isTrusted": true, "event": "click" } }));
    told.event(Some("reads"), "Runtime.bindingCalled", hello);
    told.event(Some("reads"), "Runtime.bindingCalled", click);
    told.state.begin_guard(&tool("look", "reads", A));
    let request = json!({ "url": A, "method": "POST" });
    told.event(
        None,
        "Fetch.requestPaused",
        json!({ "requestId": "r", "frameId": "reads", "request": request }),
    );
    let clicked = Fingerprint {
        is_trusted: Some(true),
        event: Some("click".into()),
        ..Fingerprint::default()
    };
    let Ok(DoorEvent::Network { fingerprint, .. }) = told.events.try_recv() else {
        panic!("not held")
    };
    assert_eq!(*fingerprint, clicked);
}

#[test]
fn a_site_is_the_end_of_a_host() {
    for (origin, expected) in [
        ("https://shop.example", Some("shop.example")),
        ("http://a.b.Shop.example:8080", Some("shop.example")),
        ("https://shop.example.", Some("shop.example")),
        ("http://localhost:1", Some("localhost")),
        ("http://127.0.0.1:1", Some("127.0.0.1")),
        ("http://10.0.0.1:1", Some("10.0.0.1")),
        ("http://[::1]:1", Some("::1")),
        ("file://", Some("file:")),
        ("null", None),
        ("://", None),
        ("https://", None),
    ] {
        assert_eq!(site(origin).as_deref(), expected, "{origin}");
    }
}

#[test]
fn what_leaves_the_browser_does_not_stay_inside() {
    assert!(stays_inside("data:text/plain,x") && stays_inside("BLOB:http://a/1") && stays_inside("about:blank"));
    assert!(!stays_inside("https://data/x") && !stays_inside("ftp://a") && !stays_inside("x"));
}
