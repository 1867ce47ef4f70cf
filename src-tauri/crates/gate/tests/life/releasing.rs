use countersign_contract::{Annotations, Code, HeldRef, Ingress, ProposalId, ProposalState, ReleaseParams, RowKind};
use countersign_gate::{GateError, Target};
use serde_json::json;

use crate::support::*;

#[test]
fn a_press_names_what_was_shown() {
    let mut desk = Desk::new();
    let id = desk.hold_with(call(json!({})), priced(1, "1"));
    desk.arm(&id);
    let stale = desk.card(&id).digest;
    desk.gate.set_preview(&id, 1, priced(2, "2"), &desk.at());
    let params = ReleaseParams {
        proposal: id,
        digest: stale,
        acknowledged: vec![],
        fingerprint: pressed(),
        rule: None,
    };
    let error = desk.gate.press(&params, &desk.at()).unwrap_err();
    assert_eq!((error.code(), error), (Code::Stale, GateError::Stale));
}

#[test]
fn every_critical_risk_is_acknowledged_by_name() {
    let mut desk = Desk::new();
    let grave = tool(
        "send",
        Annotations {
            consequential: true,
            ..Annotations::default()
        },
    );
    let id = desk.hold_with(call_of(grave, json!({})), priced(1, "1"));
    desk.arm(&id);
    let press = |acknowledged: &[&str]| ReleaseParams {
        proposal: id.clone(),
        digest: desk.card(&id).digest,
        acknowledged: acknowledged.iter().map(|id| (*id).to_owned()).collect(),
        fingerprint: pressed(),
        rule: None,
    };
    let (none, other, named) = (press(&[]), press(&["page.1"]), press(&["tool.consequential"]));
    let missing = GateError::Unacknowledged {
        ids: vec!["tool.consequential".into()],
    };
    assert_eq!(desk.gate.press(&none, &desk.at()).unwrap_err(), missing);
    assert_eq!(desk.gate.press(&other, &desk.at()).unwrap_err(), missing);
    assert!(desk.gate.press(&named, &desk.at()).is_ok());
}

#[test]
fn what_is_unknown_or_decided_cannot_be_pressed() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    assert_eq!(desk.state(&id), ProposalState::Releasing);
    assert!(
        matches!(desk.press(&id), Err(GateError::NotHeld { .. })),
        "a second press while the first is on its way"
    );
    drop(press);
    let nobody = ProposalId("p99".into());
    let params = ReleaseParams {
        proposal: nobody.clone(),
        digest: String::new(),
        acknowledged: vec![],
        fingerprint: pressed(),
        rule: None,
    };
    assert_eq!(
        desk.gate.press(&params, &desk.at()).unwrap_err(),
        GateError::NotFound(nobody)
    );
}

#[test]
fn a_ticket_carries_exactly_what_was_shown() {
    let mut desk = Desk::new();
    let id = desk.held();
    let ticket = desk.release(&id);
    assert_eq!(ticket.proposal(), &id);
    assert_eq!(
        ticket.target(),
        &Target::Call {
            tool: Box::new(buy()),
            arguments: r#"{"sku":"tea"}"#.into()
        }
    );
    assert_eq!(ticket.nonce(), "ab".repeat(16));
    assert_eq!(ticket.row(), desk.rows()[0].seq);
    assert_eq!(desk.state(&id), ProposalState::Released);
}

#[test]
fn a_held_call_and_a_paused_request_are_let_go_by_their_handles() {
    let mut desk = Desk::new();
    let held = desk.hold_with(held_call("h1", "{}"), priced(1, "1"));
    assert_eq!(
        desk.release(&held).target(),
        &Target::HeldCall {
            held: HeldRef("h1".into()),
            tool: Box::new(buy()),
            arguments: "{}".into()
        }
    );
    let paused = desk.hold(held_request("h2", Some(reading("browse"))));
    desk.arm(&paused);
    let press = desk.press(&paused).expect("armed");
    assert_eq!(press.tool(), None, "there is nothing to re-check");
    let draft = desk
        .gate
        .recheck(press, None, None, &desk.at())
        .expect("nothing to re-check");
    let row = desk.append(draft.row());
    let ticket = desk.gate.release(draft, row, NONCE, &desk.at()).expect("its row");
    assert_eq!(
        ticket.target(),
        &Target::HeldRequest {
            held: HeldRef("h2".into()),
            request: request()
        }
    );
}

#[test]
fn the_released_row_says_all_that_was_shown_and_measured() {
    let mut desk = Desk::new();
    let id = desk.hold_with(call(json!({"sku": "tea"})), priced(3, "12.00"));
    let card = desk.card(&id);
    let digest_of = |preview: &countersign_contract::Preview| match preview {
        countersign_contract::Preview::Changes(changes) => changes.digest.clone(),
        _ => panic!("changes"),
    };
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    assert_eq!((press.id(), press.tool(), press.runs()), (&id, Some(&buy()), true));
    assert_eq!(press.arguments(), r#"{"sku":"tea"}"#);
    let fresh = priced(3, "12.05");
    let fresh_digest = digest_of(&fresh);
    let draft = desk
        .gate
        .recheck(press, Some(&buy()), Some(fresh), &desk.at())
        .expect("within tolerance");
    let row = draft.row();
    assert_eq!(
        (row.kind, row.ingress, row.reference.as_deref()),
        (RowKind::Released, Ingress::Approval, Some("p1"))
    );
    assert_eq!(
        row.data,
        json!({
            "proposal": "p1",
            "version": 1,
            "press": 1,
            "act": "tool",
            "tool": "buy",
            "toolKey": "F1/buy/1",
            "toolDigest": buy().digest,
            "definition": {
                "title": "", "description": "", "inputSchema": r#"{"type":"object"}"#, "annotations": buy().annotations,
            },
            "arguments": r#"{"sku":"tea"}"#,
            "argumentsDigest": card.arguments_digest,
            "page": {
                "door": "browser", "tab": "T1", "frame": "F1", "document": "D1",
                "origin": "https://shop.example", "url": "https://shop.example/basket",
            },
            "preview": "changes",
            "previewDigest": digest_of(&card.preview),
            "previewDigestAtPress": fresh_digest,
            "cardDigest": card.digest,
            "shownMs": "500",
            "cost": {
                "totals": [{"amount": "12.00", "unit": "EUR"}],
                "notMeasured": 0,
                "asOf": "2026-01-01T00:00:00.000Z",
            },
            "acknowledged": [],
            "fingerprint": {"isTrusted": true, "event": "click", "dwellMs": 700},
        })
    );
}

#[test]
fn only_its_own_durable_row_makes_a_ticket() {
    let mut desk = Desk::new();
    let (first, second) = (desk.held(), desk.held());
    let other = desk.draft(&second);
    let other_row = desk.append(other.row());
    let draft = desk.draft(&first);
    assert_eq!(
        desk.gate.release(draft, other_row, NONCE, &desk.at()).unwrap_err(),
        GateError::WrongRow(first.clone())
    );
    assert_eq!(desk.state(&first), ProposalState::Held { set_aside: false });

    let draft = desk.draft(&first);
    let mut forged = draft.row().clone();
    forged.data["arguments"] = json!("{}");
    let forged = desk.append(&forged);
    assert_eq!(
        desk.gate.release(draft, forged, NONCE, &desk.at()).unwrap_err(),
        GateError::WrongRow(first.clone())
    );

    let earlier = desk.draft(&first);
    let earlier_row = desk.append(earlier.row());
    desk.gate.release_failed(earlier, &desk.at());
    let draft = desk.draft(&first);
    assert_eq!(
        desk.gate.release(draft, earlier_row, NONCE, &desk.at()).unwrap_err(),
        GateError::WrongRow(first),
        "the row of an earlier press does not count for this one"
    );
}

#[test]
fn a_row_that_could_not_be_written_holds_it_again_to_be_seen_anew() {
    let mut desk = Desk::new();
    let id = desk.held();
    let draft = desk.draft(&id);
    assert_eq!(desk.state(&id), ProposalState::Releasing);
    desk.gate.release_failed(draft, &desk.at());
    assert_eq!(desk.state(&id), ProposalState::Held { set_aside: false });
    assert_eq!(desk.press(&id).unwrap_err(), GateError::NotArmed { remaining_ms: 500 });
    desk.wait(500);
    assert!(desk.press(&id).is_ok());
}

#[test]
fn a_cancelled_re_check_holds_it_again_to_be_seen_anew() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    desk.gate.put_back(press, &desk.at());
    assert_eq!(desk.state(&id), ProposalState::Held { set_aside: false });
    assert_eq!(desk.press(&id).unwrap_err(), GateError::NotArmed { remaining_ms: 500 });
}
