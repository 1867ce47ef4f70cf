use countersign_contract::{DoorState, RowKind};
use countersign_scenarios::{App, Options, Record, Site, gone, until};

use crate::ledger_verifies;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_while_something_is_held_nothing_runs_then_or_later() {
    let app = App::start(Options::default()).await;
    app.panel().open_example().await;
    app.panel()
        .run_by_hand("place_order", &[("product", "pen"), ("quantity", "1")])
        .await;
    let held = app.approval().comes_up().await;
    let shop = app.shop().await;
    assert!(app.browser().is_some(), "the browser runs");

    let home = app.kill().await;

    assert_eq!(shop.writes(), [], "nothing got out while everything was torn down");
    assert_eq!(Record::of(&home).life_of(&held.id.0), [RowKind::Proposed]);

    let app = App::start(Options {
        home: Some(home),
        ..Options::default()
    })
    .await;
    let expired = app.record().has(RowKind::Expired).await;
    assert_eq!(expired.reference.as_deref(), Some(&*held.id.0));
    assert!(app.approval().is_empty().await, "nothing is left to decide");
    assert!(!app.approval().is_on_screen());
    app.panel().open_example().await;
    let shop = app.shop().await;
    assert_eq!(shop.writes(), []);
    assert_eq!(app.record().life_of(&held.id.0), [RowKind::Proposed, RowKind::Expired]);
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_that_dies_during_a_released_write_leaves_it_unknown_and_it_is_not_run_again() {
    let site = Site::that_takes_its_time().await;
    let app = App::start(Options::default()).await;
    app.panel().open(site.url()).await;
    app.panel().has_tools(&["send_letter"]).await;
    app.panel().run_by_hand("send_letter", &[("to", "Ida")]).await;
    let held = app.approval().comes_up().await;
    app.approval().release().await;
    until("the write should reach the server", async || {
        (site.writes().len() == 1).then_some(())
    })
    .await;

    let browser = app.browser().expect("the browser runs");
    browser.kill();
    gone("the browser", &[browser]).await;

    let outcome = app.record().has(RowKind::Outcome).await;
    assert_eq!(
        (outcome.reference.as_deref(), &outcome.data["outcome"]),
        (Some(&*held.id.0), &"unknown".into())
    );
    app.panel().call("send_letter", "Outcome unknown").await;
    app.panel().screen().shows("The browser stopped by itself").await;

    app.panel().screen().press("Start again").await;
    app.panel().has_tools(&["send_letter"]).await;
    let door = &app.panel().state().await.desk.doors[0].status;
    assert!(matches!(door, DoorState::Open { .. }), "{door:?}");
    assert_eq!(site.writes().len(), 1, "it is not run again");
    assert_eq!(
        app.record().life_of(&held.id.0),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closing_the_panel_ends_the_app_and_the_browser_and_nothing_runs() {
    let app = App::start(Options::default()).await;
    app.panel().open_example().await;
    app.panel()
        .run_by_hand("add_to_basket", &[("product", "cone"), ("quantity", "1")])
        .await;
    app.approval().comes_up().await;
    let shop = app.shop().await;

    let home = app.close().await;

    assert_eq!(shop.writes(), []);
    let verified = Record::of(&home).verify();
    assert!(verified.intact, "{}", verified.said);
}
