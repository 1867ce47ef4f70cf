use countersign_contract::RowKind;
use countersign_scenarios::model_server::{ModelServer, rule};
use countersign_scenarios::{App, Options, until};
use serde_json::json;

use crate::{arguments, ledger_verifies};

/// An app whose model has asked to order one mug, and what it says when it has been told the decision.
async fn an_order_is_held(last: &str) -> (App, ModelServer) {
    let model = ModelServer::start([
        rule("mug").calls("place_order", json!({ "product": "mug", "quantity": 1 })),
        rule("mug").after(1).says(last),
    ])
    .await;
    let app = App::start(Options::model(&model)).await;
    app.panel().open_example().await;
    app.panel().ask("Order one stoneware mug.").await;
    app.panel().call("place_order", "Held").await;
    (app, model)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_tells_the_model_why_and_nothing_runs() {
    let (app, model) = an_order_is_held("Then I leave it.").await;
    let shop = app.shop().await;
    let before = shop.state().await;
    let held = app.approval().comes_up().await;

    app.approval().refuse("We have enough mugs.").await;

    app.panel().call("place_order", "Refused").await;
    app.panel().screen().shows("Then I leave it.").await;
    let told = model.told();
    let last = told.last().expect("the model was told");
    assert!(last.contains("We have enough mugs."), "with the reason: {last}");
    assert_eq!(shop.writes(), []);
    assert_eq!(shop.state().await, before);
    assert_eq!(app.record().life_of(&held.id.0), [RowKind::Proposed, RowKind::Refused]);
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_set_aside_or_closed_away_stays_held_until_it_is_released() {
    let (app, _model) = an_order_is_held("It is ordered.").await;
    let shop = app.shop().await;
    let held = app.approval().comes_up().await;

    app.approval().set_aside().await;
    until("the proposal should be set aside", async || {
        app.record()
            .life_of(&held.id.0)
            .contains(&RowKind::SetAside)
            .then_some(())
    })
    .await;
    assert!(!app.approval().is_empty().await, "it is still held");

    if !app.approval().is_on_screen() {
        app.approval().bring_up().await;
    }
    app.approval().close().await;
    assert!(!app.approval().is_empty().await, "it is still held");
    assert_eq!(shop.writes(), []);
    app.panel().call("place_order", "Held").await;

    app.approval().bring_up().await;
    app.approval().release().await;
    app.panel().call("place_order", "Done").await;
    assert_eq!(shop.writes().len(), 1);
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_is_a_new_version_and_it_is_what_runs() {
    let (app, model) = an_order_is_held("Three mugs it is.").await;
    let shop = app.shop().await;
    let first = app.approval().comes_up().await;

    app.approval().edit(&[("quantity", "3")]).await;

    let second = until("the second version should be shown", async || {
        Some(app.approval().holds().await).filter(|proposal| proposal.version == 2)
    })
    .await;
    assert_eq!(second.id, first.id);
    assert_ne!(second.digest, first.digest);
    assert_eq!(arguments(&second), r#"{"product":"mug","quantity":3}"#);
    app.approval().screen().shows("42.00 EUR").await;
    assert_eq!(shop.writes(), []);

    app.approval().release().await;
    app.panel().call("place_order", "Done").await;
    app.panel().screen().shows("Three mugs it is.").await;
    let writes = shop.writes();
    assert_eq!(writes.len(), 1);
    assert_eq!(writes[0].body, r#"{"product":"mug","quantity":3}"#);
    let told = model.told();
    let last = told.last().expect("the model was told");
    assert!(
        last.contains(r#""quantity":3"#),
        "what ran, not what it had asked for: {last}"
    );
    assert_eq!(
        app.record().life_of(&first.id.0),
        [RowKind::Proposed, RowKind::Amended, RowKind::Released, RowKind::Outcome]
    );
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_that_moved_holds_the_write_again() {
    let (app, _model) = an_order_is_held("It is ordered.").await;
    let shop = app.shop().await;
    let held = app.approval().comes_up().await;
    app.approval().screen().shows("17.90 EUR").await;
    shop.raise_prices().await;

    app.approval().press_release().await;

    app.record().has(RowKind::Repriced).await;
    app.approval().screen().shows("18.60 EUR").await;
    let orders =
        |hits: Vec<countersign_scenarios::Hit>| hits.into_iter().filter(|hit| hit.path == "/api/orders").count();
    assert_eq!(orders(shop.writes()), 0, "what was shown is not what it would cost");
    app.approval().release().await;
    app.panel().call("place_order", "Done").await;
    assert_eq!(orders(shop.writes()), 1);
    assert_eq!(
        app.record().life_of(&held.id.0),
        [
            RowKind::Proposed,
            RowKind::Repriced,
            RowKind::Released,
            RowKind::Outcome
        ]
    );
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_the_turn_withdraws_what_it_had_asked_for() {
    let (app, _model) = an_order_is_held("This is never said.").await;
    let shop = app.shop().await;
    let held = app.approval().comes_up().await;

    app.panel().stop().await;

    app.record().has(RowKind::Withdrawn).await;
    app.panel().rests().await;
    assert!(app.approval().is_empty().await, "nothing is left to decide");
    assert_eq!(shop.writes(), []);
    assert_eq!(
        app.record().life_of(&held.id.0),
        [RowKind::Proposed, RowKind::Withdrawn]
    );
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_approval_window_may_decide() {
    let (app, _model) = an_order_is_held("This is never said.").await;
    let shop = app.shop().await;
    let held = app.approval().comes_up().await;
    let name = json!({ "proposal": held.id, "digest": held.digest });
    let with = |more: serde_json::Value| {
        let mut all = name.clone();
        all.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        all
    };

    let tries = [
        ("approval_state", json!(null)),
        ("approval_shown", name.clone()),
        (
            "approval_release",
            with(json!({ "acknowledged": [], "fingerprint": {} })),
        ),
        ("approval_refuse", with(json!({ "reason": "", "fingerprint": {} }))),
        (
            "approval_edit",
            with(json!({ "arguments": { "product": "mug", "quantity": 9 } })),
        ),
        ("approval_set_aside", json!({ "proposal": held.id, "aside": true })),
    ];
    app.ledger().open().await;
    for (command, params) in tries {
        for screen in [app.panel().screen(), app.ledger().screen()] {
            let refused = screen
                .command(command, params.clone())
                .await
                .expect_err("only the approval window may");
            assert!(refused.contains("not allowed"), "{command}: {refused}");
        }
    }
    assert_eq!(app.record().life_of(&held.id.0), [RowKind::Proposed]);
    assert_eq!(shop.writes(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn release_is_dead_until_the_card_has_been_seen() {
    let (app, _model) = an_order_is_held("This is never said.").await;
    let held = app.approval().comes_up().await;
    app.approval().close().await;

    // The window's own page asks, but nobody can see it: the gate, not the button, says no.
    let release = json!({ "proposal": held.id, "digest": held.digest, "acknowledged": [], "fingerprint": {} });
    let refused = app
        .approval()
        .screen()
        .command("approval_release", release)
        .await
        .expect_err("it cannot be seen");
    assert!(refused.contains("not-armed"), "{refused}");
    assert_eq!(app.record().of_kind(RowKind::Released), []);
    app.panel().call("place_order", "Held").await;
}
