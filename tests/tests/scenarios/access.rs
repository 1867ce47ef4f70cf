//! The example that is an access console: what a change costs is counted in services, of all there are.

use countersign_contract::RowKind;
use serde_json::json;

use crate::{critical, example, ledger_verifies, priced};

const CONSEQUENTIAL: &str = "The page says this has effects in the real world or is hard to undo.";
const TICKS: &str = "//main//input[@type='checkbox']";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revoking_a_key_costs_services_of_all_there_are_and_each_critical_risk_is_ticked_by_itself() {
    let (app, hand) = example("access").await;
    app.panel().has_tools(&["revoke_key", "revoke_key.preview"]).await;
    hand.shows("#looked-said", "8 of 52 services").await;
    hand.shows("#running", "52 of 52").await;

    app.panel().run_by_hand("revoke_key", &[("key", "payments")]).await;

    let held = priced(&app).await;
    let cost = held.cost.as_ref().expect("the page counted it");
    let (amount, of) = (cost.items[0].amount.as_deref(), cost.items[0].of.as_deref());
    assert_eq!((amount, of, &*cost.items[0].unit), (Some("8"), Some("52"), "services"));
    app.approval().screen().shows("8 of 52 services").await;
    let critical = critical(&held);
    assert_eq!((critical.len(), critical[0]), (2, CONSEQUENTIAL));
    assert!(critical[1].starts_with("Stops: checkout"), "{critical:?}");

    let ticks = app.approval().screen().all(TICKS).await;
    assert_eq!(ticks.len(), 2);
    app.approval().screen().shows("Tick the 2 critical risks first.").await;
    assert!(!app.approval().can_release().await);
    ticks[0].click().await.expect("it can be ticked");
    app.approval().screen().shows("Tick the critical risk first.").await;
    assert!(!app.approval().can_release().await, "one of the two is not ticked");
    ticks[1].click().await.expect("it can be ticked");
    hand.shows("#running", "52 of 52").await;

    app.approval().release().await;

    app.panel().call("revoke_key", "Done").await;
    hand.shows("#running", "44 of 52").await;
    assert_eq!(hand.count("#services .tile.stopped").await, 8);
    hand.shows("#keys", "Revoked.").await;
    let released = &app.record().of_kind(RowKind::Released)[0];
    let acknowledged = released.data["acknowledged"].as_array().map(Vec::len);
    assert_eq!(acknowledged, Some(2), "{}", released.data);
    assert_eq!(
        app.record().life_of(&held.id.0),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );

    let uses = app.panel().read_by_hand("key_uses", &[("key", "payments")]).await;
    assert_eq!(
        (&uses["state"], &uses["running"]),
        (&json!("revoked"), &json!("44 of 52 services"))
    );
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_without_which_nobody_could_change_access_is_critical_and_refused_it_stays() {
    let (app, hand) = example("access").await;
    app.panel().has_tools(&["remove_role", "remove_role.preview"]).await;

    let owner = [("member", "operations-lead"), ("role", "owner")];
    app.panel().run_by_hand("remove_role", &owner).await;

    let held = priced(&app).await;
    assert_eq!(critical(&held), ["Nobody could change access any more."]);
    app.approval()
        .screen()
        .shows("Nobody could change access any more.")
        .await;
    assert!(!app.approval().can_release().await, "it is not ticked");
    app.approval().refuse("Somebody has to hold the keys.").await;
    app.panel().call("remove_role", "Refused").await;
    let access = app
        .panel()
        .read_by_hand("who_has_access", &[("member", "operations-lead")])
        .await;
    assert_eq!(access["members"][0]["roles"], json!(["owner"]));
    hand.shows("#members", "owner").await;
    ledger_verifies(&app);
}
