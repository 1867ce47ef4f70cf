use countersign_contract::{
    Act, Annotations, Arming, DoorKind, Grade, Ingress, MarkedRead, Preview, ProposalId, ProposalState, RiskLevel,
    RowKind, ToolSource,
};
use countersign_gate::{
    AskedAct, Gate, GateError, Level, Policy, companion_name, companion_of, is_companion, no_companion,
};
use serde_json::json;

use crate::support::*;

#[test]
fn only_a_tool_that_says_it_reads_is_a_read() {
    let hints = |read_only, consequential| Annotations {
        read_only,
        consequential,
        ..Annotations::default()
    };
    assert_eq!(
        Gate::level(&tool("delete_all", hints(true, false))),
        Level::Read,
        "a name does not count"
    );
    assert_eq!(
        Gate::level(&tool("get_items", hints(false, false))),
        Level::Write,
        "a name does not count"
    );
    assert_eq!(
        Gate::level(&tool("get_items", hints(true, true))),
        Level::Write,
        "consequential raises the level"
    );
    for source in [ToolSource::Form, ToolSource::Unwrapped] {
        let mut read = reading("get_items");
        read.source = source;
        assert_eq!(Gate::level(&read), Level::Write, "{source:?}");
    }
}

#[test]
fn only_a_marked_tool_of_the_relay_is_a_read_without_saying_so() {
    let over = |door, hints| {
        let mut tool = tool("list", hints);
        tool.page.door = door;
        tool
    };
    let silent = over(DoorKind::Relay, Annotations::default());
    let mark = MarkedRead {
        origin: silent.page.origin.clone(),
        tool: silent.name.clone(),
        digest: silent.digest.clone(),
    };
    let mut gate = Gate::new(Policy::default(), 0);
    assert_eq!(gate.classify(&silent), Level::Write);
    gate.mark_reads(vec![mark.clone()]);
    assert_eq!(gate.classify(&silent), Level::Read);
    gate.read(&silent, &json!({})).expect("a read");
    // The mark is for the origin and the definition, through either door for pages that connect by themselves.
    assert_eq!(
        gate.classify(&over(DoorKind::McpB, Annotations::default())),
        Level::Read
    );
    let consequential = Annotations {
        consequential: true,
        ..Annotations::default()
    };
    let mut others = vec![
        over(DoorKind::Browser, Annotations::default()),
        over(DoorKind::Extension, Annotations::default()),
        over(DoorKind::Relay, consequential),
    ];
    others.extend([silent.clone(), silent.clone(), silent.clone()]);
    others[3].digest = "another".into();
    others[4].name = "another".into();
    others[5].page.origin = "https://another.example".into();
    for other in others {
        assert_eq!(gate.classify(&other), Level::Write, "{other:?}");
    }
    gate.caught_lying(&silent.digest, &silent.page.origin);
    assert_eq!(
        gate.classify(&silent),
        Level::Write,
        "a lie counts for more than a mark"
    );
    let mut gate = Gate::new(Policy::default(), 0);
    gate.mark_reads(vec![mark]);
    gate.mark_reads(Vec::new());
    assert_eq!(gate.classify(&silent), Level::Write, "a mark can be taken back");
}

#[test]
fn the_card_of_a_tool_over_the_relay_says_that_the_rest_of_its_page_is_not_seen() {
    let risk_of = |door| {
        let mut desk = Desk::new();
        let mut ask = call(json!({"sku": "tea"}));
        if let AskedAct::Call { tool, .. } = &mut ask.act {
            tool.page.door = door;
        }
        ask.page.door = door;
        let id = desk.hold(ask);
        let risks = desk.card(&id).risks;
        risks.into_iter().find(|risk| risk.id == "door.relay")
    };
    let risk = risk_of(DoorKind::Relay).expect("it is said");
    assert_eq!(risk.level, RiskLevel::Caution);
    assert!(risk.text.contains("client-asserted") && risk.text.contains("cannot see what else the page does"));
    assert_eq!(risk_of(DoorKind::McpB), Some(risk));
    assert_eq!(risk_of(DoorKind::Browser), None);
}

#[test]
fn a_read_gets_a_pass_with_canonical_arguments() {
    let gate = Gate::new(Policy::default(), 0);
    let pass = gate.read(&reading("list"), &json!({"b": 1, "a": 2})).expect("a read");
    assert_eq!((pass.tool(), pass.arguments()), (&reading("list"), r#"{"a":2,"b":1}"#));
}

#[test]
fn a_read_pass_is_refused_for_writes_and_for_bad_arguments() {
    let gate = Gate::new(Policy::default(), 0);
    assert_eq!(
        gate.read(&buy(), &json!({})).unwrap_err(),
        GateError::NotARead { tool: "buy".into() }
    );
    for arguments in [json!([]), json!(null), json!({"id": 9_007_199_254_740_993_u64})] {
        assert!(
            matches!(
                gate.read(&reading("list"), &arguments),
                Err(GateError::BadArguments { .. })
            ),
            "{arguments}"
        );
    }
}

#[test]
fn a_caught_read_is_a_write_from_then_on() {
    let (mut gate, read) = (Gate::new(Policy::default(), 0), reading("list"));
    gate.caught_lying(&read.digest, &read.page.origin);
    assert_eq!(gate.classify(&read), Level::Write);
    assert!(matches!(gate.read(&read, &json!({})), Err(GateError::NotARead { .. })));
    assert_eq!(gate.classify(&reading("other")), Level::Read);
    let mut elsewhere = read;
    elsewhere.page.origin = "https://other.example".into();
    assert_eq!(gate.classify(&elsewhere), Level::Read);
}

#[test]
fn a_request_sent_while_reading_catches_its_tool_under_any_digest() {
    let mut desk = Desk::new();
    desk.hold(held_request("h1", Some(reading("browse"))));
    let mut reworded = reading("browse");
    reworded.digest = "other".into();
    assert_eq!(desk.gate.classify(&reworded), Level::Write);
    let id = desk.hold(call_of(reworded, json!({})));
    assert!(risk_ids(&desk.card(&id)).contains(&"tool.lying-read"));
}

#[test]
fn nobody_sees_a_proposal_before_its_row_is_durable() {
    let mut desk = Desk::new();
    let at = desk.at();
    let (id, draft) = desk.gate.propose(call(json!({})), &at).expect("an ask");
    assert_eq!(
        (desk.gate.proposals(&at), desk.gate.get(&id, &at), desk.gate.answer(&id)),
        (vec![], None, None)
    );
    assert_eq!(desk.refuse(&id, "").unwrap_err(), GateError::NotFound(id.clone()));
    let row = desk.append(&draft);
    desk.gate.recorded(&id, &row, &at).expect("its row");
    let card = desk.card(&id);
    assert_eq!(
        (card.row, card.state),
        (row.row().seq, ProposalState::Held { set_aside: false })
    );
}

#[test]
fn another_row_does_not_record_it() {
    let mut desk = Desk::new();
    let at = desk.at();
    let (first, draft) = desk.gate.propose(call(json!({})), &at).expect("an ask");
    let (second, _) = desk.gate.propose(call(json!({})), &at).expect("an ask");
    let row = desk.append(&draft);
    assert_eq!(
        desk.gate.recorded(&second, &row, &at),
        Err(GateError::WrongRow(second.clone()))
    );
    assert_eq!(desk.gate.recorded(&first, &row, &at), Ok(()));
    assert_eq!(
        desk.gate.recorded(&first, &row, &at),
        Err(GateError::WrongRow(first)),
        "and only once"
    );
}

#[test]
fn a_discarded_proposal_is_nobody_and_its_number_is_used_up() {
    let mut desk = Desk::new();
    let at = desk.at();
    let (id, draft) = desk.gate.propose(call(json!({})), &at).expect("an ask");
    let row = desk.append(&draft);
    desk.gate.discard(&id);
    assert_eq!(desk.gate.recorded(&id, &row, &at), Err(GateError::NotFound(id)));
    assert_eq!(desk.held(), ProposalId("p2".into()));
}

#[test]
fn numbers_go_on_where_the_ledger_ended() {
    let mut gate = Gate::new(Policy::default(), 41);
    let (id, _) = gate.propose(call(json!({})), &Desk::new().at()).expect("an ask");
    assert_eq!(id, ProposalId("p42".into()));
}

#[test]
fn the_proposed_row_says_what_would_run_where_and_for_whom() {
    let mut desk = Desk::new();
    let (_, draft) = desk
        .gate
        .propose(held_call("h1", r#"{ "sku": "tea", "n": 1.0 }"#), &desk.at())
        .expect("an ask");
    assert_eq!(
        (
            draft.kind,
            draft.ingress,
            draft.seat.as_str(),
            draft.reference.as_deref()
        ),
        (RowKind::Proposed, Ingress::Page, "https://shop.example", Some("p1"))
    );
    assert_eq!(
        draft.data,
        json!({
            "proposal": "p1",
            "version": 1,
            "act": "tool",
            "tool": "buy",
            "toolKey": "F1/buy/1",
            "toolDigest": buy().digest,
            "arguments": r#"{"n":1,"sku":"tea"}"#,
            "argumentsDigest": countersign_ledger::sha256_hex(br#"{"n":1,"sku":"tea"}"#),
            "page": {
                "door": "browser", "tab": "T1", "frame": "F1", "document": "D1",
                "origin": "https://shop.example", "url": "https://shop.example/basket",
            },
            "fingerprint": {"isTrusted": false, "event": "click"},
            "expiresAt": "2026-01-01T00:01:01.000Z",
        })
    );
}

#[test]
fn the_card_shows_the_one_copy_of_the_arguments() {
    let mut desk = Desk::new();
    let id = desk.hold(held_call("h1", r#"{ "sku": "tea", "n": 1.50 }"#));
    let card = desk.card(&id);
    let Act::Tool {
        canonical, arguments, ..
    } = &card.act
    else {
        panic!("a tool")
    };
    assert_eq!(
        (canonical.as_str(), arguments),
        (r#"{"n":1.5,"sku":"tea"}"#, &json!({"n": 1.5, "sku": "tea"}))
    );
    assert_eq!(
        card.arguments_digest,
        countersign_ledger::sha256_hex(canonical.as_bytes())
    );
    assert_eq!(
        (card.grade, card.caller.ingress),
        (Grade::ClientAsserted, Ingress::Page)
    );
}

#[test]
fn held_text_that_has_two_meanings_is_refused() {
    let mut desk = Desk::new();
    for text in [
        "",
        "null",
        "[1]",
        "{",
        r#"{"a": 1, "a": 2}"#,
        r#"{"a": 9007199254740993}"#,
    ] {
        let refused = desk.gate.propose(held_call("h1", text), &desk.at());
        assert!(matches!(refused, Err(GateError::BadArguments { .. })), "{text}");
    }
}

#[test]
fn a_page_cannot_flood_the_queue() {
    let mut desk = Desk::with(Policy {
        open_per_origin: 2,
        ..Policy::default()
    });
    let first = desk.held();
    desk.held();
    let at = desk.at();
    assert_eq!(
        desk.gate.propose(call(json!({})), &at).unwrap_err(),
        GateError::TooMany {
            origin: "https://shop.example".into(),
            open: 2
        }
    );
    desk.refuse(&first, "").expect("held");
    assert!(desk.gate.propose(call(json!({})), &at).is_ok());
}

#[test]
fn a_preview_is_wanted_until_it_is_set_for_that_version() {
    let mut desk = Desk::new();
    let id = desk.hold(call(json!({})));
    let at = desk.at();
    assert_eq!(desk.gate.preview_wanted(&id), Some(1));
    assert!(!desk.gate.set_preview(&id, 2, priced(1, "1"), &at), "another version");
    assert!(desk.gate.set_preview(&id, 1, priced(1, "1"), &at));
    assert_eq!(desk.gate.preview_wanted(&id), None);
    let card = desk.card(&id);
    assert_eq!(
        card.cost.map(|cost| cost.totals[0].amount.clone()).as_deref(),
        Some("1")
    );
    desk.refuse(&id, "").expect("held");
    assert!(
        !desk.gate.set_preview(&id, 1, priced(2, "2"), &at),
        "a settled proposal"
    );
    assert!(matches!(desk.card(&id).preview, Preview::Changes(changes) if changes.after == json!({"teas": 1})));
}

#[test]
fn a_paused_request_has_no_preview_and_can_be_decided_at_once() {
    let mut desk = Desk::new();
    let id = desk.hold(held_request("h1", None));
    assert_eq!(desk.gate.preview_wanted(&id), None);
    desk.arm(&id);
    let card = desk.card(&id);
    assert_eq!((card.arming.clone(), card.cost.clone()), (Arming::Armed, None));
    assert_eq!(risk_ids(&card), ["network.lying-read", "preview.unavailable"]);
}

#[test]
fn risks_come_from_the_act_the_caller_and_the_preview_heaviest_first() {
    let mut desk = Desk::new();
    let mut form = tool(
        "send",
        Annotations {
            consequential: true,
            ..Annotations::default()
        },
    );
    form.source = ToolSource::Form;
    let mut ask = call_of(form, json!({"to": "a\u{202e}b"}));
    ask.caller.ingress = Ingress::Page;
    let id = desk.hold(ask);
    assert_eq!(
        risk_ids(&desk.card(&id)),
        [
            "tool.consequential",
            "arguments.invisible",
            "tool.form",
            "ask.client-asserted"
        ]
    );
    let mut unwrapped = buy();
    unwrapped.source = ToolSource::Unwrapped;
    let would_fail = Preview::WouldFail {
        message: "Sold out".into(),
        at: desk.at().utc,
    };
    let id = desk.hold_with(call_of(unwrapped, json!({})), would_fail);
    assert_eq!(risk_ids(&desk.card(&id)), ["preview.would-fail", "tool.unwrapped"]);
    let id = desk.held();
    assert_eq!(risk_ids(&desk.card(&id)), ["preview.unavailable"]);
}

#[test]
fn the_page_s_own_risks_are_on_the_card_as_its_word() {
    let mut desk = Desk::new();
    let answer = json!({"before": 0, "after": 1, "risks": [{"level": "critical", "text": "Cannot be returned"}]});
    let preview = countersign_gate::read_preview(&answer.to_string(), &desk.at());
    let id = desk.hold_with(call(json!({})), preview);
    let card = desk.card(&id);
    assert_eq!(
        (risk_ids(&card), card.risks[0].grade),
        (vec!["page.1"], Grade::ClientAsserted)
    );
}

#[test]
fn a_companion_is_a_read_of_the_right_name_in_the_same_document() {
    let preview = reading(&companion_name("buy"));
    let mut elsewhere = preview.clone();
    elsewhere.page.document = "D2".into();
    let writing = tool("buy.preview", Annotations::default());
    let tools = [buy(), elsewhere.clone(), preview.clone()];
    assert_eq!(companion_of(&buy(), &tools), Some(&preview));
    assert_eq!(companion_of(&buy(), &[buy(), elsewhere.clone(), writing.clone()]), None);
    assert!(is_companion(&preview, &tools));
    assert!(!is_companion(&elsewhere, &tools));
    assert!(!is_companion(&writing, &tools), "a write is never run unasked");
    assert!(
        !is_companion(&preview, std::slice::from_ref(&preview)),
        "a read of its own stays in the list"
    );
    assert!(!is_companion(&buy(), &tools));
    assert!(matches!(no_companion(&buy()), Preview::Unavailable { .. }));
}
