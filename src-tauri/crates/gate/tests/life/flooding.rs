//! Whoever asks without end is slowed and stopped, and what was withdrawn is turned away; nothing older is lost.

use countersign_contract::{Caller, Ingress, ProposalState, ReleaseParams, ResumeParams, RowKind};
use countersign_gate::{GateError, Policy, no_companion};
use serde_json::json;

use crate::support::*;

fn row_of(error: GateError) -> Option<RowKind> {
    match error {
        GateError::TurnedAway { row, .. } => row.map(|row| row.kind),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_source_that_asks_without_end_is_stopped_and_what_it_asked_before_still_waits() {
    let mut desk = Desk::new();
    let held: Vec<_> = (0..20).map(|n| desk.hold(call(json!({ "n": n })))).collect();
    let stops = desk.gate.propose(call(json!({"n": 20})), &desk.at()).unwrap_err();
    assert_eq!(row_of(stops), Some(RowKind::Paused));
    desk.wait(59_000);
    let stopped = desk.gate.propose(call(json!({"n": 21})), &desk.at()).unwrap_err();
    assert_eq!(
        row_of(stopped),
        None,
        "time alone does not start it again, and one row says it"
    );

    let paused = desk.gate.paused();
    assert_eq!((paused.len(), paused[0].waiting, paused[0].turned_away), (1, 20, 2));
    for id in &held {
        assert_eq!(desk.state(id), ProposalState::Held { set_aside: false });
    }
    assert!(
        desk.gate.propose(held_call("h1", "{}"), &desk.at()).is_ok(),
        "another way in is another source"
    );

    let params = ResumeParams {
        origin: paused[0].origin.clone(),
        ingress: Ingress::PanelAgent,
        client: None,
    };
    let row = desk.gate.resume(&params).expect("it was stopped");
    assert_eq!(
        (row.kind, row.ingress, &row.data["turnedAway"]),
        (RowKind::Resumed, Ingress::Approval, &json!("2"))
    );
    assert_eq!(desk.gate.resume(&params), None);
    assert!(desk.gate.propose(call(json!({"n": 22})), &desk.at()).is_ok());
}

#[test]
fn taking_every_ask_back_does_not_help_a_flood() {
    let mut desk = Desk::new();
    for n in 0..20 {
        let id = desk.hold(held_call(&format!("h{n}"), "{}"));
        desk.gate.withdraw(&id, Ingress::Page, &desk.at()).expect("it is held");
    }
    let stops = desk.gate.propose(held_call("h20", "{}"), &desk.at()).unwrap_err();
    assert_eq!(row_of(stops), Some(RowKind::Paused));
}

#[test]
fn a_caller_that_asks_fast_waits_longer_each_time_and_one_that_pauses_does_not() {
    let mut desk = Desk::new();
    let origin = "https://shop.example";
    let agent = Caller::new(Ingress::PanelAgent, "agent");
    let mut waits = Vec::new();
    for n in 0..20 {
        waits.push(desk.gate.slows(origin, &agent, &desk.at()));
        desk.hold(call(json!({ "n": n })));
    }
    assert_eq!(waits[..11], [0; 11]);
    assert!(waits[11..].windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
    desk.wait(3_000 * 10);
    assert_eq!(desk.gate.slows(origin, &agent, &desk.at()), 0);
}

#[test]
fn an_act_that_was_refused_twice_is_not_asked_again_in_its_task() {
    let mut desk = Desk::new();
    for _ in 0..2 {
        let id = desk.held();
        desk.refuse(&id, "no").expect("it is held");
    }
    let again = desk.gate.propose(call(json!({"sku": "tea"})), &desk.at()).unwrap_err();
    assert_eq!(row_of(again), Some(RowKind::TurnedAway));
    assert!(
        desk.gate.propose(call(json!({"sku": "milk"})), &desk.at()).is_ok(),
        "another act"
    );
    desk.gate.end_task(TASK);
    assert!(
        desk.gate.propose(call(json!({"sku": "tea"})), &desk.at()).is_ok(),
        "another task"
    );
}

#[test]
fn withdrawn_writes_are_turned_away_and_no_rule_releases_until_they_are_restored() {
    let mut desk = Desk::new();
    let held = desk.held();
    let row = desk.gate.revoke_writes(true, &desk.at()).expect("they were there");
    assert_eq!(row.kind, RowKind::WritesRevoked);
    assert_eq!(desk.gate.revoke_writes(true, &desk.at()), None);
    assert!(!desk.gate.shows(&buy(), &desk.at()) && desk.gate.shows(&reading("list"), &desk.at()));
    let away = desk.gate.propose(call(json!({})), &desk.at()).unwrap_err();
    assert_eq!(row_of(away), Some(RowKind::TurnedAway));
    assert_eq!(
        desk.state(&held),
        ProposalState::Held { set_aside: false },
        "what waited still waits"
    );
    assert!(desk.gate.read(&reading("list"), &json!({})).is_ok());

    assert_eq!(
        desk.gate.revoke_writes(false, &desk.at()).map(|row| row.kind),
        Some(RowKind::WritesRestored)
    );
    assert!(desk.gate.propose(call(json!({})), &desk.at()).is_ok());
}

#[test]
fn a_window_under_automation_releases_nothing_unless_a_test_says_so() {
    for refuse_automated in [true, false] {
        let mut desk = Desk::with(Policy {
            refuse_automated,
            ..Policy::default()
        });
        let id = desk.hold_with(call(json!({})), no_companion(&buy()));
        desk.arm(&id);
        let mut fingerprint = pressed();
        fingerprint.automated = Some(true);
        let params = ReleaseParams {
            proposal: id.clone(),
            digest: desk.card(&id).digest,
            acknowledged: vec![],
            fingerprint,
            rule: None,
        };
        let pressed = desk.gate.press(&params, &desk.at());
        match refuse_automated {
            true => assert_eq!(pressed.unwrap_err(), GateError::Automated),
            false => assert!(pressed.is_ok()),
        }
    }
}
