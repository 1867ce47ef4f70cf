use countersign_contract::{Ingress, ProviderKind, RowKind};
use countersign_scenarios::model_server::{ModelServer, Rule, rule};
use countersign_scenarios::{App, Options, until};
use serde_json::json;

use crate::{arguments, ledger_verifies};

/// A model that looks at the shelf before it orders.
fn orders_two_bags_of_filter_coffee() -> [Rule; 3] {
    let prompt = "filter coffee";
    [
        rule(prompt).calls("list_products", json!({})),
        rule(prompt)
            .after(1)
            .calls("place_order", json!({ "quantity": 2, "product": "filter" })),
        rule(prompt).after(2).says("Two bags of Morning filter are ordered."),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_the_openai_wire_a_read_runs_at_once_and_a_write_waits_for_release() {
    let model = ModelServer::start(orders_two_bags_of_filter_coffee()).await;
    let app = App::start(Options::model(&model)).await;
    the_life_of_a_write(&app, &model).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_the_ollama_wire_found_by_itself_the_same() {
    // Nothing at all is configured when Ollama's usual port is free here; else only the address of this one.
    let (model, options) = match ModelServer::start_at(11434, orders_two_bags_of_filter_coffee()).await {
        Ok(model) => (model, Options::default()),
        Err(_) => {
            let model = ModelServer::start(orders_two_bags_of_filter_coffee()).await;
            let options = Options::ollama_at(&model.url());
            (model, options)
        }
    };
    let app = App::start(options).await;
    let picked = until("the running Ollama should be picked by itself", async || {
        Some(app.panel().state().await).filter(|state| state.provider.ready)
    })
    .await;
    assert_eq!(picked.settings.provider, ProviderKind::Ollama);
    assert!(!picked.settings.provider_chosen, "nobody chose it");
    app.panel().screen().shows("scripted:latest through Ollama").await;
    the_life_of_a_write(&app, &model).await;
}

async fn the_life_of_a_write(app: &App, model: &ModelServer) {
    app.panel().open_example().await;
    let shop = app.shop().await;
    let before = shop.state().await;

    app.panel().ask("Order two bags of filter coffee.").await;

    let read = app.panel().whole_call("list_products", "Read").await;
    assert!(
        read.text.contains("Morning filter"),
        "the read's answer is on the panel: {}",
        read.text
    );
    let row = app.record().has(RowKind::Read).await;
    assert_eq!(
        (row.ingress, &row.data["tool"]),
        (Ingress::PanelAgent, &json!("list_products"))
    );

    app.panel().call("place_order", "Held").await;
    let held = app.approval().comes_up().await;
    assert_eq!(
        shop.state().await,
        before,
        "the page must not change while the write is held"
    );
    assert_eq!(shop.writes(), [], "nothing may be sent while the write is held");
    assert_eq!(arguments(&held), r#"{"product":"filter","quantity":2}"#);
    let card = app.approval().screen();
    for shown in [
        "place_order",
        "product",
        "filter",
        "quantity",
        "2",
        shop.origin(),
        "Morning filter",
        "3.90 EUR",
        "20.70 EUR",
    ] {
        card.shows(shown).await;
    }

    app.approval().release().await;

    app.panel().call("place_order", "Done").await;
    app.panel()
        .screen()
        .shows("Two bags of Morning filter are ordered.")
        .await;
    let writes = shop.writes();
    assert_eq!(writes.len(), 1, "exactly one request: {writes:?}");
    assert_eq!(
        (writes[0].method.as_str(), writes[0].path.as_str()),
        ("POST", "/api/orders")
    );
    assert_eq!(writes[0].body, r#"{"product":"filter","quantity":2}"#);
    let after = shop.state().await;
    assert_eq!(after["orders"].as_array().map(Vec::len), Some(1));
    assert_eq!(after["balance"], "99.30");

    let told = model.told();
    let last = told.last().expect("the model was told how its call ended");
    assert!(
        last.contains("was released and ran once"),
        "in words it cannot mistake: {last}"
    );
    assert_eq!(
        app.record().life_of(&held.id.0),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    let outcome = app.record().of_kind(RowKind::Outcome);
    assert_eq!(outcome[0].data["outcome"], "committed");
    let released = app.record().of_kind(RowKind::Released);
    assert_eq!(released[0].ingress, Ingress::Approval);
    ledger_verifies(app);
}
