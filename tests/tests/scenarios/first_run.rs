use countersign_contract::{Ingress, ProviderKind, RowKind};
use countersign_scenarios::{App, Options};
use serde_json::json;

use crate::{arguments, ledger_verifies};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_nothing_configured_a_tool_of_the_example_is_run_by_hand() {
    let app = App::start(Options::no_model()).await;
    let panel = app.panel();
    panel.screen().shows("No model").await;
    assert_eq!(panel.state().await.settings.provider, ProviderKind::None);

    panel.open_example().await;
    panel.screen().press("Tools").await;
    for shown in [
        "Little Harbour",
        "list_products",
        "add_to_basket",
        "place_order",
        "check_stock",
        "close_account",
    ] {
        panel.screen().shows(shown).await;
    }
    let shop = app.shop().await;

    panel
        .run_by_hand("add_to_basket", &[("product", "notebook"), ("quantity", "2")])
        .await;

    panel.call("add_to_basket", "Held").await;
    let held = app.approval().comes_up().await;
    assert_eq!(held.caller.ingress, Ingress::PanelHand);
    assert_eq!(arguments(&held), r#"{"product":"notebook","quantity":2}"#);
    app.approval().screen().shows("not measured").await;
    assert_eq!(shop.writes(), []);

    app.approval().release().await;

    panel.call("add_to_basket", "Done").await;
    let basket = &shop.state().await["basket"]["lines"];
    assert_eq!(
        (&basket[0]["product"], &basket[0]["quantity"]),
        (&json!("notebook"), &json!(2))
    );
    assert_eq!(shop.writes().len(), 1);

    app.ledger().open().await;
    app.ledger().screen().shows("add_to_basket").await;
    assert_eq!(
        app.record().life_of(&held.id.0),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_run_by_hand_is_answered_at_once() {
    let app = App::start(Options::default()).await;
    app.panel().open_example().await;
    app.panel().run_by_hand("list_products", &[]).await;
    let read = app.panel().whole_call("list_products", "Read").await;
    assert!(read.text.contains("Harbour espresso"), "{}", read.text);
    let row = app.record().has(RowKind::Read).await;
    assert_eq!(row.ingress, Ingress::PanelHand);
    assert!(app.approval().is_empty().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_browser_the_panel_says_so_and_how_to_get_one() {
    let settings = countersign_contract::Settings {
        browser_path: "/nowhere/chromium".into(),
        ..Default::default()
    };
    let app = App::start(Options::with(settings)).await;
    app.panel().screen().press("Open the example").await;
    app.panel().screen().shows("No browser was found").await;
    app.panel().screen().shows("apt install chromium").await;
}
