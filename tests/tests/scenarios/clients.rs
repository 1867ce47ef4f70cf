//! Programs of the person's own that use the pages through MCP. The official clients are tried in `tests/clients`.

use countersign_contract::{ClientStanding, RowKind};
use countersign_scenarios::{App, McpClient, Options, program, until};
use serde_json::json;

use crate::ledger_verifies;

async fn asks(app: &App, name: &str) {
    until("the client should ask to be let in", async || {
        let clients = app.approval().state().await.clients;
        let asks = clients
            .iter()
            .any(|one| one.who.name == name && matches!(one.standing, ClientStanding::Asking { .. }));
        asks.then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_is_paired_in_the_approval_window_and_what_it_asks_for_is_released_there() {
    let app = App::start(Options::no_model()).await;
    app.panel().open_example().await;
    let shop = app.shop().await;
    let mut client = McpClient::start(app.home(), "scribe");
    assert!(
        !client.tools().contains(&"t1_list_products".to_owned()),
        "it is not paired"
    );

    asks(&app, "scribe").await;
    app.approval().screen().shows("scribe").await;
    app.approval().screen().shows("wants to use your pages").await;
    app.approval().pair().await;
    let row = app.record().has(RowKind::ClientPaired).await;
    assert_eq!(row.data["who"]["name"], "scribe");
    client.has_tool("t1_list_products").await;
    assert!(client.call("t1_list_products", json!({}))["isError"] != true);

    let held = client.call("t1_add_to_basket", json!({ "product": "espresso", "quantity": 2 }));
    assert_eq!(held["structuredContent"]["status"], "held");
    let card = app.approval().comes_up().await;
    assert!(
        card.caller.name.starts_with("scribe 1.0 (process "),
        "{}",
        card.caller.name
    );
    app.approval().screen().shows("scribe 1.0 (process ").await;
    assert_eq!(shop.writes(), [], "nothing is sent while it is held");
    app.approval().release().await;
    let told = client.call("wait_for_decision", json!({ "proposal": card.id }));
    assert_eq!(told["structuredContent"]["status"], "committed", "{told}");
    assert_eq!(shop.writes().len(), 1, "it ran once");
    ledger_verifies(&app);

    app.panel().end_pairing("scribe").await;
    app.record().has(RowKind::ClientUnpaired).await;
    until("the client should see nothing any more", async || {
        (!client.tools().contains(&"t1_list_products".to_owned())).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_is_not_paired_sees_nothing_and_is_told_so() {
    let app = App::start(Options::no_model()).await;
    app.panel().open_example().await;
    let mut client = McpClient::start(app.home(), "stranger");
    client.tools();
    asks(&app, "stranger").await;
    app.approval().turn_away().await;
    app.record().has(RowKind::ClientRefused).await;
    // It hears of it a moment after the ledger does.
    until("the client should be told that it was not let in", async || {
        let refused = client.call("t1_list_products", json!({}));
        assert_eq!(refused["isError"], true);
        let text = refused["content"][0]["text"].as_str().unwrap_or_default();
        text.contains("did not let this client in").then_some(())
    })
    .await;
    assert_eq!(app.record().of_kind(RowKind::Read).len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_app_is_started_by_a_client_when_nobody_else_has() {
    // The app's account and its screen, and nothing that runs in them.
    let home = App::start(Options::no_model()).await.close().await;
    let environment = [
        ("COUNTERSIGN_APP", program("countersign").to_string_lossy().into_owned()),
        ("COUNTERSIGN_KEYRING", "memory".to_owned()),
        ("NO_AT_BRIDGE", "1".to_owned()),
    ];
    let mut client = McpClient::start_with(&home, "early", &environment);
    client.tools();
    let started = until("the app should have been started", async || client.started_app()).await;
    until("the client should be told that it waits to be let in", async || {
        let said = client.call("list_pages", json!({}));
        let text = said["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        text.contains("approval window").then_some(())
    })
    .await;
    started.kill();
}
