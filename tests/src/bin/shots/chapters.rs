use std::time::Duration;

use countersign_contract::{RowKind, Settings};
use countersign_scenarios::model_server::{Fault, Hold, ModelServer, rule};
use countersign_scenarios::{App, Approval, Options, Site, activate, gone};
use serde_json::{Value, json};

use crate::album::Album;

async fn example(album: &Album) -> App {
    let app = album.start(Options::no_model()).await;
    app.panel().open_example().await;
    app
}

pub async fn empty(album: &Album) {
    let app = album.start(Options::no_model()).await;
    album.window(&app.panel().screen(), "panel-empty").await;
    app.panel().screen().press("Tools").await;
    album.window(&app.panel().screen(), "panel-tools-empty").await;
    app.ledger().open().await;
    album.window(&app.ledger().screen(), "ledger-first").await;
}

pub async fn no_browser(album: &Album) {
    let app = album
        .start(Options::with(Settings {
            browser_path: "/nowhere/chromium".into(),
            ..Settings::default()
        }))
        .await;
    app.panel().screen().press("Open the example").await;
    app.panel().screen().shows("No browser was found").await;
    album.window(&app.panel().screen(), "panel-no-browser").await;
}

pub async fn by_hand(album: &Album) {
    let app = example(album).await;
    let panel = app.panel().screen();
    album.window(&panel, "panel-example-open").await;
    panel.press("Tools").await;
    album.window(&panel, "panel-tools").await;
    panel.press_in("place_order", "Run by hand").await;
    album.window(&panel, "panel-form").await;
    panel.press_in("place_order", "Run by hand").await;

    app.panel().run_by_hand("list_products", &[]).await;
    app.panel().call("list_products", "Read").await;
    app.panel()
        .run_by_hand("add_to_basket", &[("product", "espresso"), ("quantity", "2")])
        .await;
    app.approval().comes_up().await;
    album.window(&app.approval().screen(), "approval-no-preview").await;
    app.approval().release().await;
    app.panel().call("add_to_basket", "Done").await;
    album.window(&panel, "panel-by-hand").await;
}

/// A prompt whose write is held, edited and released; another that is refused.
pub async fn held(album: &Album) {
    let order = |quantity: u32| json!({ "product": "filter", "quantity": quantity });
    let model = ModelServer::start([
        rule("two bags").calls("list_products", json!({})),
        rule("two bags")
            .after(1)
            .says("Morning filter is in stock, at 8.40 EUR a bag.")
            .calls("place_order", order(2)),
        rule("two bags")
            .after(2)
            .says("Three bags of Morning filter are ordered, for 29.10 EUR. The balance is 90.90 EUR."),
        rule("ten more").calls("place_order", order(10)),
        rule("ten more")
            .after(1)
            .says("You refused ten more bags, so I left it at three."),
    ])
    .await;
    let app = album.start(Options::model(&model)).await;
    app.panel().open_example().await;
    let (panel, approval) = (app.panel().screen(), app.approval().screen());

    app.panel().ask("We are out of filter coffee. Order two bags.").await;
    app.panel().call("place_order", "Held").await;
    app.approval().comes_up().await;
    approval.shows("20.70 EUR").await;
    album.window(&panel, "panel-held").await;
    album.window(&approval, "approval-preview").await;
    scroll(&app, 10_000).await;
    album.window(&approval, "approval-preview-foot").await;
    scroll(&app, 0).await;

    approval.press("Edit arguments").await;
    approval.fill("quantity", "3").await;
    album.window(&approval, "approval-edit").await;
    approval.press("Save as version 2").await;
    approval.shows("version 2").await;
    approval.shows("29.10 EUR").await;
    album.window(&approval, "approval-edited").await;
    app.approval().release().await;
    app.panel().call("place_order", "Done").await;
    album.window(&approval, "approval-done").await;
    app.panel().rests().await;
    album.window(&panel, "panel-done").await;

    app.panel().ask("Order ten more.").await;
    app.panel().call("place_order", "Held").await;
    app.approval().comes_up().await;
    album.window(&approval, "approval-next").await;
    app.approval().next().await;
    approval.press("Refuse").await;
    approval.fill("Why not?", "Three bags are enough for this month.").await;
    album.window(&approval, "approval-refuse").await;
    approval.press("Refuse now").await;
    app.record().has(RowKind::Refused).await;
    album.window(&approval, "approval-refused").await;
    app.panel().rests().await;
    album.window(&panel, "panel-refused").await;

    app.ledger().open().await;
    album.window(&app.ledger().screen(), "ledger-rows").await;
    app.ledger().screen().press("Verify").await;
    album.window(&app.ledger().screen(), "ledger-verified").await;
}

/// The lying read, and a write with critical risks.
pub async fn risks(album: &Album) {
    let app = example(album).await;
    app.panel().run_by_hand("check_stock", &[("product", "mug")]).await;
    app.approval().comes_up().await;
    album.window(&app.approval().screen(), "approval-lying-read").await;
    album.window(&app.panel().screen(), "panel-lying-read").await;
    app.approval().refuse("It said that it only reads.").await;
    app.record().has(RowKind::Refused).await;

    app.panel().run_by_hand("close_account", &[]).await;
    app.panel().call("close_account", "Held").await;
    app.approval().comes_up().await;
    app.approval().next().await;
    app.approval().screen().shows("120.00 EUR").await;
    album.window(&app.approval().screen(), "approval-critical").await;
}

pub async fn many(album: &Album) {
    let app = example(album).await;
    for (product, quantity) in [
        ("espresso", "1"),
        ("filter", "2"),
        ("cone", "1"),
        ("notebook", "4"),
        ("pen", "1"),
    ] {
        app.panel()
            .run_by_hand("place_order", &[("product", product), ("quantity", quantity)])
            .await;
    }
    app.panel()
        .run_by_hand(
            "set_delivery_note",
            &[("note", "Ring twice, then leave it behind the blue door.")],
        )
        .await;
    app.panel().call("set_delivery_note", "Held").await;
    app.approval().comes_up().await;
    album.window(&app.approval().screen(), "approval-many").await;
    album.window(&app.panel().screen(), "panel-many").await;
}

pub async fn long_arguments(album: &Album) {
    let rows: Vec<_> = (1..=400)
        .map(|row| json!({ "row": row, "name": format!("Guest {row}"), "table": row % 40 }))
        .collect();
    let script = "await tool('seat_guests', 'Seats every guest of the list', { guests: { type: 'array' } }, (input) => write('/seats', input));";
    let site = Site::serve("Seating plan", script).await;
    let app = album.start(Options::no_model()).await;
    app.panel().open(site.url()).await;
    app.panel().has_tools(&["seat_guests"]).await;
    app.panel()
        .run_by_hand("seat_guests", &[("guests", &json!(rows).to_string())])
        .await;
    app.approval().comes_up().await;
    album.window(&app.approval().screen(), "approval-long-arguments").await;
    scroll(&app, 600).await;
    album
        .window(&app.approval().screen(), "approval-long-arguments-scrolled")
        .await;
}

pub async fn streaming(album: &Album) {
    let answer = "Morning filter is the cheapest coffee on the shelf, at 8.40 EUR for a bag of 250 g. ";
    let hold = Hold::default();
    let model = ModelServer::start([
        rule("cheapest").calls("list_products", json!({})),
        rule("cheapest").after(1).says(&answer.repeat(2)).held_by(&hold),
    ])
    .await;
    let app = album.start(Options::model(&model)).await;
    app.panel().open_example().await;
    app.panel().ask("Which coffee is the cheapest?").await;
    app.panel().screen().shows("8.40 EUR for").await;
    album.window(&app.panel().screen(), "panel-streaming").await;
    hold.let_go();
}

pub async fn model_error(album: &Album) {
    let refusal = r#"{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","code":"invalid_api_key"}}"#;
    let fault = Fault::Status {
        status: 401,
        body: refusal.into(),
        retry_after: None,
    };
    let model = ModelServer::start([rule("").fails(fault)]).await;
    let app = album.start(Options::model(&model)).await;
    app.panel().open_example().await;
    app.panel().ask("Order two bags of filter coffee.").await;
    app.panel().screen().shows("This turn failed").await;
    album.window(&app.panel().screen(), "panel-model-error").await;
}

pub async fn settings(album: &Album) {
    let model = ModelServer::start([]).await;
    let app = album.start(Options::ollama_at(&model.url())).await;
    let panel = app.panel().screen();
    panel.shows("scripted:latest through Ollama").await;
    panel.press("Settings").await;
    album.window(&panel, "settings-ollama").await;
    panel.choose("Provider", "OpenAI").await;
    panel.fill("Key", "sk-an-example").await;
    album.window(&panel, "settings-openai").await;
    panel.choose("Provider", "No model").await;
    album.window(&panel, "settings-no-model").await;
}

pub async fn browser_gone(album: &Album) {
    let app = example(album).await;
    let browser = app.browser().expect("the browser runs");
    browser.kill();
    gone("the browser", &[browser]).await;
    app.panel().screen().shows("The browser stopped by itself").await;
    album.window(&app.panel().screen(), "panel-browser-gone").await;
}

async fn scroll(app: &App, top: u32) {
    activate(Approval::TITLE).await;
    let script =
        "for (const one of document.querySelectorAll('main, main [role=region]')) one.scrollTop = arguments[0];";
    app.approval().screen().script::<Value>(script, json!([top])).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
}
