use countersign_contract::{Effect, RowKind};
use countersign_scenarios::model_server::{ModelServer, rule};
use countersign_scenarios::{App, Options, until};
use serde_json::json;

use crate::ledger_verifies;

const ONE: &[(&str, &str)] = &[("product", "notebook"), ("quantity", "1")];
const TWO: &[(&str, &str)] = &[("product", "notebook"), ("quantity", "2")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_allowed_along_with_a_release_runs_without_a_press_until_it_is_revoked() {
    let app = App::start(Options::no_model()).await;
    app.panel().open_example().await;
    let shop = app.shop().await;
    app.panel().run_by_hand("add_to_basket", ONE).await;
    app.approval().comes_up().await;
    app.approval().release_and_allow(&["Always", "Any arguments"]).await;
    app.panel().call("add_to_basket", "Done").await;
    let rules = app.panel().state().await.desk.rules;
    assert_eq!((rules.len(), rules[0].effect), (1, Effect::Allow));

    app.panel().run_by_hand("add_to_basket", TWO).await;
    until("the second call should run by the rule", async || {
        (shop.writes().len() == 2).then_some(())
    })
    .await;
    until("both outcomes should be recorded", async || {
        (app.record().of_kind(RowKind::Outcome).len() == 2).then_some(())
    })
    .await;
    let released = app.record().of_kind(RowKind::Released);
    assert_eq!(released[1].data["byRule"], json!(rules[0].id));
    app.panel().screen().press("Talk").await;
    app.panel().screen().shows("Nobody was asked").await;

    let home = app.close().await;
    let app = App::start(Options {
        home: Some(home),
        ..Options::no_model()
    })
    .await;
    let kept = app.panel().state().await.desk.rules;
    assert_eq!((&kept[0].id, kept[0].uses), (&rules[0].id, 1));
    app.panel().screen().press("Rules").await;
    app.panel().screen().shows("add_to_basket").await;
    app.panel()
        .screen()
        .press_at("//button[starts-with(@aria-label, 'Revoke')]", "the rule's Revoke")
        .await;
    until("the rule should be gone", async || {
        app.panel().state().await.desk.rules.is_empty().then_some(())
    })
    .await;
    app.record().has(RowKind::RuleEnded).await;
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_write_tools_revoked_the_model_has_none_and_reads_still_work() {
    let model = ModelServer::start([
        rule("mug").calls("place_order", json!({ "product": "mug", "quantity": 1 })),
        rule("mug").after(1).calls("list_products", json!({})),
        rule("mug").after(2).says("I can only look."),
    ])
    .await;
    let app = App::start(Options::model(&model)).await;
    app.panel().open_example().await;
    let shop = app.shop().await;
    app.panel().screen().press("Revoke write tools").await;
    app.record().has(RowKind::WritesRevoked).await;

    app.panel().ask("Order one stoneware mug.").await;
    app.panel().screen().shows("I can only look.").await;
    let told = model.told();
    assert!(told[0].contains("There is no tool"), "{told:?}");
    assert_eq!(
        (shop.writes(), app.record().of_kind(RowKind::Proposed)),
        (vec![], vec![])
    );

    app.panel().screen().press("Revoke write tools").await;
    app.record().has(RowKind::WritesRestored).await;
    let tools = app.panel().state().await.desk.writes_revoked_at;
    assert_eq!(tools, None);
    ledger_verifies(&app);
}
