use countersign_contract::{
    ArgumentPattern, Caller, ClientId, ClientStanding, ClientWay, ClientWho, Fingerprint, Ingress, Lasts, NewRule,
    PairParams, ReleaseParams, ResumeParams, RowKind,
};
use countersign_gate::{Ask, Gate, GateError, Policy, Recall, no_companion};
use serde_json::json;

use crate::support::*;

fn who(name: &str) -> ClientWho {
    ClientWho {
        name: name.into(),
        version: "1.0".into(),
        way: ClientWay::Stdio,
        program: Some("/usr/bin/agent".into()),
        process: Some(4711),
        token: None,
    }
}

fn params(desk: &Desk, client: &ClientId) -> PairParams {
    let clients = desk.gate.clients(&desk.at());
    let shown = clients.iter().find(|one| one.id == *client).expect("it is known");
    PairParams {
        client: client.clone(),
        digest: shown.digest.clone(),
        fingerprint: pressed(),
    }
}

fn arm(desk: &mut Desk, client: &ClientId) -> PairParams {
    let params = params(desk, client);
    let at = desk.at();
    desk.gate.window(true, true, &at);
    desk.gate.client_shown(client, &params.digest, &at);
    desk.wait(500);
    params
}

fn pair(desk: &mut Desk, client: &ClientId) {
    let params = arm(desk, client);
    let draft = desk.gate.pair(&params, &desk.at()).expect("an armed card");
    let row = desk.append(draft.row());
    desk.gate.paired(draft, &row).expect("its own row");
}

fn paired(desk: &mut Desk, name: &str) -> ClientId {
    let client = desk.gate.client_joined(who(name)).expect("a client");
    pair(desk, &client);
    client
}

fn asks(client: Option<&ClientId>) -> Ask {
    Ask {
        caller: Caller {
            client: client.cloned(),
            ..Caller::new(Ingress::McpClient, "agent 1.0")
        },
        ..call(json!({"sku": "tea"}))
    }
}

#[test]
fn a_client_that_nobody_let_in_asks_for_nothing() {
    let mut desk = Desk::new();
    let client = desk.gate.client_joined(who("agent")).unwrap();
    for caller in [None, Some(&client), Some(&ClientId("c99".into()))] {
        let refused = desk.gate.propose(asks(caller), &desk.at()).unwrap_err();
        assert!(matches!(refused, GateError::NotPaired { .. }), "{refused:?}");
        assert!(desk.gate.admit(caller).is_err());
    }
    desk.gate.turn_client_away(&client).unwrap();
    assert!(desk.gate.propose(asks(Some(&client)), &desk.at()).is_err());
    assert_eq!(desk.gate.proposals(&desk.at()), []);
}

#[test]
fn it_is_let_in_by_a_press_on_a_card_that_was_in_view_and_not_before_the_row_is_durable() {
    let mut desk = Desk::new();
    let client = desk.gate.client_joined(who("agent")).unwrap();
    let early = params(&desk, &client);
    assert_eq!(
        desk.gate.pair(&early, &desk.at()).unwrap_err(),
        GateError::NotArmed { remaining_ms: 500 }
    );
    let params = arm(&mut desk, &client);
    let draft = desk.gate.pair(&params, &desk.at()).unwrap();
    assert!(desk.gate.admit(Some(&client)).is_err(), "its row is not durable yet");
    let other = desk.append(&desk.gate.pair(&params, &desk.at()).unwrap().row().clone());
    desk.gate.paired(draft, &other).unwrap();
    assert_eq!(desk.gate.admit(Some(&client)), Ok(()));
    let [row] = &desk.rows()[..] else { panic!("one row") };
    assert_eq!(row.kind, RowKind::ClientPaired);
    assert_eq!(row.ingress, Ingress::Approval);
    assert_eq!(row.data["who"]["program"], "/usr/bin/agent");
    assert_eq!(row.data["who"]["process"], "4711");
    desk.held();
    desk.hold(asks(Some(&client)));
}

#[test]
fn a_client_that_changed_since_it_was_shown_is_not_let_in() {
    let mut desk = Desk::new();
    let client = desk.gate.client_joined(who("agent")).unwrap();
    let params = arm(&mut desk, &client);
    let other = ClientWho {
        version: "2.0".into(),
        ..who("agent")
    };
    assert_eq!(desk.gate.client_joined(other).unwrap(), client);
    assert_eq!(desk.gate.pair(&params, &desk.at()).unwrap_err(), GateError::Stale);
}

#[test]
fn a_machine_lets_no_client_in() {
    let mut desk = Desk::with(Policy::default());
    let client = desk.gate.client_joined(who("agent")).unwrap();
    let mut params = arm(&mut desk, &client);
    params.fingerprint = Fingerprint {
        automated: Some(true),
        ..pressed()
    };
    assert_eq!(desk.gate.pair(&params, &desk.at()).unwrap_err(), GateError::Automated);
}

#[test]
fn another_name_program_way_or_token_is_another_client_and_another_version_or_process_is_not() {
    let mut desk = Desk::new();
    let client = paired(&mut desk, "agent");
    let same = ClientWho {
        version: "2.0".into(),
        process: None,
        ..who("agent")
    };
    assert_eq!(desk.gate.client_joined(same).unwrap(), client);
    let others = [
        who("agent2"),
        ClientWho {
            program: Some("/tmp/agent".into()),
            ..who("agent")
        },
        ClientWho {
            program: None,
            ..who("agent")
        },
        ClientWho {
            way: ClientWay::Http,
            ..who("agent")
        },
        ClientWho {
            token: Some("t1".into()),
            ..who("agent")
        },
    ];
    for other in others {
        let other = desk.gate.client_joined(other).unwrap();
        assert_ne!(other, client);
        assert!(desk.gate.admit(Some(&other)).is_err());
    }
}

#[test]
fn only_so_many_wait_to_be_let_in_and_one_that_left_makes_room() {
    let mut desk = Desk::new();
    let first = desk.gate.client_joined(who("0")).unwrap();
    for name in 1..8 {
        desk.gate.client_joined(who(&name.to_string())).unwrap();
    }
    assert_eq!(desk.gate.client_joined(who("8")), Err(GateError::TooManyClients));
    desk.gate.client_left(&first);
    assert!(
        desk.gate.clients(&desk.at()).iter().any(|one| one.id == first),
        "it can still be let in"
    );
    desk.gate.client_joined(who("8")).unwrap();
    assert!(desk.gate.clients(&desk.at()).iter().all(|one| one.id != first));
}

#[test]
fn a_pairing_outlives_a_restart_and_ends_with_its_rules_when_it_is_taken_back() {
    let mut desk = Desk::new();
    let client = paired(&mut desk, "agent");
    let gone = paired(&mut desk, "gone");
    for row in desk.gate.unpair(&gone, &desk.at()).unwrap() {
        desk.append(&row);
    }
    let mut recall = Recall::default();
    for row in desk.rows().iter().rev() {
        recall.see(row);
    }
    let mut later = Gate::new(Policy::default(), 0);
    later.recall(recall, &desk.at());
    assert_eq!(later.admit(Some(&client)), Ok(()));
    assert!(later.admit(Some(&gone)).is_err());
    assert_eq!(later.client_joined(who("agent")).unwrap(), client);
    assert_eq!(later.client_joined(who("new")).unwrap(), ClientId("c3".into()));
}

#[test]
fn what_is_allowed_to_one_client_is_not_allowed_to_another_and_ends_with_its_pairing() {
    let mut desk = Desk::new();
    let (one, other) = (paired(&mut desk, "one"), paired(&mut desk, "other"));
    let id = desk.hold_with(asks(Some(&one)), priced_free());
    desk.arm(&id);
    let card = desk.card(&id);
    let press = ReleaseParams {
        proposal: id.clone(),
        digest: card.digest,
        acknowledged: card.risks.into_iter().map(|risk| risk.id).collect(),
        fingerprint: pressed(),
        rule: Some(NewRule {
            arguments: ArgumentPattern::Any,
            lasts: Lasts::Always,
            limit: None,
            minutes: None,
        }),
    };
    let press = desk.gate.press(&press, &desk.at()).unwrap();
    let tool = press.tool().cloned();
    let draft = desk
        .gate
        .recheck(press, tool.as_ref(), Some(priced_free()), &desk.at())
        .unwrap();
    let row = desk.append(draft.row());
    desk.gate.release(draft, row, NONCE, &desk.at()).unwrap();
    let rule = desk.gate.rule_along_with(&id, &desk.at()).unwrap();
    let row = desk.append(&rule.row().clone());
    desk.gate.enforce(rule, &row).unwrap();

    let by = |desk: &mut Desk, client: &ClientId| {
        let id = desk.hold(asks(Some(client)));
        desk.card(&id).by_rule
    };
    assert!(by(&mut desk, &one).is_some());
    assert_eq!(by(&mut desk, &other), None);
    let ended = desk.gate.unpair(&one, &desk.at()).unwrap();
    let kinds: Vec<_> = ended.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [RowKind::ClientUnpaired, RowKind::RuleEnded]);
    pair(&mut desk, &one);
    assert_eq!(by(&mut desk, &one), None);
}

fn priced_free() -> countersign_contract::Preview {
    let answer = json!({ "before": {"teas": 0}, "after": {"teas": 1} });
    countersign_gate::read_preview(
        &answer.to_string(),
        &countersign_gate::At::new(0, "2026-01-01T00:00:00.000Z"),
    )
}

#[test]
fn a_client_takes_back_its_own_asks_and_nobody_elses() {
    let mut desk = Desk::new();
    let (one, other) = (paired(&mut desk, "one"), paired(&mut desk, "other"));
    let id = desk.hold_with(asks(Some(&one)), no_companion(&buy()));
    assert_eq!(desk.gate.held_for(&one), std::slice::from_ref(&id));
    assert_eq!(desk.gate.held_for(&other), []);
    assert!(desk.gate.withdraw_for(&id, &other, &desk.at()).is_none());
    assert!(desk.gate.withdraw(&id, Ingress::McpClient, &desk.at()).is_none());
    let (row, _) = desk.gate.withdraw_for(&id, &one, &desk.at()).unwrap();
    assert_eq!(row.kind, RowKind::Withdrawn);
    let standing = &desk.gate.clients(&desk.at())[0].standing;
    assert!(matches!(standing, ClientStanding::Paired { .. }), "{standing:?}");
}

#[test]
fn a_client_that_asks_without_end_silences_itself_alone() {
    let mut desk = Desk::new();
    let (loud, quiet) = (paired(&mut desk, "loud"), paired(&mut desk, "quiet"));
    for n in 0..20 {
        let ask = Ask {
            act: call(json!({ "n": n })).act,
            ..asks(Some(&loud))
        };
        desk.hold(ask);
    }
    assert!(desk.gate.propose(asks(Some(&loud)), &desk.at()).is_err());
    let paused = desk.gate.paused();
    assert_eq!((paused.len(), paused[0].client.as_ref()), (1, Some(&loud)));
    desk.hold(asks(Some(&quiet)));

    let resume = |client: &ClientId| ResumeParams {
        origin: paused[0].origin.clone(),
        ingress: Ingress::McpClient,
        client: Some(client.clone()),
    };
    assert_eq!(desk.gate.resume(&resume(&quiet)), None);
    let row = desk.gate.resume(&resume(&loud)).expect("it was stopped");
    assert_eq!(row.data["client"], json!(loud));
    desk.hold(asks(Some(&loud)));
}

#[test]
fn a_client_that_comes_again_and_again_can_still_be_let_in() {
    let mut desk = Desk::new();
    let client = desk.gate.client_joined(who("agent")).unwrap();
    let params = arm(&mut desk, &client);
    let again = ClientWho {
        process: Some(4712),
        ..who("agent")
    };
    assert_eq!(desk.gate.client_joined(again), Ok(client));
    let draft = desk.gate.pair(&params, &desk.at()).expect("the same card");
    assert_eq!(draft.row().data["who"]["process"], json!("4712"));
}
