use serde_json::json;

use super::*;

fn says(by: Gatekeeper, says: GateSays) -> Option<OwnGate> {
    Some(OwnGate { by, says })
}

/// The same answer in every wrapping a page may put it in.
fn wrapped(text: &str) -> [String; 4] {
    let envelope = json!({ "content": [{ "type": "text", "text": text }] });
    [
        text.to_owned(),
        format!(" {text}\n"),
        envelope.to_string(),
        Value::from(envelope.to_string()).to_string(),
    ]
}

#[test]
fn a_proposal_of_claustrum_waits() {
    let note = "Held for a person. Nothing has moved. Poll check_proposal for the decision.";
    let held = json!({ "proposal": "p7", "status": "held", "changed": "nothing yet", "note": note });
    let waiting = says(
        Gatekeeper::Claustrum,
        GateSays::Waiting {
            reference: Some("p7".into()),
        },
    );
    for text in wrapped(&held.to_string()) {
        assert_eq!(own_gate(&text), waiting, "{text}");
    }
    for text in wrapped("Still held. A person has not decided. Do not retry and do not assume.") {
        let waiting = says(Gatekeeper::Claustrum, GateSays::Waiting { reference: None });
        assert_eq!(own_gate(&text), waiting, "{text}");
    }
}

#[test]
fn an_approval_of_doorman_waits_and_its_denial_and_its_error_are_none() {
    let approval = json!({
        "id": "approval_3", "action": "delete_item", "target": "item_1", "reason": "", "requestedAt": "", "status": "pending",
    });
    let pending = json!({ "approval": approval, "status": "pending_human_decision" });
    let denied = json!({ "status": "DENIED", "reason": "human_denied", "tool": "delete_item" });
    let error = json!({ "status": "ERROR", "reason": "execution_error", "tool": "add_item" });
    let expected = [
        (
            pending,
            GateSays::Waiting {
                reference: Some("approval_3".into()),
            },
        ),
        (
            denied,
            GateSays::Declined {
                reason: Some("human_denied".into()),
            },
        ),
        (
            error,
            GateSays::Failed {
                reason: "execution_error".into(),
            },
        ),
    ];
    for (answer, meant) in expected {
        for text in wrapped(&answer.to_string()) {
            assert_eq!(own_gate(&text), says(Gatekeeper::Doorman, meant.clone()), "{text}");
        }
    }
}

#[test]
fn the_consent_extension_declines_and_says_when_nobody_was_asked() {
    let declined = "DECLINED BY OPERATOR. A human reviewed this action in the WebMCP Consent approval queue and declined it. \
                    Nothing was changed and no data was modified.";
    let unreached = "NOT RUN. WebMCP Consent could not reach its approval queue, so this action was not executed.";
    let request = "Error: WebMCP Consent: the operator declined this request, so it was never sent.";
    let by = Gatekeeper::ConsentExtension;
    for text in wrapped(declined) {
        assert_eq!(own_gate(&text), says(by, GateSays::Declined { reason: None }));
    }
    for text in wrapped(unreached) {
        assert_eq!(own_gate(&text), says(by, GateSays::NotAsked));
    }
    assert_eq!(own_gate(request), says(by, GateSays::Declined { reason: None }));
}

#[test]
fn the_consent_library_declines_and_lets_proposals_expire() {
    let by = Gatekeeper::ConsentLibrary;
    for error in ["", "Error: "] {
        let expired = format!("{error}Proposal PR-012 expired before the operator acted on it.");
        assert_eq!(own_gate(&expired), says(by, GateSays::Expired));
        let declined = format!("{error}The operator declined this action. Nothing was changed.");
        assert_eq!(own_gate(&declined), says(by, GateSays::Declined { reason: None }));
    }
}

#[test]
fn the_host_of_take_five_declines() {
    for text in wrapped("DECLINED — by the host, not by you.\nrequest: entry 9") {
        let declined = GateSays::Declined { reason: None };
        assert_eq!(own_gate(&text), says(Gatekeeper::TakeFive, declined));
    }
    assert_eq!(own_gate("RATIFIED — by the host, not by you."), None);
}

#[test]
fn what_only_sounds_like_a_gate_is_an_answer_like_any_other() {
    let held = json!({ "proposal": "p7", "status": "held", "changed": "nothing yet" });
    let texts = [
        String::new(),
        "held".into(),
        "The proposal p7 is held; nothing has changed yet.".into(),
        "Declined by operator.".into(),
        "DECLINED BY OPERATOR.".into(),
        "It said: DECLINED BY OPERATOR. A human reviewed this action in the WebMCP Consent approval queue and declined it.".into(),
        "NOT RUN.".into(),
        "Still held. A person has not decided. Do not retry and do not assume. Or do.".into(),
        "Proposal PR- expired before the operator acted on it.".into(),
        "Proposal PR-1x expired before the operator acted on it.".into(),
        "Nothing was changed.".into(),
        format!("The page answered {held}"),
        json!({ "proposal": "p7", "status": "held" }).to_string(),
        json!({ "proposal": 7, "status": "held", "changed": "nothing yet" }).to_string(),
        json!({ "proposal": "p7", "status": "released", "changed": "nothing yet" }).to_string(),
        json!({ "order": held }).to_string(),
        json!([held]).to_string(),
        json!({ "content": [{ "type": "text", "text": held.to_string() }, { "type": "text", "text": "and more" }] }).to_string(),
        json!({ "status": "pending_human_decision" }).to_string(),
        json!({ "status": "pending_human_decision", "approval": { "id": "approval_1", "status": "approved" } }).to_string(),
        json!({ "status": "pending_human_decision", "approval": { "id": "1", "status": "pending" } }).to_string(),
        json!({ "status": "DENIED" }).to_string(),
        json!({ "status": "denied", "reason": "a", "tool": "b" }).to_string(),
        json!({ "status": "ERROR", "reason": "a" }).to_string(),
    ];
    for text in texts {
        assert_eq!(own_gate(&text), None, "{text}");
    }
}
