use countersign_contract::{
    Act, Arming, HeldRef, Ingress, Moved, Preview, ProposalId, ProposalState, RowKind, Tool, ToolKey, Verdict,
};
use countersign_gate::{GateError, Held, no_companion};
use serde_json::json;

use crate::support::*;

fn moved(what: &str, before: &str, after: &str) -> Moved {
    Moved {
        what: what.into(),
        before: before.into(),
        after: after.into(),
    }
}

/// Arms, presses and re-checks a call that was shown as three teas for 12.00.
fn recheck(desk: &mut Desk, now: Option<&Tool>, fresh: Option<Preview>) -> (ProposalId, Box<Held>) {
    let id = desk.hold_with(call(json!({"sku": "tea"})), priced(3, "12.00"));
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    let held = desk
        .gate
        .recheck(press, now, fresh, &desk.at())
        .expect_err("something moved");
    (id, held)
}

#[test]
fn a_price_beyond_its_tolerance_is_held_again() {
    let mut desk = Desk::new();
    let (id, held) = recheck(&mut desk, Some(&buy()), Some(priced(3, "12.50")));
    let expected = [moved("cost", "Tea: 12.00 EUR", "Tea: 12.50 EUR")];
    assert_eq!(held.moved, expected);
    let row = held.row.expect("a row");
    assert_eq!((row.kind, row.ingress), (RowKind::Repriced, Ingress::Desk));
    assert_eq!(
        row.data["moved"],
        json!([{"what": "cost", "before": "Tea: 12.00 EUR", "after": "Tea: 12.50 EUR"}])
    );
    let card = desk.card(&id);
    assert_eq!(
        (card.state, card.moved.as_slice()),
        (ProposalState::Held { set_aside: false }, expected.as_slice())
    );
    assert_eq!(card.preview, priced(3, "12.50"), "the new price is the one on the card");
    assert_eq!(
        desk.gate.answer(&id).map(|answer| answer.verdict),
        Some(Verdict::Repriced)
    );
}

#[test]
fn what_is_held_again_has_to_be_seen_anew() {
    let mut desk = Desk::new();
    let (id, _) = recheck(&mut desk, Some(&buy()), Some(priced(3, "12.50")));
    desk.wait(10_000);
    assert_eq!(desk.card(&id).arming, Arming::Unseen);
    let ticket = desk.release(&id);
    assert_eq!(ticket.proposal(), &id);
}

#[test]
fn another_effect_at_the_same_price_is_held_again() {
    let mut desk = Desk::new();
    let (_, held) = recheck(&mut desk, Some(&buy()), Some(priced(4, "12.00")));
    assert_eq!(held.moved, [moved("effect", "teas: 0 to 3", "teas: 0 to 4")]);
}

#[test]
fn a_preview_that_fails_now_is_held_again_and_can_be_released_as_not_measured() {
    let mut desk = Desk::new();
    let (id, held) = recheck(&mut desk, Some(&buy()), None);
    assert_eq!(held.moved[0].what, "preview");
    assert!(matches!(desk.card(&id).preview, Preview::Unavailable { .. }));
    assert!(risk_ids(&desk.card(&id)).contains(&"preview.unavailable"));
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    assert!(desk.gate.recheck(press, Some(&buy()), None, &desk.at()).is_ok());
}

#[test]
fn a_preview_that_failed_at_first_and_tells_more_now_is_held_again() {
    let mut desk = Desk::new();
    let (id, _) = recheck(&mut desk, Some(&buy()), None);
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    let now = Some(priced(3, "12.00"));
    let held = desk.gate.recheck(press, Some(&buy()), now, &desk.at()).unwrap_err();
    assert_eq!(held.moved[0].what, "preview");
    assert_eq!(held.moved[0].after, "1 change, 12.00 EUR");
    assert!(matches!(desk.card(&id).preview, Preview::Changes(_)));
}

#[test]
fn a_write_that_would_fail_now_is_held_again() {
    let mut desk = Desk::new();
    let fails = Preview::WouldFail {
        message: "Sold out".into(),
        at: "2026-01-01T00:00:00.000Z".into(),
    };
    let (id, held) = recheck(&mut desk, Some(&buy()), Some(fails));
    assert_eq!(
        held.moved,
        [moved("preview", "1 change, 12.00 EUR", "would fail: Sold out")]
    );
    assert!(risk_ids(&desk.card(&id)).contains(&"preview.would-fail"));
}

#[test]
fn a_new_risk_is_held_again() {
    let mut desk = Desk::new();
    let answer = json!({
        "before": {"teas": 0}, "after": {"teas": 3},
        "cost": {"items": [{"label": "Tea", "amount": "12.00", "unit": "EUR"}]},
        "risks": [{"level": "critical", "text": "Cannot be returned"}],
    });
    let fresh = countersign_gate::read_preview(&answer.to_string(), &desk.at());
    let (_, held) = recheck(&mut desk, Some(&buy()), Some(fresh));
    assert_eq!(held.moved, [moved("risk", "not named", "Cannot be returned")]);
}

#[test]
fn another_definition_is_held_again_and_shown() {
    let mut desk = Desk::new();
    let mut now = buy();
    now.description = "Buys two of each".into();
    now.digest = "new".into();
    let (id, held) = recheck(&mut desk, Some(&now), Some(priced(3, "12.00")));
    assert_eq!(
        held.moved,
        [moved("definition", "description: ", "description: Buys two of each")]
    );
    let Act::Tool { tool, .. } = desk.card(&id).act else {
        panic!("a tool")
    };
    assert_eq!(*tool, now);
}

#[test]
fn another_registration_of_the_same_definition_is_held_again() {
    let mut desk = Desk::new();
    let mut now = buy();
    now.key = ToolKey("F1/buy/2".into());
    let (_, held) = recheck(&mut desk, Some(&now), Some(priced(3, "12.00")));
    assert_eq!(held.moved, [moved("registration", "tool: F1/buy/1", "tool: F1/buy/2")]);
}

#[test]
fn a_tool_that_is_gone_ends_it() {
    for gone in [None, Some("https://other.example")] {
        let mut desk = Desk::new();
        let now = gone.map(|origin| {
            let mut tool = buy();
            tool.page.origin = origin.into();
            tool
        });
        let (id, held) = recheck(&mut desk, now.as_ref(), Some(priced(3, "12.00")));
        assert_eq!(
            (held.row.map(|row| row.kind), held.moved),
            (Some(RowKind::PageGone), vec![])
        );
        assert!(matches!(desk.state(&id), ProposalState::PageGone { .. }), "{gone:?}");
    }
}

#[test]
fn a_held_call_whose_tool_is_gone_has_a_handle_to_answer() {
    let mut desk = Desk::new();
    let id = desk.hold_with(held_call("h1", "{}"), no_companion(&buy()));
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    let held = desk.gate.recheck(press, None, None, &desk.at()).expect_err("gone");
    assert_eq!(held.held, Some(HeldRef("h1".into())));
}

#[test]
fn a_preview_that_appears_only_now_is_shown_before_anything_runs() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    let held = desk
        .gate
        .recheck(press, Some(&buy()), Some(priced(3, "12.00")), &desk.at())
        .expect_err("news");
    assert_eq!(held.moved[0].what, "preview");
}

#[test]
fn what_ended_during_the_re_check_stays_ended() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    assert!(
        desk.gate.withdraw(&id, Ingress::PanelAgent, &desk.at()).is_some(),
        "its caller can take it back until the row is being written"
    );
    let held = desk
        .gate
        .recheck(press, Some(&buy()), None, &desk.at())
        .expect_err("withdrawn");
    assert_eq!(
        *held,
        Held {
            row: None,
            moved: vec![],
            held: None
        }
    );
    assert_eq!(desk.state(&id), ProposalState::Withdrawn);
}

#[test]
fn an_old_press_does_not_count_for_a_new_one() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.arm(&id);
    let old = desk.press(&id).expect("armed");
    desk.gate.withdraw(&id, Ingress::PanelAgent, &desk.at());
    let other = desk.held();
    desk.arm(&other);
    let new = desk.press(&other).expect("armed");
    assert!(desk.gate.recheck(old, Some(&buy()), None, &desk.at()).is_err());
    assert!(desk.gate.recheck(new, Some(&buy()), None, &desk.at()).is_ok());
    assert!(matches!(desk.press(&other), Err(GateError::NotHeld { .. })));
}
