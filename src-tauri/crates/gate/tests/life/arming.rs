use countersign_contract::{Arming, Code, Ingress};
use countersign_gate::{Ask, AskedAct, GateError};
use serde_json::json;

use crate::support::*;

#[test]
fn a_card_arms_after_half_a_second_in_view() {
    let mut desk = Desk::new();
    let id = desk.held();
    assert_eq!(desk.card(&id).arming, Arming::Unseen);
    assert_eq!(desk.press(&id).unwrap_err(), GateError::NotArmed { remaining_ms: 500 });
    desk.show(&id);
    desk.wait(499);
    assert_eq!(desk.card(&id).arming, Arming::Arming { remaining_ms: 1 });
    assert_eq!(desk.press(&id).unwrap_err(), GateError::NotArmed { remaining_ms: 1 });
    desk.wait(1);
    assert_eq!(desk.card(&id).arming, Arming::Armed);
    assert!(desk.press(&id).is_ok());
}

#[test]
fn a_card_whose_preview_is_pending_never_arms() {
    let mut desk = Desk::new();
    let id = desk.hold(call(json!({})));
    desk.arm(&id);
    assert!(matches!(desk.card(&id).arming, Arming::Dead { .. }));
    let error = desk.press(&id).unwrap_err();
    assert_eq!(
        (error.code(), matches!(error, GateError::Dead { .. })),
        (Code::NotArmed, true)
    );
}

#[test]
fn a_preview_that_comes_in_makes_another_card() {
    let mut desk = Desk::new();
    let id = desk.hold(call(json!({})));
    desk.arm(&id);
    let shown = desk.card(&id).digest;
    desk.gate.set_preview(&id, 1, priced(1, "1"), &desk.at());
    desk.wait(5_000);
    assert_ne!(desk.card(&id).digest, shown);
    assert_eq!(
        desk.card(&id).arming,
        Arming::Unseen,
        "what is on screen is not what would be released"
    );
    desk.arm(&id);
    assert_eq!(desk.card(&id).arming, Arming::Armed);
}

#[test]
fn a_card_that_changes_and_changes_back_starts_again() {
    let mut desk = Desk::new();
    let id = desk.hold_with(call(json!({})), priced(1, "1"));
    desk.arm(&id);
    let at = desk.at();
    desk.gate.set_preview(&id, 1, priced(2, "2"), &at);
    desk.gate.set_preview(&id, 1, priced(1, "1"), &at);
    assert_eq!(desk.card(&id).arming, Arming::Arming { remaining_ms: 500 });
}

#[test]
fn only_one_card_is_on_screen() {
    let mut desk = Desk::new();
    let (first, second) = (desk.held(), desk.held());
    desk.arm(&first);
    desk.arm(&second);
    assert_eq!(
        (desk.card(&first).arming, desk.card(&second).arming),
        (Arming::Unseen, Arming::Armed)
    );
}

#[test]
fn an_inactive_window_disarms() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.arm(&id);
    desk.gate.window(true, false, &desk.at());
    assert_eq!(desk.press(&id).unwrap_err(), GateError::NotArmed { remaining_ms: 500 });
    desk.gate.window(true, true, &desk.at());
    assert_eq!(desk.press(&id).unwrap_err(), GateError::NotArmed { remaining_ms: 500 });
}

#[test]
fn setting_aside_does_not_change_what_is_shown() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.arm(&id);
    desk.set_aside(&id, true).expect("held");
    assert_eq!(desk.card(&id).arming, Arming::Armed);
}

#[test]
fn two_proposals_of_the_same_call_have_two_digests() {
    let mut desk = Desk::new();
    let (first, second) = (desk.held(), desk.held());
    assert_ne!(desk.card(&first).digest, desk.card(&second).digest);
}

#[test]
fn the_digest_covers_all_that_the_card_shows() {
    type Altered = fn(&mut Ask);
    let card = |change: Altered| {
        let mut desk = Desk::new();
        let mut ask = call(json!({"sku": "tea"}));
        change(&mut ask);
        let id = desk.hold(ask);
        desk.card(&id)
    };
    let base = card(|_| {}).digest;
    let changes: [(&str, Altered); 7] = [
        ("caller", |ask| ask.caller.name.push('x')),
        ("ingress", |ask| ask.caller.ingress = Ingress::PanelHand),
        ("fingerprint", |ask| ask.fingerprint.is_trusted = Some(true)),
        ("address", |ask| ask.page.url.push('x')),
        ("title", |ask| ask.page.title.push('x')),
        ("arguments", |ask| {
            ask.act = AskedAct::Call {
                tool: Box::new(buy()),
                arguments: json!({"sku": "coffee"}),
            }
        }),
        ("description", |ask| {
            let mut tool = buy();
            tool.description.push('x');
            ask.act = AskedAct::Call {
                tool: Box::new(tool),
                arguments: json!({"sku": "tea"}),
            };
        }),
    ];
    for (what, change) in changes {
        assert_ne!(card(change).digest, base, "{what}");
    }
    assert_eq!(card(|_| {}).digest, base, "and nothing else");
}

#[test]
fn neither_time_nor_the_queue_changes_the_card() {
    let mut desk = Desk::new();
    let id = desk.held();
    let before = desk.card(&id).digest;
    desk.arm(&id);
    desk.set_aside(&id, true).expect("held");
    desk.held();
    desk.wait(10_000);
    assert_eq!(desk.card(&id).digest, before);
}
