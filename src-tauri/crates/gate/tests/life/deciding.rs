use countersign_contract::{Act, Change, Code, EditParams, HeldRef, Ingress, Preview, ProposalState, RowKind};
use countersign_gate::GateError;
use serde_json::json;

use crate::support::*;

#[test]
fn an_edit_is_another_version_to_be_previewed_and_seen_anew() {
    let mut desk = Desk::new();
    let id = desk.hold_with(call(json!({"sku": "tea", "n": 1})), priced(1, "4.00"));
    let before = desk.card(&id);
    desk.arm(&id);
    let row = desk.edit(&id, json!({"n": 2, "sku": "tea"})).expect("held");
    let card = desk.card(&id);
    let Act::Tool {
        arguments, canonical, ..
    } = &card.act
    else {
        panic!("a tool")
    };
    assert_eq!(
        (arguments, canonical.as_str()),
        (&json!({"n": 2, "sku": "tea"}), r#"{"n":2,"sku":"tea"}"#)
    );
    assert_eq!((card.version, &card.preview), (2, &Preview::Pending));
    assert_ne!(
        (&card.digest, &card.arguments_digest),
        (&before.digest, &before.arguments_digest)
    );
    assert_eq!(
        card.edits,
        [Change {
            path: "n".into(),
            before: Some(json!(1)),
            after: Some(json!(2))
        }]
    );
    assert_eq!(desk.gate.preview_wanted(&id), Some(2));
    assert!(
        !desk.gate.set_preview(&id, 1, priced(1, "4.00"), &desk.at()),
        "the first version's preview comes too late"
    );
    assert!(matches!(desk.press(&id), Err(GateError::Dead { .. })));
    assert_eq!((row.kind, row.ingress), (RowKind::Amended, Ingress::Approval));
    assert_eq!(
        row.data,
        json!({
            "proposal": "p1",
            "version": 2,
            "arguments": r#"{"n":2,"sku":"tea"}"#,
            "argumentsDigest": card.arguments_digest,
            "argumentsDigestBefore": before.arguments_digest,
            "cardDigest": before.digest,
        })
    );
}

#[test]
fn edits_are_counted_from_what_was_asked_for() {
    let mut desk = Desk::new();
    let id = desk.hold_with(call(json!({"n": 1})), priced(1, "4.00"));
    desk.edit(&id, json!({"n": 2})).expect("held");
    desk.edit(&id, json!({"n": 3})).expect("held");
    assert_eq!(
        desk.card(&id).edits,
        [Change {
            path: "n".into(),
            before: Some(json!(1)),
            after: Some(json!(3))
        }]
    );
    desk.edit(&id, json!({"n": 1})).expect("held");
    assert_eq!((desk.card(&id).edits, desk.card(&id).version), (vec![], 4));
}

#[test]
fn what_was_edited_is_what_runs() {
    let mut desk = Desk::new();
    let id = desk.hold_with(held_call("h1", r#"{"n":1}"#), priced(1, "4.00"));
    desk.edit(&id, json!({"n": 2})).expect("held");
    desk.gate.set_preview(&id, 2, priced(2, "8.00"), &desk.at());
    let ticket = desk.release(&id);
    let countersign_gate::Target::HeldCall { arguments, .. } = ticket.target() else {
        panic!("a held call")
    };
    assert_eq!(arguments, r#"{"n":2}"#);
    assert_eq!(desk.rows()[0].data["arguments"], json!(r#"{"n":2}"#));
}

#[test]
fn an_edit_of_another_version_is_stale_but_a_late_preview_does_not_make_it_so() {
    let mut desk = Desk::new();
    let id = desk.hold(call(json!({"n": 1})));
    let first = desk.card(&id).digest;
    desk.gate.set_preview(&id, 1, priced(1, "4.00"), &desk.at());
    let edit = |arguments| EditParams {
        proposal: id.clone(),
        digest: first.clone(),
        arguments,
    };
    assert!(desk.gate.edit(&edit(json!({"n": 2})), &desk.at()).is_ok());
    assert_eq!(
        desk.gate.edit(&edit(json!({"n": 3})), &desk.at()).unwrap_err(),
        GateError::Stale
    );
}

#[test]
fn an_edit_changes_something_into_something_that_can_be_shown() {
    let mut desk = Desk::new();
    let id = desk.held();
    assert_eq!(desk.edit(&id, json!({"sku": "tea"})).unwrap_err(), GateError::Unchanged);
    assert!(matches!(
        desk.edit(&id, json!(["tea"])),
        Err(GateError::BadArguments { .. })
    ));
    let paused = desk.hold(held_request("h1", None));
    assert_eq!(desk.edit(&paused, json!({})).unwrap_err(), GateError::NotEditable);
    assert_eq!((desk.card(&id).version, desk.card(&paused).version), (1, 1));
}

#[test]
fn a_refusal_needs_no_arming_and_tells_its_reason() {
    let mut desk = Desk::new();
    let id = desk.hold(held_call("h1", "{}"));
    let (row, held) = desk.refuse(&id, "Too dear").expect("held, pending as its preview is");
    assert_eq!(held, Some(HeldRef("h1".into())));
    assert_eq!(
        (row.kind, row.ingress, &row.data["reason"]),
        (RowKind::Refused, Ingress::Approval, &json!("Too dear"))
    );
    assert_eq!(
        desk.state(&id),
        ProposalState::Refused {
            reason: "Too dear".into()
        }
    );
    let again = desk.refuse(&id, "Again").unwrap_err();
    assert_eq!(
        (again.code(), desk.state(&id)),
        (
            Code::NotHeld,
            ProposalState::Refused {
                reason: "Too dear".into()
            }
        )
    );
}

#[test]
fn setting_aside_is_recorded_once_and_taking_up_is_not() {
    let mut desk = Desk::new();
    let id = desk.held();
    let row = desk.set_aside(&id, true).expect("held").expect("a row");
    assert_eq!((row.kind, row.reference.as_deref()), (RowKind::SetAside, Some("p1")));
    assert_eq!(desk.state(&id), ProposalState::Held { set_aside: true });
    assert_eq!(desk.set_aside(&id, true), Ok(None));
    assert_eq!(desk.set_aside(&id, false), Ok(None));
    assert_eq!(desk.state(&id), ProposalState::Held { set_aside: false });
}

#[test]
fn what_is_being_released_cannot_be_decided_otherwise() {
    let mut desk = Desk::new();
    let id = desk.held();
    let draft = desk.draft(&id);
    assert!(matches!(desk.refuse(&id, ""), Err(GateError::NotHeld { .. })));
    assert!(matches!(desk.edit(&id, json!({})), Err(GateError::NotHeld { .. })));
    assert!(matches!(desk.set_aside(&id, true), Err(GateError::NotHeld { .. })));
    assert_eq!(desk.gate.withdraw(&id, Ingress::PanelAgent, &desk.at()), None);
    assert_eq!(desk.gate.page_gone("D1", "closed", &desk.at()), []);
    let row = desk.append(draft.row());
    assert!(desk.gate.release(draft, row, NONCE, &desk.at()).is_ok());
}
