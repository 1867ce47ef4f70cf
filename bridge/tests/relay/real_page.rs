use std::process::{Child, Command, Stdio};
use std::time::Duration;

use countersign_bridge::{Executed, find_browser};
use countersign_contract::TabState;
use serde_json::{Value, json};

use crate::rig::{Rig, end};
use crate::site::Site;

/// A Chromium with nothing of ours in it.
struct Chromium {
    child: Child,
    _profile: tempfile::TempDir,
}

impl Chromium {
    fn open(url: &str) -> Self {
        Self::with(&[], &json!({}), url)
    }

    fn with(flags: &[String], preferences: &Value, url: &str) -> Self {
        let program = find_browser(None).unwrap_or_else(|error| panic!("this test needs a real browser. {error}"));
        let profile = tempfile::tempdir().unwrap();
        let folder = profile.path().join("Default");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("Preferences"), preferences.to_string()).unwrap();
        let child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-popup-blocking",
                "--enable-features=WebMCP",
            ])
            .args(flags)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            child,
            _profile: profile,
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const PAGE: [(&str, &str, &str); 2] = [
    ("/", "text/html; charset=utf-8", include_str!("room.html")),
    (
        "/bridge.js",
        "text/javascript; charset=utf-8",
        include_str!("bridge.js"),
    ),
];

/// What the next page that says something says of itself.
async fn said(site: &mut Site) -> Value {
    serde_json::from_str(&site.said().await).unwrap()
}

#[tokio::test]
async fn a_page_made_for_the_bridge_works_unchanged_in_a_real_browser() {
    let mut site = Site::start(&PAGE).await;
    let mut rig = Rig::serving(&site.origin()).await;
    let _browser = Chromium::open(rig.invitation.url());
    assert_eq!(said(&mut site).await, json!({ "bridge": "open" }));
    rig.status_when("the page to be attached", |status| status.attached)
        .await;

    // It gives no annotations, so nothing it lists is a read; only what a page of ours marks is one.
    let [tab] = rig.tabs().try_into().unwrap();
    assert_eq!(tab.state, TabState::Ready);
    let names = tab
        .tools
        .iter()
        .map(|tool| (tool.name.as_str(), tool.annotations.read_only));
    let expected = [("commit_to_round", false), ("list_seats", false), ("read_ledger", true)];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    let schema = &rig.tool("commit_to_round").input_schema;
    assert_eq!(schema["properties"]["position"]["type"], "string");

    let ledger = async |rig: &mut Rig| {
        let reading = rig.read("read_ledger", &json!({ "limit": 5 }));
        let text = end(reading).await.unwrap();
        let envelope: Value = serde_json::from_str(&text).unwrap();
        serde_json::from_str::<Value>(envelope["content"][0]["text"].as_str().unwrap()).unwrap()
    };
    assert_eq!(ledger(&mut rig).await, json!({ "limit": 5, "rows": [] }));

    let arguments = json!({ "position": "Ja, \"so\" – € 🔏" });
    let writing = rig.write("commit_to_round", arguments.clone()).await;
    let Executed::Committed { result } = end(writing).await else {
        panic!("it was released")
    };
    assert!(result.contains("COMMITTED"), "{result}");
    assert_eq!(ledger(&mut rig).await, json!({ "limit": 5, "rows": [arguments] }));

    // A second page with the same address: it records no door, and the first goes on.
    let _another = Chromium::open(rig.invitation.url());
    assert_eq!(said(&mut site).await, json!({ "bridge": "refused", "status": 409 }));
    assert_eq!(rig.status().refused.map(|refused| refused.times), Some(1));
    assert_eq!(ledger(&mut rig).await["rows"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_page_from_the_internet_reaches_the_relay_only_with_leave_to_reach_this_computer() {
    let mut site = Site::start(&PAGE).await;
    let rig = Rig::serving(&site.origin()).await;
    // The browser takes the site for one of the internet.
    let public = [format!("--ip-address-space-overrides={}=public", site.address())];
    {
        // Nobody is there to be asked, so it is denied.
        let _browser = Chromium::with(&public, &json!({}), rig.invitation.url());
        assert_eq!(said(&mut site).await, json!({ "bridge": "not reachable" }));
        assert!(!rig.status().attached);
        // It has connected all the same, and goes on saying nothing; whoever speaks is not silent.
        rig.clock.pass(Duration::from_secs(1)).await;
        rig.status_when("the browser to be silent", |status| status.silent > 0)
            .await;
        assert_eq!(rig.health().await["tools"], json!([]));
    }
    rig.status_when("the silence to end with the browser", |status| status.silent == 0)
        .await;
    let leave = json!({ format!("{},*", site.origin()): { "setting": 1, "last_modified": "13400000000000000" } });
    let preferences = json!({ "profile": { "content_settings": { "exceptions": { "loopback_network": leave } } } });
    let _browser = Chromium::with(&public, &preferences, rig.invitation.url());
    assert_eq!(said(&mut site).await, json!({ "bridge": "open" }));
    rig.status_when("the page to be attached", |status| status.attached)
        .await;
}
