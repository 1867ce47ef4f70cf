//! Rules, grants, the switch and the governor.

use crate::common::{Bench, DOCUMENT, tool};
use countersign_bridge::DoorEvent;
use countersign_contract::*;
use countersign_desk::{Asked, CallAsk, DeskError};
use countersign_gate::{GateError, Target};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn any(lasts: Lasts) -> NewRule {
    NewRule {
        lasts,
        arguments: ArgumentPattern::Any,
        limit: None,
        minutes: None,
    }
}

impl Bench {
    async fn release_and_allow(&self, proposal: &ProposalId, rule: NewRule) -> Rule {
        let digest = self.show(proposal);
        let params = ReleaseParams {
            proposal: proposal.clone(),
            digest,
            acknowledged: vec![],
            fingerprint: Fingerprint::default(),
            rule: Some(rule),
        };
        self.desk.release(params).await.unwrap();
        self.desk.settled(proposal).await.unwrap();
        self.desk.state().rules.first().expect("the rule is in force").clone()
    }

    async fn try_ask(&self, name: &str, arguments: Value) -> Result<Asked, DeskError> {
        let tools = self.door.tools.lock().unwrap().clone();
        let key = tools.iter().find(|tool| tool.name == name).unwrap().key.clone();
        let ask = CallAsk {
            caller: Caller::new(Ingress::PanelAgent, "a model"),
            tool: key,
            arguments,
            fingerprint: Fingerprint::default(),
            task: "conversation-1".into(),
        };
        self.desk.ask(ask, CancellationToken::new()).await
    }

    fn count(&self, kind: RowKind) -> usize {
        self.rows().iter().filter(|row| row.kind == kind).count()
    }
}

fn page_asks(number: usize) -> (HeldRef, DoorEvent) {
    let held = HeldRef(format!("call-{number}"));
    let ask = DoorEvent::Ask {
        held: held.clone(),
        tool: Box::new(tool("order", false)),
        arguments: json!({ "cups": number }).to_string(),
        fingerprint: Fingerprint::default(),
    };
    (held, ask)
}

#[tokio::test]
async fn what_a_rule_allows_is_proposed_released_and_run_with_no_press() {
    let bench = Bench::new().await;
    let first = bench.held(json!({ "cups": 1 })).await;
    let rule = bench.release_and_allow(&first, any(Lasts::Always)).await;
    let Asked::Held(second) = bench.ask("order", json!({ "cups": 2 })).await else {
        panic!("a write ran as a read")
    };
    assert_eq!(bench.desk.settled(&second).await.unwrap().verdict, Verdict::Committed);
    assert_eq!(bench.executed().len(), 2);
    bench
        .until("the outcome is recorded", |_| {
            bench.kinds(&second).contains(&RowKind::Outcome)
        })
        .await;
    assert_eq!(
        bench.kinds(&second),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    let card = bench.card(&second);
    assert_eq!(card.by_rule, Some(rule.id.clone()));

    let params = RevokeRuleParams { rule: Some(rule.id) };
    bench.desk.revoke_rule(&params).await.unwrap();
    let third = bench.held(json!({ "cups": 3 })).await;
    assert_eq!(bench.card(&third).state, ProposalState::Held { set_aside: false });
    assert_eq!((bench.executed().len(), bench.count(RowKind::RuleEnded)), (2, 1));
}

#[tokio::test]
async fn a_rule_outlives_a_restart_and_its_revocation_does_as_well() {
    let bench = Bench::new().await;
    let first = bench.held(json!({})).await;
    let rule = bench
        .release_and_allow(
            &first,
            NewRule {
                limit: Some(2),
                ..any(Lasts::Always)
            },
        )
        .await;
    let Asked::Held(second) = bench.ask("order", json!({})).await else {
        panic!()
    };
    bench.desk.settled(&second).await.unwrap();

    let bench = bench.restarted().await;
    let rules = bench.desk.state().rules;
    assert_eq!((&rules[0].id, rules[0].uses, rules[0].limit), (&rule.id, 1, Some(2)));
    bench.desk.revoke_rule(&RevokeRuleParams { rule: None }).await.unwrap();
    let bench = bench.restarted().await;
    assert_eq!(bench.desk.state().rules, []);
}

#[tokio::test]
async fn withdrawn_writes_do_not_exist_for_agents_and_are_back_when_they_are_restored() {
    let bench = Bench::new().await;
    let waits = bench.held(json!({})).await;
    bench.desk.revoke_writes(true).await;
    let names = |bench: &Bench| bench.desk.tools().into_iter().map(|tool| tool.name).collect::<Vec<_>>();
    assert_eq!(names(&bench), ["list"]);
    let away = bench.try_ask("order", json!({ "cups": 2 })).await;
    assert!(
        matches!(&away, Err(DeskError::Gate(GateError::TurnedAway { .. }))),
        "{away:?}"
    );
    assert!(matches!(bench.try_ask("list", json!({})).await, Ok(Asked::Read(_))));
    let (held, ask) = page_asks(1);
    bench.events.send(ask).unwrap();
    let words = bench.answered(&held).await;
    assert!(words.contains("withdrew every write tool"), "{words}");
    assert!(bench.desk.state().writes_revoked_at.is_some());
    assert_eq!(bench.card(&waits).state, ProposalState::Held { set_aside: false });

    bench.desk.revoke_writes(false).await;
    assert_eq!(names(&bench), ["list", "order"]);
    bench.held(json!({ "cups": 3 })).await;
    assert_eq!(
        (
            bench.count(RowKind::WritesRevoked),
            bench.count(RowKind::WritesRestored),
            bench.executed()
        ),
        (1, 1, vec![])
    );
}

#[tokio::test]
async fn a_hidden_tool_runs_once_and_only_as_it_was_granted_however_many_ask_at_once() {
    let bench = Bench::new().await;
    let key = bench.door.tools.lock().unwrap()[1].key.clone();
    bench
        .desk
        .hide_tool(&HideToolParams { tool: key.clone() })
        .await
        .unwrap();
    let sees = |bench: &Bench| bench.desk.tools().iter().any(|tool| tool.name == "order");
    assert!(!sees(&bench));
    assert!(bench.try_ask("order", json!({ "id": 7 })).await.is_err());

    let params = GrantOnceParams {
        tool: key,
        arguments: json!({ "id": 7 }),
    };
    let grant = bench.desk.grant_once(params).await.unwrap();
    bench.previewed(&grant).await;
    assert!(!sees(&bench), "it is there before it was granted");
    bench.release(&grant).await.unwrap();
    assert_eq!(bench.executed(), vec![], "a grant ran something");
    assert!(matches!(bench.card(&grant).state, ProposalState::Granted { .. }));
    assert!(sees(&bench));

    assert!(
        bench.try_ask("order", json!({ "id": 8 })).await.is_err(),
        "another target"
    );
    let (one, other) = tokio::join!(
        bench.try_ask("order", json!({ "id": 7 })),
        bench.try_ask("order", json!({ "id": 7 }))
    );
    let taken: Vec<_> = [one, other].into_iter().filter_map(Result::ok).collect();
    let [Asked::Held(proposal)] = &taken[..] else {
        panic!("{taken:?}")
    };
    assert_eq!(bench.desk.settled(proposal).await.unwrap().verdict, Verdict::Committed);
    let executed = bench.executed();
    assert!(
        matches!(&executed[..], [Target::Call { arguments, .. }] if arguments == r#"{"id":7}"#),
        "{executed:?}"
    );
    assert!(!sees(&bench), "and it is gone again");
}

#[tokio::test]
async fn a_page_that_asks_without_end_is_stopped_and_can_be_heard_again() {
    let bench = Bench::new().await;
    let mut last = None;
    for number in 0..25 {
        let (held, ask) = page_asks(number);
        bench.events.send(ask).unwrap();
        last = Some(held);
    }
    let words = bench.answered(&last.unwrap()).await;
    assert!(words.contains("until the person resumes it"), "{words}");
    let state = bench.desk.state();
    assert_eq!(
        (state.pending(), state.paused.len(), state.paused[0].turned_away),
        (20, 1, 5)
    );
    assert_eq!((bench.count(RowKind::Paused), bench.count(RowKind::Proposed)), (1, 20));

    let all = RefuseAllParams {
        proposals: state.proposals.iter().map(|card| card.id.clone()).collect(),
        reason: "enough".into(),
        fingerprint: Fingerprint::default(),
    };
    bench.desk.refuse_all(&all).await;
    let params = ResumeParams {
        origin: "http://shop.example".into(),
        ingress: Ingress::Page,
        client: None,
    };
    bench.desk.resume(&params).await;
    let (_, ask) = page_asks(99);
    bench.events.send(ask).unwrap();
    bench.until("it is heard again", |state| state.pending() == 1).await;
    assert_eq!(
        (
            bench.count(RowKind::Refused),
            bench.count(RowKind::Resumed),
            bench.executed()
        ),
        (20, 1, vec![])
    );
}

#[tokio::test]
async fn the_rules_of_a_document_end_with_it() {
    let bench = Bench::new().await;
    let (_, ask) = page_asks(1);
    bench.events.send(ask).unwrap();
    let state = bench.until("it is held", |state| state.pending() == 1).await;
    bench.previewed(&state.proposals[0].id).await;
    bench.release_and_allow(&state.proposals[0].id, any(Lasts::Task)).await;
    let gone = DoorEvent::DocumentGone {
        document: DOCUMENT.into(),
        message: "The page was left.".into(),
    };
    bench.events.send(gone).unwrap();
    bench.until("the rule is gone", |state| state.rules.is_empty()).await;
}

#[tokio::test]
async fn a_refusal_for_good_is_made_along_with_the_refusal() {
    let bench = Bench::new().await;
    let proposal = bench.held(json!({})).await;
    let params = RefuseParams {
        proposal: proposal.clone(),
        digest: bench.card(&proposal).digest,
        reason: "never on this site".into(),
        fingerprint: Fingerprint::default(),
        rule: Some(any(Lasts::Always)),
    };
    bench.desk.refuse(params).await.unwrap();
    assert_eq!(bench.desk.state().rules[0].effect, Effect::Refuse);
    let error = bench.try_ask("order", json!({ "cups": 5 })).await.unwrap_err();
    assert!(error.to_string().contains("never on this site"), "{error}");
    assert_eq!((bench.count(RowKind::TurnedAway), bench.executed()), (1, vec![]));
}
