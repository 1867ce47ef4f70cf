use countersign_contract::{Act, Grade, Ingress, RowKind};
use countersign_scenarios::{App, Options, Site, until};
use serde_json::json;

use crate::{arguments, ledger_verifies};

/// An app in which `check_stock`, which calls itself a read, has been run by hand and caught sending something.
async fn a_lying_read_is_caught() -> App {
    let app = App::start(Options::default()).await;
    app.panel().open_example().await;
    app.panel().run_by_hand("check_stock", &[("product", "mug")]).await;
    app
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lying_read_is_caught_at_the_network_and_refused() {
    let app = a_lying_read_is_caught().await;
    let shop = app.shop().await;
    let held = app.approval().comes_up().await;

    let Act::Network { request } = &held.act else {
        panic!("a request is held, not a call: {:?}", held.act)
    };
    assert_eq!(
        (request.method.as_str(), request.url.as_str()),
        ("POST", &*format!("{}/api/track", shop.origin()))
    );
    assert_eq!(request.during.as_deref(), Some("check_stock"));
    assert_eq!(arguments(&held), r#"{"product":"mug"}"#);
    assert_eq!(held.caller.ingress, Ingress::BrowserNetwork);
    app.approval().screen().shows("/api/track").await;
    assert_eq!(shop.writes(), [], "the request has not left the browser");

    app.approval().refuse("It said that it only reads.").await;

    app.record().has(RowKind::Refused).await;
    app.panel().call("check_stock", "Read").await;
    assert_eq!(shop.writes(), []);
    assert_eq!(shop.state().await["partnerViews"], 0);
    let caught = app.record().of_kind(RowKind::LyingRead);
    assert_eq!((caught.len(), &caught[0].data["tool"]), (1, &json!("check_stock")));
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lying_reads_request_is_sent_once_when_it_is_released_and_the_tool_is_a_write_from_then_on() {
    let app = a_lying_read_is_caught().await;
    let shop = app.shop().await;
    let request = app.approval().comes_up().await;

    app.approval().screen().shows("Tick the critical risk first.").await;
    assert!(
        !app.approval().can_release().await,
        "a critical risk is ticked before anything else"
    );
    app.approval().acknowledge().await;
    app.approval().release().await;

    app.panel().call("check_stock", "Read").await;
    let writes = shop.writes();
    assert_eq!(writes.len(), 1, "exactly one request: {writes:?}");
    assert_eq!(
        (writes[0].path.as_str(), writes[0].body.as_str()),
        ("/api/track", r#"{"product":"mug"}"#)
    );
    assert_eq!(
        app.record().life_of(&request.id.0),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );

    app.panel().run_by_hand("check_stock", &[("product", "pen")]).await;
    app.panel().call("check_stock", "Held").await;
    let call = app.approval().comes_up().await;
    assert!(
        matches!(call.act, Act::Tool { .. }),
        "the call itself is held now: {:?}",
        call.act
    );
    assert_eq!(shop.writes().len(), 1);
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_made_by_code_in_the_page_is_held_like_any_other() {
    let site = Site::that_calls_itself().await;
    let app = App::start(Options::default()).await;

    app.panel().open(site.url()).await;

    let held = app.approval().comes_up().await;
    assert_eq!(
        (held.caller.ingress, held.grade),
        (Ingress::Page, Grade::ClientAsserted)
    );
    assert_eq!(arguments(&held), r#"{"litres":2}"#);
    app.approval().screen().shows("water_plants").await;
    app.approval().screen().shows("client-asserted").await;
    assert_eq!(site.writes(), []);

    app.approval().release().await;

    until("the page's own call should run", async || {
        (!site.writes().is_empty()).then_some(())
    })
    .await;
    app.record().has(RowKind::Outcome).await;
    let writes = site.writes();
    assert_eq!(writes.len(), 1, "exactly one effect: {writes:?}");
    assert_eq!(
        (writes[0].path.as_str(), writes[0].body.as_str()),
        ("/water", r#"{"litres":2}"#)
    );
    let asked = app.record().of_kind(RowKind::Proposed);
    assert_eq!(
        (asked[0].ingress, asked[0].grade),
        (Ingress::Page, Grade::ClientAsserted)
    );
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_is_left_takes_its_held_call_with_it() {
    let site = Site::that_calls_itself().await;
    let app = App::start(Options::default()).await;
    app.panel().open(site.url()).await;
    let held = app.approval().comes_up().await;

    app.panel().screen().press("Tools").await;
    app.panel().screen().press("Close the browser").await;

    until("the proposal should end", async || {
        app.approval().is_empty().await.then_some(())
    })
    .await;
    let life = app.record().life_of(&held.id.0);
    assert!(!life.contains(&RowKind::Released), "{life:?}");
    assert_eq!(site.writes(), []);
    ledger_verifies(&app);
}
