use std::process::Command;

use countersign_contract::{Tab, TabState};
use countersign_scenarios::{App, Options, program, until};

/// The example's tab, once it is there.
async fn tab(app: &App, what: &str, is_it: impl Fn(&Tab) -> bool) -> Tab {
    until(what, async || {
        let tabs = app.panel().state().await.desk.tabs;
        tabs.into_iter().find(|tab| tab.state == TabState::Ready && is_it(tab))
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_example_is_opened_through_the_panel_with_its_partner_at_another_origin() {
    let app = App::start(Options::no_model()).await;
    let panel = app.panel();
    panel.screen().press("More examples").await;
    panel.screen().press("Open the example The hearing room").await;
    let tab = tab(&app, "the room should be open", |tab| tab.url.contains("?partner=")).await;
    let (room, partner) = tab
        .url
        .split_once("/?partner=")
        .expect("it is told its partner's origin");
    assert_eq!(room, tab.origin);
    for origin in [room, partner] {
        assert!(origin.starts_with("http://127.0.0.1:"), "{origin}");
    }
    assert_ne!(room, partner);
    let partners = reqwest::get(format!("{partner}/partner.html")).await;
    assert!(partners.expect("the partner is served").status().is_success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_app_begins_with_the_example_it_is_started_on() {
    let app = App::start(Options::no_model().env("COUNTERSIGN_EXAMPLE", "board")).await;
    let tab = tab(&app, "the board should be open", |tab| {
        tab.origin.starts_with("http://127.0.0.1:")
    })
    .await;
    let page = reqwest::get(&tab.url).await.expect("the board is served");
    let page = page.text().await.expect("a page is text");
    assert!(page.contains("/countersign.js"), "{page}");
}

#[test]
fn an_example_that_there_is_not_is_named_with_those_that_there_are() {
    let ended = Command::new(program("countersign"))
        .env("COUNTERSIGN_EXAMPLE", "zoo")
        .output();
    let ended = ended.expect("the app has been built");
    assert_eq!(ended.status.code(), Some(1));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(
        said.contains("There is no example `zoo`. There are: shop, room, board, portfolio, access."),
        "{said}"
    );
}
