use countersign_contract::{HeldRef, Ingress, PageGate, ProposalState, RowKind};
use countersign_gate::{Ended, GateError};
use serde_json::{Value, json};

use crate::support::*;

#[test]
fn a_caller_can_take_a_held_write_back() {
    let mut desk = Desk::new();
    let id = desk.held();
    let (row, held) = desk.gate.withdraw(&id, Ingress::PanelAgent, &desk.at()).expect("held");
    assert_eq!(
        (row.kind, row.ingress, row.seat.as_str()),
        (RowKind::Withdrawn, Ingress::PanelAgent, "qwen3 through Ollama")
    );
    assert_eq!((held, desk.state(&id)), (None, ProposalState::Withdrawn));
    assert_eq!(desk.gate.withdraw(&id, Ingress::PanelAgent, &desk.at()), None);
}

#[test]
fn nobody_but_its_caller_takes_a_write_back() {
    let mut desk = Desk::new();
    let id = desk.hold(held_call("h1", "{}"));
    for by in [Ingress::PanelHand, Ingress::PanelAgent, Ingress::McpClient] {
        assert_eq!(desk.gate.withdraw(&id, by, &desk.at()), None);
    }
    assert_eq!(desk.state(&id), ProposalState::Held { set_aside: false });
}

#[test]
fn a_handle_that_is_given_up_withdraws_its_proposal() {
    let mut desk = Desk::new();
    let id = desk.hold(held_call("h1", "{}"));
    assert_eq!(desk.gate.withdraw_held(&HeldRef("h2".into()), &desk.at()), None);
    let (withdrawn, row) = desk
        .gate
        .withdraw_held(&HeldRef("h1".into()), &desk.at())
        .expect("held");
    assert_eq!(
        (withdrawn, row.ingress, desk.state(&id)),
        (id, Ingress::Page, ProposalState::Withdrawn)
    );
}

#[test]
fn a_write_can_be_given_up_while_its_first_row_is_being_written() {
    let mut desk = Desk::new();
    let at = desk.at();
    let (id, draft) = desk.gate.propose(held_call("h1", "{}"), &at).expect("an ask");
    assert!(desk.gate.withdraw_held(&HeldRef("h1".into()), &at).is_some());
    let row = desk.append(&draft);
    desk.gate.recorded(&id, &row, &at).expect("its row");
    assert_eq!(desk.state(&id), ProposalState::Withdrawn);
}

#[test]
fn a_gone_document_ends_what_waits_for_it_and_nothing_else() {
    let mut desk = Desk::new();
    let first = desk.held();
    let second = desk.hold(held_call("h1", "{}"));
    let mut elsewhere = call(json!({}));
    elsewhere.page.document = "D2".into();
    let other = desk.hold(elsewhere);
    let running = desk.held();
    desk.release(&running);
    let closed = desk.gate.page_gone("D1", "The tab was closed.", &desk.at());
    let told: Vec<_> = closed
        .into_iter()
        .map(|(id, row, held)| (id, row.kind, row.ingress, held))
        .collect();
    assert_eq!(
        told,
        [
            (first.clone(), RowKind::PageGone, Ingress::Desk, None),
            (second, RowKind::PageGone, Ingress::Desk, Some(HeldRef("h1".into()))),
        ]
    );
    assert_eq!(
        desk.state(&first),
        ProposalState::PageGone {
            message: "The tab was closed.".into()
        }
    );
    assert_eq!(desk.state(&other), ProposalState::Held { set_aside: false });
    assert_eq!(
        desk.state(&running),
        ProposalState::Released,
        "what was sent may have run: its door says"
    );
}

#[test]
fn what_nobody_decides_expires_and_is_never_released() {
    let mut desk = Desk::new();
    let id = desk.held();
    assert_eq!(desk.gate.next_expiry(), Some(61_000));
    desk.wait(59_999);
    assert_eq!(desk.gate.expire(&desk.at()), []);
    desk.wait(1);
    let closed = desk.gate.expire(&desk.at());
    assert_eq!(closed.len(), 1);
    assert_eq!(
        (closed[0].1.kind, closed[0].1.ingress),
        (RowKind::Expired, Ingress::Desk)
    );
    let message = "nobody decided before 2026-01-01T00:01:01.000Z".into();
    assert_eq!(desk.state(&id), ProposalState::Expired { message });
    assert_eq!((desk.gate.expire(&desk.at()), desk.gate.next_expiry()), (vec![], None));
    assert!(matches!(desk.press(&id), Err(GateError::NotHeld { .. })));
}

#[test]
fn what_is_late_can_not_be_pressed_even_before_it_is_ended() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.wait(60_000);
    assert!(matches!(desk.press(&id), Err(GateError::NotHeld { .. })));
}

#[test]
fn a_release_pressed_in_time_does_not_expire() {
    let mut desk = Desk::new();
    let id = desk.held();
    let draft = desk.draft(&id);
    desk.wait(120_000);
    assert_eq!(desk.gate.expire(&desk.at()), []);
    desk.gate.release_failed(draft, &desk.at());
    assert_eq!(desk.gate.expire(&desk.at()).len(), 1, "but held again it is late");
}

#[test]
fn a_changed_hold_is_for_what_comes() {
    let mut desk = Desk::new();
    desk.held();
    desk.gate.hold_for(1_000);
    desk.held();
    desk.wait(1_000);
    assert_eq!(
        desk.gate
            .expire(&desk.at())
            .into_iter()
            .map(|(id, ..)| id.0)
            .collect::<Vec<_>>(),
        ["p2"]
    );
}

#[test]
fn each_outcome_has_its_row_and_its_state() {
    let text = |words: &str| words.to_owned();
    let sent = |outcome, ran, message| json!({"proposal": "p1", "outcome": outcome, "ran": ran, "message": message});
    let digest = countersign_ledger::sha256_hex(b"Done");
    let cases = [
        (
            Ended::Committed { result: text("Done") },
            ProposalState::Committed {
                result: text("Done"),
                digest: digest.clone(),
            },
            Ingress::Page,
            json!({"proposal": "p1", "outcome": "committed", "ran": true, "resultDigest": digest, "resultBytes": "4"}),
        ),
        (
            Ended::Failed {
                message: text("No stock"),
            },
            ProposalState::Failed {
                message: text("No stock"),
                ran: true,
            },
            Ingress::Page,
            sent("failed", json!(true), "No stock"),
        ),
        (
            Ended::PageGate {
                gate: PageGate::Declined {
                    reason: Some(text("Not today")),
                },
                result: text("Done"),
            },
            ProposalState::PageGate {
                gate: PageGate::Declined {
                    reason: Some(text("Not today")),
                },
                result: text("Done"),
                digest: digest.clone(),
            },
            Ingress::Page,
            json!({
                "proposal": "p1",
                "outcome": "page-gate",
                "ran": null,
                "gate": {"says": "declined", "reason": "Not today"},
                "resultDigest": digest,
                "resultBytes": "4",
            }),
        ),
        (
            Ended::NotRun {
                message: text("The tab is closed."),
            },
            ProposalState::Failed {
                message: text("The tab is closed."),
                ran: false,
            },
            Ingress::Desk,
            sent("failed", json!(false), "The tab is closed."),
        ),
        (
            Ended::Unknown {
                message: text("The browser died."),
            },
            ProposalState::Unknown {
                message: text("The browser died."),
            },
            Ingress::Desk,
            sent("unknown", Value::Null, "The browser died."),
        ),
    ];
    for (ended, state, ingress, data) in cases {
        let mut desk = Desk::new();
        let id = desk.held();
        desk.release(&id);
        let row = desk.gate.settle(&id, ended, &desk.at()).expect("running");
        assert_eq!((row.kind, row.ingress, row.data), (RowKind::Outcome, ingress, data));
        assert_eq!(desk.state(&id), state);
    }
}

#[test]
fn a_write_settles_once_and_only_when_it_was_released() {
    let mut desk = Desk::new();
    let id = desk.held();
    let done = || Ended::Committed { result: String::new() };
    assert!(matches!(
        desk.gate.settle(&id, done(), &desk.at()),
        Err(GateError::NotHeld { .. })
    ));
    desk.release(&id);
    let lost = Ended::Unknown { message: "gone".into() };
    desk.gate.settle(&id, lost, &desk.at()).expect("running");
    assert!(matches!(
        desk.gate.settle(&id, done(), &desk.at()),
        Err(GateError::NotHeld { .. })
    ));
    assert_eq!(desk.state(&id), ProposalState::Unknown { message: "gone".into() });
}

#[test]
fn a_paused_request_ends_by_the_browser_s_word() {
    let mut desk = Desk::new();
    let id = desk.hold(held_request("h1", None));
    desk.release(&id);
    let row = desk
        .gate
        .settle(
            &id,
            Ended::Failed {
                message: "refused".into(),
            },
            &desk.at(),
        )
        .expect("running");
    assert_eq!((row.ingress, row.seat.as_str()), (Ingress::BrowserNetwork, "browser"));
}
