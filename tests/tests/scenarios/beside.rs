//! Reads that a person puts beside a write.

use countersign_contract::{Found, Preview, RowKind, Shows};
use countersign_scenarios::{App, Options, Site, until};
use serde_json::json;

use crate::{arguments, ledger_verifies};

/// A bakery that offers no previews, and a read that tells a price.
const BAKERY: &str = "
    await tool('price_of', 'What loaves cost', { loaves: { type: 'integer' } },
        ({ loaves }) => JSON.stringify({ total: `${loaves * 12}.00` }), { readOnlyHint: true });
    await tool('order_bread', 'Orders loaves', { loaves: { type: 'integer' } }, (input) => write('/order', input));";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_write_changed_is_measured_by_reads_that_the_person_named() {
    let app = App::start(Options::no_model()).await;
    let (panel, screen) = (app.panel(), app.panel().screen());
    panel.open_example().await;
    screen.press("Tools").await;
    screen
        .press_in("place_order", "Compare reads before and after place_order")
        .await;
    screen
        .press_at(
            "//form[@aria-label='Reads compared around place_order']//label[normalize-space(.)='list_orders']",
            "the read",
        )
        .await;
    screen
        .press_at(
            "//form[@aria-label='Reads compared around place_order']//button[@type='submit']",
            "Keep",
        )
        .await;
    screen.shows("measured by 1").await;

    panel
        .run_by_hand("place_order", &[("product", "mug"), ("quantity", "1")])
        .await;
    let held = app.approval().comes_up().await;
    app.approval().release().await;
    panel.call("place_order", "Done").await;
    app.record().has(RowKind::Photographed).await;
    let measured = until("the write should be measured", async || {
        let proposals = app.approval().state().await.proposals;
        proposals.into_iter().find(|card| card.id == held.id)?.measured
    })
    .await;
    let Preview::Changes(promised) = &held.preview else {
        panic!("the shop previews its orders: {:?}", held.preview);
    };
    let balance = promised.changes.iter().find(|change| change.path == "balance");
    let Shows::Compared { changes, .. } = &measured.photographs[0].shows else {
        panic!("both answers were there: {measured:?}");
    };
    assert!(changes.iter().any(|change| Some(change) == balance), "{changes:?}");
    let found = measured
        .promises
        .iter()
        .find(|promise| promise.promised.path == "balance");
    assert_eq!(
        found.map(|promise| &promise.found),
        Some(&Found::AsPromised {
            read: "list_orders".into()
        })
    );
    app.approval().screen().shows("What was measured").await;
    app.approval().screen().shows("as promised").await;
    assert_eq!(app.shop().await.writes().len(), 1);
    assert_eq!(
        app.record().life_of(&held.id.0),
        [
            RowKind::Proposed,
            RowKind::Released,
            RowKind::Outcome,
            RowKind::Photographed
        ]
    );
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_without_a_preview_is_priced_by_a_read_that_the_person_named() {
    let site = Site::serve("Bakery", BAKERY).await;
    let app = App::start(Options::no_model()).await;
    let (panel, screen) = (app.panel(), app.panel().screen());
    panel.open(site.url()).await;
    panel.has_tools(&["price_of", "order_bread"]).await;
    screen.press("Tools").await;
    screen.press_in("order_bread", "Price order_bread by a read").await;
    screen.choose("Read that tells the price", "price_of").await;
    screen.choose("Its argument loaves", "loaves of the write").await;
    screen.fill("Where the amount is", "/total").await;
    screen.fill("Unit", "EUR").await;
    screen
        .press_at(
            "//form[@aria-label='Price of order_bread']//button[@type='submit']",
            "Keep",
        )
        .await;
    screen.shows("priced by a read").await;

    panel.run_by_hand("order_bread", &[("loaves", "2")]).await;
    let held = app.approval().comes_up().await;
    assert_eq!(arguments(&held), r#"{"loaves":2}"#);
    app.approval().screen().shows("24.00 EUR").await;
    app.approval().screen().shows("Not measured").await;
    assert_eq!(site.writes(), []);
    app.approval().release().await;
    panel.call("order_bread", "Done").await;
    let sent = site.writes();
    assert_eq!((sent.len(), sent[0].body.as_str()), (1, r#"{"loaves":2}"#));
    let released = app.record().of_kind(RowKind::Released).remove(0);
    assert!(released.data.to_string().contains("24.00"), "{}", released.data);
    assert_eq!(
        app.record().of_kind(RowKind::Outcome)[0].data["outcome"],
        json!("committed")
    );
    ledger_verifies(&app);
}
