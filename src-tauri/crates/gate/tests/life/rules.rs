//! Rules: what is allowed or refused along with a decision, and what never is.

use countersign_contract::{
    Annotations, ArgumentPattern, Caller, Effect, Ingress, Lasts, MemberPattern, MemberTest, NewRule, Preview,
    ProposalId, ProposalState, RefuseParams, ReleaseParams, RevokeRuleParams, RowKind, Rule, Standing, ToolSource,
    Verdict,
};
use countersign_gate::{Ask, AskedAct, At, Gate, GateError, Policy, Recall, Ticket, no_companion};
use serde_json::{Value, json};

use crate::support::*;

fn any(lasts: Lasts) -> NewRule {
    NewRule {
        lasts,
        arguments: ArgumentPattern::Any,
        limit: None,
        minutes: None,
    }
}

impl Desk {
    fn press_with(&mut self, id: &ProposalId, rule: NewRule) -> Result<countersign_gate::Press, GateError> {
        self.arm(id);
        let card = self.card(id);
        let params = ReleaseParams {
            proposal: id.clone(),
            digest: card.digest,
            acknowledged: card.risks.into_iter().map(|risk| risk.id).collect(),
            fingerprint: pressed(),
            rule: Some(rule),
        };
        self.gate.press(&params, &self.at())
    }

    /// Releases a card and makes the rule along with it.
    fn allow(&mut self, id: &ProposalId, rule: NewRule) -> Rule {
        let press = self.press_with(id, rule).expect("the rule is offered");
        let ticket = self.carry_out(press);
        assert_eq!(ticket.proposal(), id);
        self.enforce(id)
    }

    fn enforce(&mut self, id: &ProposalId) -> Rule {
        let draft = self.gate.rule_along_with(id, &self.at()).expect("a rule was asked for");
        let before = self.gate.rules(&self.at()).len();
        let row = self.append(draft.row());
        assert_eq!(
            self.gate.rules(&self.at()).len(),
            before,
            "it is in force before its row is known"
        );
        let made = self.gate.enforce(draft, &row).expect("its own row");
        let rules = self.gate.rules(&self.at());
        rules.into_iter().find(|rule| rule.id == made).expect("it is in force")
    }

    fn carry_out(&mut self, press: countersign_gate::Press) -> Ticket {
        let (tool, card) = (press.tool().cloned(), self.card(press.id()));
        let draft = self
            .gate
            .recheck(press, tool.as_ref(), Some(card.preview), &self.at())
            .expect("nothing moved");
        let row = self.append(draft.row());
        self.gate.release(draft, row, NONCE, &self.at()).expect("its own row")
    }

    /// Asks, with a preview that costs nothing; released by a rule or not.
    fn asked_by_rule(&mut self, ask: Ask) -> (ProposalId, Option<Ticket>) {
        let id = self.hold_with(ask, no_companion(&buy()));
        let at = self.at();
        let press = self.gate.press_by_rule(&id, &at);
        let ticket = press.map(|press| self.carry_out(press));
        (id, ticket)
    }

    fn refuse_with(&mut self, id: &ProposalId, reason: &str, rule: NewRule) -> Result<(), GateError> {
        let params = RefuseParams {
            proposal: id.clone(),
            digest: String::new(),
            reason: reason.into(),
            fingerprint: pressed(),
            rule: Some(rule),
        };
        let (row, _) = self.gate.refuse(&params, &self.at())?;
        self.append(&row);
        Ok(())
    }

    /// The same ledger, after a restart.
    fn restart(&self) -> Gate {
        let mut recall = Recall::default();
        for row in self.rows().iter().rev() {
            recall.see(row);
        }
        let mut gate = Gate::new(Policy::default(), 1000);
        gate.recall(recall, &self.at());
        gate
    }
}

fn turned_away(error: GateError) -> (String, Option<RowKind>) {
    match error {
        GateError::TurnedAway { why, row } => (why, row.map(|row| row.kind)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_allowed_tool_runs_without_a_press_and_only_for_who_asked() {
    let mut desk = Desk::new();
    let first = desk.held();
    let rule = desk.allow(&first, any(Lasts::Always));
    assert_eq!(
        (rule.effect, rule.ingress, rule.uses),
        (Effect::Allow, Some(Ingress::PanelAgent), 0)
    );

    let (id, ticket) = desk.asked_by_rule(call(json!({"sku": "milk"})));
    let ticket = ticket.expect("the rule covers it");
    assert_eq!(desk.card(&id).by_rule, Some(rule.id.clone()));
    let told = desk.gate.answer(&id).unwrap();
    assert_eq!(
        told.by_rule,
        Some(rule.id.clone()),
        "its caller is told that nobody pressed"
    );
    let released = desk.rows().remove(0);
    assert_eq!(
        (released.kind, released.ingress, &released.data["byRule"], ticket.row()),
        (RowKind::Released, Ingress::Desk, &json!(rule.id), released.seq)
    );
    assert_eq!(desk.gate.rules(&desk.at())[0].uses, 1);

    let (_, by_the_page) = desk.asked_by_rule(held_call("h1", "{}"));
    assert!(by_the_page.is_none(), "the page is another caller");
    let other = tool("sell", Annotations::default());
    let (_, other) = desk.asked_by_rule(call_of(other, json!({})));
    assert!(other.is_none(), "another tool");
    let mut redefined = buy();
    redefined.digest = "d".repeat(64);
    let (id, changed) = desk.asked_by_rule(call_of(redefined, json!({})));
    assert!(changed.is_none(), "another definition");
    assert_eq!(desk.state(&id), ProposalState::Held { set_aside: false });
}

#[test]
fn a_rule_covers_what_its_pattern_covers_and_as_often_as_its_count() {
    let mut desk = Desk::new();
    let first = desk.hold_with(call(json!({"sku": "tea", "pots": 2})), no_companion(&buy()));
    let member = |name: &str, test| MemberPattern {
        name: name.into(),
        test,
    };
    let members = vec![
        member("sku", MemberTest::Same { value: json!("tea") }),
        member("pots", MemberTest::AtMost { value: json!(3) }),
    ];
    let new = NewRule {
        arguments: ArgumentPattern::Members { members },
        limit: Some(2),
        minutes: Some(5),
        ..any(Lasts::Session)
    };
    let rule = desk.allow(&first, new);
    assert_eq!(
        (rule.limit, rule.expires_at.as_deref()),
        (Some(2), Some("2026-01-01T00:05:01.500Z"))
    );

    let runs = |desk: &mut Desk, arguments: Value| desk.asked_by_rule(call(arguments)).1.is_some();
    assert!(!runs(&mut desk, json!({"sku": "tea", "pots": 4})));
    assert!(!runs(&mut desk, json!({"sku": "tea", "pots": 1, "to": "elsewhere"})));
    assert!(!runs(&mut desk, json!({"sku": "coffee", "pots": 1})));
    assert!(runs(&mut desk, json!({"sku": "tea", "pots": 3})));
    assert!(runs(&mut desk, json!({"sku": "tea", "pots": 1})));
    assert!(
        !runs(&mut desk, json!({"sku": "tea", "pots": 1})),
        "its two uses are spent"
    );
    assert!(desk.gate.rules(&desk.at()).is_empty());
}

#[test]
fn two_asks_do_not_share_the_last_use() {
    let mut desk = Desk::new();
    let first = desk.held();
    desk.allow(
        &first,
        NewRule {
            limit: Some(1),
            ..any(Lasts::Session)
        },
    );
    let one = desk.hold_with(call(json!({})), no_companion(&buy()));
    let other = desk.hold_with(call(json!({})), no_companion(&buy()));
    let at = desk.at();
    assert!(desk.gate.press_by_rule(&one, &at).is_some());
    assert!(desk.gate.press_by_rule(&other, &at).is_none());
    assert_eq!(desk.state(&other), ProposalState::Held { set_aside: false });
}

#[test]
fn a_rule_ends_with_its_time_its_task_or_its_revocation() {
    let mut desk = Desk::new();
    for end in 0..3 {
        let first = desk.held();
        let new = NewRule {
            minutes: Some(1),
            ..any(if end == 1 { Lasts::Task } else { Lasts::Session })
        };
        let rule = desk.allow(&first, new);
        assert!(desk.asked_by_rule(call(json!({"n": 1}))).1.is_some());
        let waiting = desk.hold_with(call(json!({"n": 2})), no_companion(&buy()));
        match end {
            0 => desk.wait(60_000),
            1 => desk.gate.end_task(TASK),
            _ => {
                let params = RevokeRuleParams {
                    rule: Some(rule.id.clone()),
                };
                let rows = desk.gate.revoke(&params, &desk.at()).expect("it is there");
                assert_eq!(rows[0].kind, RowKind::RuleEnded);
                assert_eq!(desk.gate.revoke(&params, &desk.at()), Err(GateError::NoRule(rule.id)));
            }
        }
        let at = desk.at();
        assert!(
            desk.gate.press_by_rule(&waiting, &at).is_none(),
            "end {end}: it was on its way when the rule ended"
        );
        assert!(desk.asked_by_rule(call(json!({"n": 3}))).1.is_none(), "end {end}");
        assert!(desk.gate.rules(&desk.at()).is_empty());
    }
}

#[test]
fn what_is_grave_is_never_allowed_along_with_a_decision() {
    let mut desk = Desk::new();
    let grave = tool(
        "send",
        Annotations {
            consequential: true,
            ..Annotations::default()
        },
    );
    let mut form = buy();
    form.source = ToolSource::Form;
    let mut secret = buy();
    secret.input_schema = json!({"properties": {"pin": {"type": "string", "format": "password"}}});
    let liar = reading("peek");
    desk.gate.caught_lying(&liar.digest, &liar.page.origin);
    let plain = no_companion(&buy());
    for (ask, preview) in [
        (call_of(grave, json!({})), plain.clone()),
        (call_of(form, json!({})), plain.clone()),
        (call_of(secret, json!({})), plain.clone()),
        (call_of(liar, json!({})), plain),
        (call(json!({})), priced(1, "2.50")),
        (held_request("h1", None), Preview::Unavailable { why: "no".into() }),
    ] {
        let network = matches!(ask.act, AskedAct::HeldRequest { .. });
        let id = if network {
            desk.hold(ask)
        } else {
            desk.hold_with(ask, preview)
        };
        assert!(
            matches!(desk.card(&id).standing, Standing::NotOffered { .. }),
            "{:?}",
            desk.card(&id).act
        );
        let refused = desk.press_with(&id, any(Lasts::Task));
        assert!(matches!(refused, Err(GateError::BadRule { .. })), "{refused:?}");
        assert_eq!(desk.state(&id), ProposalState::Held { set_aside: false });
    }
}

#[test]
fn a_rule_releases_nothing_that_costs_or_that_lost_its_preview() {
    let mut desk = Desk::new();
    let free = json!({"before": {"teas": 0}, "after": {"teas": 1}});
    let free = countersign_gate::read_preview(&free.to_string(), &desk.at());
    let first = desk.hold_with(call(json!({})), free.clone());
    assert!(desk.allow(&first, any(Lasts::Session)).previewed);
    for preview in [priced(1, "0.01"), no_companion(&buy())] {
        let id = desk.hold_with(call(json!({})), preview.clone());
        let at = desk.at();
        assert!(desk.gate.press_by_rule(&id, &at).is_none(), "{preview:?}");
        assert_eq!(desk.card(&id).by_rule, None, "it waits for a person now");
    }
    let id = desk.hold_with(call(json!({})), free);
    let at = desk.at();
    assert!(desk.gate.press_by_rule(&id, &at).is_some());
}

#[test]
fn a_rule_must_cover_its_own_card_and_mean_something() {
    let mut desk = Desk::new();
    let id = desk.held();
    for bad in [
        NewRule {
            arguments: ArgumentPattern::Exactly { canonical: "{}".into() },
            ..any(Lasts::Task)
        },
        NewRule {
            arguments: ArgumentPattern::Members { members: vec![] },
            ..any(Lasts::Task)
        },
        NewRule {
            limit: Some(0),
            ..any(Lasts::Task)
        },
        NewRule {
            minutes: Some(0),
            ..any(Lasts::Task)
        },
        NewRule {
            minutes: Some(u32::MAX),
            ..any(Lasts::Task)
        },
    ] {
        let pressed = desk.press_with(&id, bad.clone());
        assert!(matches!(pressed, Err(GateError::BadRule { .. })), "{bad:?}");
    }
    let counted = NewRule {
        limit: Some(3),
        ..any(Lasts::Task)
    };
    assert!(matches!(
        desk.refuse_with(&id, "no", counted),
        Err(GateError::BadRule { .. })
    ));
    assert_eq!(desk.state(&id), ProposalState::Held { set_aside: false });
}

#[test]
fn what_is_refused_for_good_is_turned_away_with_the_reason_and_before_any_allowing_rule() {
    let mut desk = Desk::new();
    let first = desk.held();
    desk.allow(&first, any(Lasts::Always));
    let id = desk.hold_with(held_call("h1", "{}"), no_companion(&buy()));
    desk.refuse_with(&id, "the shop is closed", any(Lasts::Always))
        .expect("it is held");
    let rule = desk.enforce(&id);
    assert_eq!(
        (rule.effect, rule.tool_digest, rule.ingress),
        (Effect::Refuse, None, None)
    );

    let mut renamed = buy();
    renamed.digest = "d".repeat(64);
    for (at, ask) in [call(json!({})), call_of(renamed, json!({}))].into_iter().enumerate() {
        let (why, row) = turned_away(desk.gate.propose(ask, &desk.at()).unwrap_err());
        assert!(why.contains("the shop is closed"), "{why}");
        assert_eq!(row, (at == 0).then_some(RowKind::TurnedAway), "it is recorded once");
    }
}

#[test]
fn rules_outlive_a_restart_with_their_uses_and_without_what_has_ended() {
    let mut desk = Desk::new();
    let first = desk.held();
    let rule = desk.allow(
        &first,
        NewRule {
            limit: Some(3),
            minutes: Some(10),
            ..any(Lasts::Always)
        },
    );
    assert!(desk.asked_by_rule(call(json!({}))).1.is_some());
    let second = desk.hold_with(held_call("h1", "{}"), no_companion(&buy()));
    let exactly = ArgumentPattern::Exactly { canonical: "{}".into() };
    desk.allow(
        &second,
        NewRule {
            arguments: exactly,
            ..any(Lasts::Session)
        },
    );
    let third = desk.hold_with(held_call("h2", r#"{"n":1}"#), no_companion(&buy()));
    let revoked = desk.allow(&third, any(Lasts::Always));
    for row in desk
        .gate
        .revoke(&RevokeRuleParams { rule: Some(revoked.id) }, &desk.at())
        .expect("it is there")
    {
        desk.append(&row);
    }

    let after = desk.restart().rules(&desk.at());
    assert_eq!(after.len(), 1, "{after:?}");
    assert_eq!((&after[0].id, after[0].uses, after[0].limit), (&rule.id, 1, Some(3)));
    desk.wait(600_000);
    assert!(desk.restart().rules(&desk.at()).is_empty(), "its ten minutes went by");
}

#[test]
fn a_rule_that_cannot_be_read_refuses_what_it_was_about() {
    let broken = |rule: Value| {
        let desk = Desk::new();
        let row = countersign_contract::RowDraft {
            kind: RowKind::RuleMade,
            ingress: Ingress::Approval,
            seat: "approval".into(),
            reference: None,
            data: json!({ "rule": rule }),
        };
        desk.append(&row);
        desk.restart()
    };
    let about = json!({"id": "r1", "origin": "https://shop.example", "tool": "buy", "effect": "perhaps"});
    let mut gate = broken(about);
    let error = gate
        .propose(call(json!({})), &At::new(0, "2026-01-01T00:00:00.000Z"))
        .unwrap_err();
    assert!(turned_away(error).0.contains("cannot be read"));

    // It is not known what this one refused: nothing is allowed by rule, and everything is held.
    let mut desk = Desk::new();
    let first = desk.held();
    desk.allow(&first, any(Lasts::Always));
    desk.append(&countersign_contract::RowDraft {
        kind: RowKind::RuleMade,
        ingress: Ingress::Approval,
        seat: "approval".into(),
        reference: None,
        data: json!({ "rule": "torn" }),
    });
    desk.gate = desk.restart();
    assert!(desk.asked_by_rule(call(json!({}))).1.is_none());
}

#[test]
fn a_definition_that_changed_since_it_was_released_shows_how() {
    let mut desk = Desk::new();
    let first = desk.held();
    assert_eq!(desk.card(&first).redefined, []);
    desk.release(&first);
    let same = desk.held();
    assert_eq!(desk.card(&same).redefined, []);

    let mut changed = buy();
    changed.description = "Buys, and sends it to us".into();
    changed.digest = "d".repeat(64);
    for gate in [None, Some(desk.restart())] {
        if let Some(gate) = gate {
            desk.gate = gate;
        }
        let id = desk.hold_with(call_of(changed.clone(), json!({})), no_companion(&buy()));
        let card = desk.card(&id);
        assert_eq!(card.redefined.len(), 1, "{:?}", card.redefined);
        assert_eq!(card.redefined[0].after, "description: Buys, and sends it to us");
    }
}

#[test]
fn a_hidden_tool_is_there_for_one_exact_call_once_it_is_granted() {
    let mut desk = Desk::new();
    let draft = desk.gate.hide(&buy(), &desk.at()).expect("it was not hidden");
    let row = desk.append(draft.row());
    desk.gate.enforce(draft, &row).expect("its own row");
    assert!(!desk.gate.shows(&buy(), &desk.at()));
    let missing = desk.gate.propose(call(json!({"id": 7})), &desk.at());
    assert!(matches!(missing, Err(GateError::NoSuchTool { .. })), "{missing:?}");

    let hand = Caller::new(Ingress::PanelHand, "the panel, by hand");
    let act = AskedAct::Grant {
        tool: Box::new(buy()),
        arguments: json!({"id": 7}),
    };
    let ask = Ask {
        caller: hand,
        act,
        ..call(json!({}))
    };
    let id = desk.hold_with(ask, no_companion(&buy()));
    let draft = desk.draft(&id);
    assert!(draft.is_grant());
    let row = desk.append(draft.row());
    let rule = desk.gate.grant(draft, &row, &desk.at()).expect("its own row");
    assert_eq!(desk.state(&id), ProposalState::Granted { rule });
    assert_eq!(
        desk.gate.answer(&id).map(|answer| answer.verdict),
        Some(Verdict::Granted)
    );
    assert!(desk.gate.shows(&buy(), &desk.at()));

    let other = desk.gate.propose(call(json!({"id": 8})), &desk.at());
    assert!(matches!(other, Err(GateError::NoSuchTool { .. })), "another target");
    let one = desk.hold_with(call(json!({"id": 7})), no_companion(&buy()));
    let second = desk.gate.propose(call(json!({"id": 7})), &desk.at());
    assert!(
        matches!(second, Err(GateError::NoSuchTool { .. })),
        "the one use is on its way"
    );
    assert!(!desk.gate.shows(&buy(), &desk.at()));
    let at = desk.at();
    let press = desk.gate.press_by_rule(&one, &at).expect("the grant covers it");
    desk.carry_out(press);
    assert!(
        desk.gate.propose(call(json!({"id": 7})), &desk.at()).is_err(),
        "and it is gone again"
    );
}

#[test]
fn the_row_of_a_grant_makes_no_ticket() {
    let mut desk = Desk::new();
    let act = AskedAct::Grant {
        tool: Box::new(buy()),
        arguments: json!({}),
    };
    let id = desk.hold_with(Ask { act, ..call(json!({})) }, no_companion(&buy()));
    let draft = desk.draft(&id);
    let row = desk.append(draft.row());
    assert!(matches!(
        desk.gate.release(draft, row, NONCE, &desk.at()),
        Err(GateError::WrongRow(_))
    ));
    let draft = desk.draft(&id);
    let other = desk.held();
    let others = desk.draft(&other);
    let row = desk.append(others.row());
    assert!(matches!(
        desk.gate.grant(draft, &row, &desk.at()),
        Err(GateError::WrongRow(_))
    ));
    assert!(desk.gate.rules(&desk.at()).is_empty());
}

#[test]
fn a_rule_that_ends_while_the_page_is_asked_again_releases_nothing() {
    for end in ["time", "task", "revoked", "withdrawn"] {
        let mut desk = Desk::new();
        let first = desk.held();
        let new = NewRule {
            minutes: Some(1),
            ..any(Lasts::Task)
        };
        let rule = desk.allow(&first, new);
        let id = desk.hold_with(call(json!({"n": 1})), no_companion(&buy()));
        let at = desk.at();
        let press = desk.gate.press_by_rule(&id, &at).expect("the rule covers it");
        match end {
            "time" => desk.wait(60_000),
            "task" => desk.gate.end_task(TASK),
            "revoked" => {
                let params = RevokeRuleParams { rule: Some(rule.id) };
                desk.gate.revoke(&params, &desk.at()).expect("it is there");
            }
            _ => {
                desk.gate.revoke_writes(true, &desk.at());
            }
        }
        let at = desk.at();
        let checked = desk.gate.recheck(press, Some(&buy()), None, &at);
        assert!(checked.is_err(), "{end}: released by a rule that is over");
        assert_eq!(desk.state(&id), ProposalState::Held { set_aside: false }, "{end}");
        assert_eq!(desk.card(&id).by_rule, None, "{end}: it waits for a person");
    }
}

#[test]
fn a_hidden_tool_is_not_there_for_a_rule_that_allowed_it_before() {
    let mut desk = Desk::new();
    let first = desk.held();
    desk.allow(&first, any(Lasts::Always));
    let waiting = desk.hold_with(call(json!({"n": 1})), no_companion(&buy()));
    let draft = desk.gate.hide(&buy(), &desk.at()).expect("it was not hidden");
    let row = desk.append(draft.row());
    desk.gate.enforce(draft, &row).expect("its own row");

    let missing = desk.gate.propose(call(json!({"n": 2})), &desk.at());
    assert!(matches!(missing, Err(GateError::NoSuchTool { .. })), "{missing:?}");
    let at = desk.at();
    assert!(
        desk.gate.press_by_rule(&waiting, &at).is_none(),
        "it was on its way when the tool was hidden"
    );
}

#[test]
fn an_origin_that_many_pages_share_is_not_allowed() {
    let mut desk = Desk::new();
    let mut boxed = buy();
    boxed.page.origin = "null".into();
    let id = desk.hold_with(call_of(boxed, json!({})), no_companion(&buy()));
    assert!(matches!(desk.card(&id).standing, Standing::NotOffered { .. }));
    let pressed = desk.press_with(&id, any(Lasts::Always));
    assert!(matches!(pressed, Err(GateError::BadRule { .. })), "{pressed:?}");
}
