//! The example that is a board of notices: a tool that does not exist until one use of it is granted.

use countersign_contract::{Preview, RowKind};
use countersign_scenarios::model_server::{ModelServer, rule};
use countersign_scenarios::{App, Options};
use serde_json::json;

use crate::{critical, example, ledger_verifies, priced};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delete_item_exists_once_its_use_is_granted_for_exactly_that_item_and_is_gone_after_it() {
    let (app, hand) = example("board").await;
    let panel = app.panel();
    panel.has_tools(&["list_items", "request_removal"]).await;
    panel.lacks_tools(&["delete_item"]).await;

    let asked = [("id", "3"), ("reason", "It is out of date.")];
    panel.run_by_hand("request_removal", &asked).await;
    priced(&app).await;
    app.approval()
        .screen()
        .shows("Let an agent remove “Old rota, not in use any more”, once")
        .await;
    panel.lacks_tools(&["delete_item"]).await;
    hand.shows("#grant-text", "delete_item does not exist").await;
    app.approval().release().await;
    panel.call("request_removal", "Done").await;
    panel.has_tools(&["delete_item", "delete_item.preview"]).await;
    hand.shows("#grant-text", "for one call: No. 3").await;

    panel.run_by_hand("delete_item", &[("id", "2")]).await;
    app.approval().next().await;
    let other = priced(&app).await;
    assert!(
        matches!(other.preview, Preview::WouldFail { .. }),
        "{:?}",
        other.preview
    );
    app.approval().acknowledge().await;
    app.approval().release().await;
    panel.call("delete_item", "Failed").await;
    assert_eq!(hand.count("#items li").await, 3, "no other item may go");
    panel.has_tools(&["delete_item"]).await;

    panel.run_by_hand("delete_item", &[("id", "3")]).await;
    app.approval().next().await;
    priced(&app).await;
    app.approval().acknowledge().await;
    app.approval().release().await;
    panel.call("delete_item", "Done").await;
    panel.lacks_tools(&["delete_item", "delete_item.preview"]).await;
    assert_eq!(hand.count("#items li").await, 2);
    assert!(!hand.text("#items").await.contains("Old rota"));
    hand.shows("#grant-text", "delete_item does not exist").await;
    let left = panel.read_by_hand("list_items", &[]).await;
    let ids: Vec<_> = left["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| &item["id"])
        .collect();
    assert_eq!(ids, [&json!("1"), &json!("2")]);
    hand.shows("#receipts", "The grant was spent").await;
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_item_of_somebody_else_would_not_be_edited_and_a_release_changes_nothing() {
    let (app, hand) = example("board").await;
    app.panel().has_tools(&["edit_item", "edit_item.preview"]).await;
    let before = hand.text("#items").await;

    let edit = [("id", "1"), ("text", "The key is mine now")];
    app.panel().run_by_hand("edit_item", &edit).await;

    let held = priced(&app).await;
    let Preview::WouldFail { message, .. } = &held.preview else {
        panic!("the page says it would refuse: {:?}", held.preview)
    };
    assert!(message.contains("an agent may not edit it"), "{message}");
    assert_eq!(critical(&held), ["The page says it would refuse this."]);
    app.approval().screen().shows(message).await;
    app.approval().acknowledge().await;
    app.approval().release().await;

    let failed = app.panel().whole_call("edit_item", "Failed").await;
    assert!(failed.text.contains("not-its-own"), "{}", failed.text);
    let outcome = &app.record().of_kind(RowKind::Outcome)[0];
    assert_eq!(outcome.data["outcome"], "failed");
    assert_eq!(hand.text("#items").await, before);
    hand.shows("#receipts", "not-its-own").await;
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_offered_delete_item_from_the_grant_to_the_one_call_and_no_longer() {
    let model = ModelServer::start([
        rule("rota").calls("request_removal", json!({ "id": "3" })),
        rule("rota").after(1).calls("delete_item", json!({ "id": "3" })),
        rule("rota").after(2).says("The old rota is gone."),
        rule("canoes").says("They stay."),
    ])
    .await;
    let app = App::start(Options::model(&model).example("board")).await;
    let hand = app.hand(&app.example().await).await;
    app.panel()
        .has_tools(&["request_removal", "request_removal.preview"])
        .await;

    app.panel().ask("Take the old rota down.").await;
    priced(&app).await;
    app.approval().release().await;
    app.panel().call("delete_item", "Held").await;
    app.approval().next().await;
    priced(&app).await;
    app.approval().acknowledge().await;
    app.approval().release().await;
    app.panel().screen().shows("The old rota is gone.").await;

    assert_eq!(hand.count("#items li").await, 2);

    // The tool goes after its call has been answered, so the answer may still find it listed.
    app.panel().lacks_tools(&["delete_item"]).await;
    app.panel().ask("And the canoes?").await;
    app.panel().screen().shows("They stay.").await;
    let asked = model.requests().into_iter().filter(|one| one.line.starts_with("POST"));
    let offered: Vec<bool> = asked
        .map(|one| one.body["tools"].to_string().contains("\"delete_item"))
        .collect();
    assert_eq!(offered.len(), 4);
    assert_eq!(
        (offered[0], offered[1], offered[3]),
        (false, true, false),
        "asked for, granted, used"
    );
    ledger_verifies(&app);
}
