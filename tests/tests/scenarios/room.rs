//! The example that is a hearing room: tools that come and go with the phase, sealed positions, a partner at another origin.

use countersign_contract::{Grade, Proposal, RowKind};
use countersign_scenarios::{App, Hand};
use serde_json::json;

use crate::{example, ledger_verifies, priced};

const POSITION: &str = "Open on Sundays, from ten.";

/// The host goes on to the next phase by the page's own button.
async fn go_on_to(hand: &Hand, phase: &str) {
    hand.shows("#advance", &format!("Go on to {phase}")).await;
    hand.press("#advance").await;
    hand.shows("#phases [aria-current]", phase).await;
}

/// Runs a write by hand, and releases it when its card has been priced.
async fn released(app: &App, tool: &str, fields: &[(&str, &str)]) -> Proposal {
    let first = app.record().of_kind(RowKind::Proposed).is_empty();
    app.panel().run_by_hand(tool, fields).await;
    app.panel().call(tool, "Held").await;
    if !first {
        app.approval().next().await;
    }
    let held = priced(app).await;
    if held.risks.iter().any(|risk| risk.id == "tool.consequential") {
        app.approval().acknowledge().await;
    }
    app.approval().release().await;
    app.panel().call(tool, "Done").await;
    held
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hearing_goes_from_open_to_closed_with_the_tools_of_each_phase_and_every_write_released() {
    let (app, hand) = example("room").await;
    let panel = app.panel();
    panel.has_tools(&["current_phase", "add_artefact"]).await;
    panel
        .lacks_tools(&["prepare_commitment", "commit_to_round", "reveal_in_round", "ratify"])
        .await;
    let phase = panel.read_by_hand("current_phase", &[]).await;
    assert_eq!((&phase["phase"], &phase["next"]), (&json!("Open"), &json!("Commit")));
    hand.shows("#record li:first-child", "Somebody looked").await;
    hand.shows("#record li:first-child", "current_phase").await;

    go_on_to(&hand, "Commit").await;
    panel.has_tools(&["prepare_commitment", "commit_to_round"]).await;
    panel.lacks_tools(&["add_artefact", "reveal_in_round", "ratify"]).await;
    let sealed = panel
        .read_by_hand("prepare_commitment", &[("position", POSITION)])
        .await;
    let [nonce, commitment] = ["nonce", "commitment"].map(|name| sealed[name].as_str().expect("a text"));
    let held = released(&app, "commit_to_round", &[("commitment", commitment)]).await;
    assert_eq!(
        app.record().life_of(&held.id.0),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    hand.shows("#positions", "Sealed").await;
    for seen in ["#positions", "#record"] {
        assert!(!hand.text(seen).await.contains(POSITION), "{seen} tells what is sealed");
    }

    go_on_to(&hand, "Reveal").await;
    panel.has_tools(&["reveal_in_round"]).await;
    panel.lacks_tools(&["prepare_commitment", "commit_to_round"]).await;
    released(&app, "reveal_in_round", &[("position", POSITION), ("nonce", nonce)]).await;
    hand.shows("#positions", POSITION).await;

    go_on_to(&hand, "Ruling").await;
    panel.has_tools(&["ratify"]).await;
    panel.lacks_tools(&["reveal_in_round"]).await;
    hand.shows("#ruling-empty", "There is no ruling.").await;
    released(&app, "ratify", &[("ruling", "It opens on Sundays.")]).await;
    hand.shows("#ruling", "It opens on Sundays.").await;

    go_on_to(&hand, "Closed").await;
    panel
        .lacks_tools(&["add_artefact", "commit_to_round", "reveal_in_round", "ratify"])
        .await;
    panel.has_tools(&["current_phase", "read_ledger"]).await;
    hand.press("#check").await;
    hand.shows("#checked", "follow from one another").await;
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_partner_at_another_origin_sees_one_tool_and_its_claim_arrives_as_its_own_word() {
    let (app, hand) = example("room").await;
    app.panel().has_tools(&["current_phase", "add_artefact"]).await;
    hand.shows("#partner-state", "The frame below runs on").await;
    let origins = hand.origins().await;
    let [room, partner] = &origins[..] else {
        panic!("a page and one frame: {origins:?}")
    };
    assert_ne!(room, partner);
    let policy = reqwest::get(format!("{partner}/partner.html"))
        .await
        .expect("it is served");
    let policy = policy.headers()["content-security-policy"]
        .to_str()
        .expect("a policy is text");
    assert!(policy.ends_with(&format!("frame-ancestors {room}")), "{policy}");

    let there = hand.within(partner);
    there.press("#look").await;
    there
        .shows("#seen", "this origin is shown current_phase, which says: Open.")
        .await;
    let looked = app.record().has(RowKind::Read).await;
    assert_eq!(
        (looked.grade, &looked.data["tool"]),
        (Grade::ClientAsserted, &json!("current_phase"))
    );

    there.fill("#claim", "The ferry lands at ten.").await;
    there.press("#send").await;
    let newest = "#record li:first-child";
    for shown in ["The partner claims", "inherited", "The ferry lands at ten.", partner] {
        hand.shows(newest, shown).await;
    }
    hand.press("#check").await;
    hand.shows("#checked", "follow from one another").await;
    ledger_verifies(&app);
}
