//! The package's own script and frame, in a Chromium with nothing of ours in it.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use countersign_bridge::{Executed, find_browser};
use countersign_contract::Tab;
use serde_json::json;

use crate::rig::{Rig, end};
use crate::site::Site;

struct Chromium {
    child: Child,
    _profile: tempfile::TempDir,
}

impl Chromium {
    fn open(url: &str) -> Self {
        let program = find_browser(None).unwrap_or_else(|error| panic!("this test needs a real browser. {error}"));
        let profile = tempfile::tempdir().unwrap();
        let child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--no-first-run",
                "--disable-background-networking",
            ])
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

/// A file of the package, as `npm ci` has put it there.
fn of_the_package(name: &str) -> &'static str {
    let folder = "../tests/bench-bridge/node_modules/@mcp-b/webmcp-local-relay/dist/browser";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!(
            "{}: {error}. Run `npm ci --prefix tests/bench-bridge` first.",
            file.display()
        )
    });
    text.leak()
}

/// The page's site, and another that the widget comes from.
async fn sites() -> (Site, Site) {
    let page = ("/", "text/html; charset=utf-8", include_str!("widget.html"));
    let embed = ("/embed.js", "text/javascript", of_the_package("embed.js"));
    let widget = (
        "/widget.html",
        "text/html; charset=utf-8",
        of_the_package("widget.html"),
    );
    (
        Site::start(&[page, embed, widget]).await,
        Site::start(&[embed, widget]).await,
    )
}

fn is_ready(tabs: &[Tab]) -> bool {
    tabs.iter().any(|tab| tab.tools.len() == 3)
}

#[tokio::test]
async fn the_real_widget_lists_is_called_and_says_what_changed() {
    let (mut site, _) = sites().await;
    let mut rig = Rig::serving(&[&site.origin()], &[]).await;
    let url = format!("{}/?port={}", site.origin(), rig.address().port());
    let browser = Chromium::open(&url);
    let tabs = rig.tabs_when("the page's tools", is_ready).await;
    assert_eq!(
        (&*tabs[0].origin, &*tabs[0].title, &*tabs[0].url),
        (
            &*site.origin(),
            "A page with the widget",
            &*format!("{}/", site.origin())
        )
    );

    // The widget passes on nothing of what a tool says of itself, so everything is a write.
    let (look, post, grow) = (rig.tool("look"), rig.tool("post"), rig.tool("grow"));
    assert!(!look.annotations.read_only);
    let write = rig.write(&look, json!({ "at": "the sea" })).await;
    let seen = Executed::Committed {
        result: "Saw the sea.".into(),
    };
    assert_eq!(end(write).await, seen);

    let write = rig.write(&post, json!({ "words": "once" })).await;
    assert_eq!(site.said().await, "once");
    let posted = Executed::Committed {
        result: "Posted.".into(),
    };
    assert_eq!(end(write).await, posted);

    let write = rig.write(&grow, json!({})).await;
    assert!(matches!(end(write).await, Executed::Failed { message } if message.contains("failed for the test")));
    rig.tabs_when("the new tool", |tabs| {
        tabs[0].tools.iter().any(|tool| tool.name == "look_again")
    })
    .await;

    drop(browser);
    rig.gone(&look.page.document).await;
    let late = rig.write(&post, json!({ "words": "twice" })).await;
    assert!(matches!(end(late).await, Executed::NotRun { .. }));
}

#[tokio::test]
async fn the_real_widget_from_another_place_comes_only_if_that_place_is_listed() {
    let (site, place) = sites().await;
    let mut rig = Rig::serving(&[&site.origin()], &[]).await;
    let port = rig.address().port();
    let url = format!("{}/?port={port}&widget={}", site.origin(), place.origin());
    let refused_one = Chromium::open(&url);
    let refused = rig
        .status_when("it to be refused", |status| status.refused.is_some())
        .await;
    assert_eq!(refused.refused.unwrap().origin, place.origin());
    // Chromium slows down who was refused often, so that this page would look again for minutes.
    drop(refused_one);

    let config = countersign_bridge::McpBConfig {
        origins: vec![site.origin()],
        widgets: vec![place.origin()],
        port,
    };
    rig.on = rig.door.listen(config).await.unwrap();
    let _browser = Chromium::open(&url);
    let tabs = rig.tabs_when("the page's tools", is_ready).await;
    assert_eq!(tabs[0].origin, site.origin());
}
