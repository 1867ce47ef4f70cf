//! The example that is a portfolio: the same call can cost little or most of a position, and a price moves while a write is held.

use countersign_contract::{Cost, Proposal, RowKind};
use countersign_scenarios::{App, Hand, until};
use serde_json::json;

use crate::{critical, example, ledger_verifies, priced};

const CONSEQUENTIAL: &str = "The page says this has effects in the real world or is hard to undo.";

/// The portfolio, in a market that stands still until somebody lets it jump.
async fn a_still_portfolio() -> (App, Hand) {
    let (app, hand) = example("portfolio").await;
    app.panel().has_tools(&["sell", "sell.preview", "quote"]).await;
    hand.press("#pause").await;
    hand.shows("#clock", "stands still").await;
    (app, hand)
}

fn cost(held: &Proposal) -> &Cost {
    held.cost.as_ref().expect("the page priced it")
}

/// What is lost, of what the position is worth, in USD.
fn lost(held: &Proposal) -> (&str, &str) {
    let item = &cost(held).items[0];
    assert_eq!((&*item.label, &*item.unit), ("Lost to price impact and fees", "USD"));
    let [lost, of] = [&item.amount, &item.of].map(|text| text.as_deref().expect("it is measured"));
    (lost, of)
}

/// The share that is lost, in per cent of the position.
fn share(held: &Proposal) -> f64 {
    let (lost, of) = lost(held);
    let number = |text: &str| text.parse::<f64>().expect("an amount is a number");
    number(lost) / number(of) * 100.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_sale_costs_little_on_a_deep_route_and_most_of_the_position_on_a_shallow_one() {
    let (app, hand) = a_still_portfolio().await;
    let before = hand.text("#positions").await;

    let little = [("asset", "MOSS"), ("amount", "500"), ("route", "split")];
    let quote = app.panel().read_by_hand("quote", &little).await;
    app.panel().run_by_hand("sell", &little).await;
    let held = priced(&app).await;
    let (amount, of) = lost(&held);
    assert_eq!(
        format!("{amount} USD"),
        quote["cost"],
        "the card has the page's own price"
    );
    for shown in [
        &*format!("{amount} of {of} USD"),
        "% of the position",
        "No least amount was named",
    ] {
        app.approval().screen().shows(shown).await;
    }
    assert!(share(&held) < 0.01, "{:?}", held.cost);
    assert_eq!(critical(&held), [CONSEQUENTIAL]);
    app.approval().refuse("Only to see what it costs.").await;
    app.record().has(RowKind::Refused).await;

    let all = [("asset", "MOSS"), ("amount", "2750000"), ("route", "lock")];
    app.panel().run_by_hand("sell", &all).await;
    until("the second sale should be held", async || {
        let held = app.approval().holds().await;
        (held.id.0 != "p1").then_some(())
    })
    .await;
    app.approval().next().await;
    let held = priced(&app).await;
    let (amount, of) = lost(&held);
    app.approval().screen().shows(&format!("{amount} of {of} USD")).await;
    assert!(share(&held) > 90.0, "{:?}", held.cost);
    assert_eq!(
        critical(&held),
        [
            CONSEQUENTIAL,
            "More than half of what is given away is lost.",
            "The price impact is beyond 5 %: the route has too little depth for this amount.",
        ]
    );
    assert!(
        !app.approval().can_release().await,
        "three critical risks are not ticked"
    );
    app.approval().refuse("That is most of it.").await;
    app.panel().call("sell", "Refused").await;

    assert_eq!(hand.text("#positions").await, before);
    hand.shows("#no-trades", "Nothing has been traded.").await;
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_that_jumps_before_the_click_holds_the_sale_again_and_it_runs_once_at_the_new_one() {
    let (app, hand) = a_still_portfolio().await;
    let sale = [("asset", "ORE"), ("amount", "1200"), ("route", "quay")];
    app.panel().run_by_hand("sell", &sale).await;
    let shown = priced(&app).await;
    let (old, of) = lost(&shown);
    let was = format!("Lost to price impact and fees: {old} USD of {of}");
    app.approval().acknowledge().await;

    hand.press("#jump").await;
    app.approval().press_release().await;

    let row = app.record().has(RowKind::Repriced).await;
    let again = app.approval().holds().await;
    assert_eq!(again.id, shown.id);
    let (new, of) = lost(&again);
    let is = format!("Lost to price impact and fees: {new} USD of {of}");
    assert_ne!(old, new);
    for both in [&was, &is] {
        app.approval().screen().shows(both).await;
    }
    app.approval().screen().shows("Held again").await;
    let moved = row.data["moved"].as_array().expect("the row says what moved");
    assert_eq!(
        moved[0],
        json!({ "what": "cost", "before": was, "after": is }),
        "both prices are in the ledger"
    );
    hand.shows("#no-trades", "Nothing has been traded.").await;

    app.approval().acknowledge().await;
    app.approval().release().await;
    app.panel().call("sell", "Done").await;

    let released = &app.record().of_kind(RowKind::Released)[0];
    assert_eq!(
        released.data["cost"]["totals"][0],
        json!({ "amount": new, "unit": "USD" }),
        "it was released at the new price"
    );
    assert_eq!(
        app.record().life_of(&shown.id.0),
        [
            RowKind::Proposed,
            RowKind::Repriced,
            RowKind::Released,
            RowKind::Outcome
        ]
    );
    assert_eq!(hand.count("#trades li").await, 1, "it ran once");
    hand.shows("#trades", &format!("{new} USD lost")).await;
    hand.shows("#positions", "13 300").await;
    ledger_verifies(&app);
}
