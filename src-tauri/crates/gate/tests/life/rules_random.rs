//! Whatever happens in whatever order: a rule releases what it was made for, as often as it may, and never after its end.

use std::cell::Cell;
use std::collections::HashMap;

use countersign_contract::{
    ArgumentPattern, Lasts, NewRule, ProposalId, ReleaseParams, RevokeRuleParams, RuleId, Standing,
};
use countersign_gate::no_companion;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;

use crate::support::*;

#[derive(Clone, Debug)]
enum Event {
    Ask { teas: u8, page: bool },
    Allow { which: u8, limit: u8, exact: bool },
    ByRule(u8),
    Revoke(u8),
    Withdrawn(bool),
    EndTask,
    Wait(u32),
}

struct Made {
    teas: Option<u8>,
    page: bool,
    left: u32,
    until: u64,
    ended: bool,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (1..3_u8, prop::bool::weighted(0.2)).prop_map(|(teas, page)| Event::Ask { teas, page }),
        4 => (any::<u8>(), 1..3_u8, any::<bool>()).prop_map(|(which, limit, exact)| Event::Allow { which, limit, exact }),
        8 => any::<u8>().prop_map(Event::ByRule),
        1 => any::<u8>().prop_map(Event::Revoke),
        1 => any::<bool>().prop_map(Event::Withdrawn),
        1 => Just(Event::EndTask),
        2 => (0..40_000_u32).prop_map(Event::Wait),
    ]
}

struct Run {
    desk: Desk,
    asked: Vec<(ProposalId, u8, bool)>,
    made: HashMap<RuleId, Made>,
    withdrawn: bool,
    released: usize,
}

impl Run {
    fn happen(&mut self, event: &Event) -> Result<(), TestCaseError> {
        let at = self.desk.at();
        match *event {
            Event::Ask { teas, page } => {
                let ask = if page {
                    held_call(&format!("h{}", self.asked.len()), &json!({ "teas": teas }).to_string())
                } else {
                    call(json!({ "teas": teas }))
                };
                if let Ok((id, draft)) = self.desk.gate.propose(ask, &at) {
                    let row = self.desk.append(&draft);
                    self.desk.gate.recorded(&id, &row, &at).expect("its own row");
                    self.desk.gate.set_preview(&id, 1, no_companion(&buy()), &at);
                    self.asked.push((id, teas, page));
                }
            }
            Event::Allow { which, limit, exact } => self.allow(which, limit, exact)?,
            Event::ByRule(which) => self.by_rule(which)?,
            Event::Revoke(which) => {
                let rules = self.desk.gate.rules(&at);
                if !rules.is_empty() {
                    let id = rules[usize::from(which) % rules.len()].id.clone();
                    let params = RevokeRuleParams { rule: Some(id.clone()) };
                    prop_assert!(self.desk.gate.revoke(&params, &at).is_ok());
                    self.made.get_mut(&id).expect("it was made").ended = true;
                }
            }
            Event::Withdrawn(on) => {
                self.desk.gate.revoke_writes(on, &at);
                self.withdrawn = on;
            }
            Event::EndTask => {
                self.desk.gate.end_task(TASK);
                for made in self.made.values_mut().filter(|made| !made.page) {
                    made.ended = true;
                }
            }
            Event::Wait(ms) => self.desk.wait(ms.into()),
        }
        Ok(())
    }

    fn allow(&mut self, which: u8, limit: u8, exact: bool) -> Result<(), TestCaseError> {
        if self.asked.is_empty() {
            return Ok(());
        }
        let (id, teas, page) = self.asked[usize::from(which) % self.asked.len()].clone();
        self.desk.arm(&id);
        let card = self.desk.card(&id);
        let params = ReleaseParams {
            proposal: id.clone(),
            digest: card.digest,
            acknowledged: vec![],
            fingerprint: pressed(),
            rule: (card.standing == Standing::Offered).then(|| NewRule {
                lasts: Lasts::Task,
                arguments: if exact {
                    ArgumentPattern::Exactly {
                        canonical: json!({ "teas": teas }).to_string(),
                    }
                } else {
                    ArgumentPattern::Any
                },
                limit: Some(limit.into()),
                minutes: Some(1),
            }),
        };
        let at = self.desk.at();
        let Ok(press) = self.desk.gate.press(&params, &at) else {
            return Ok(());
        };
        let tool = press.tool().cloned();
        let Ok(draft) = self.desk.gate.recheck(press, tool.as_ref(), None, &at) else {
            return Ok(());
        };
        let row = self.desk.append(draft.row());
        self.desk.gate.release(draft, row, NONCE, &at).expect("its own row");
        let draft = self.desk.gate.rule_along_with(&id, &at).expect("a rule was asked for");
        let row = self.desk.append(draft.row());
        let rule = self.desk.gate.enforce(draft, &row).expect("its own row");
        let made = Made {
            teas: exact.then_some(teas),
            page,
            left: limit.into(),
            until: at.ms + 60_000,
            ended: false,
        };
        self.made.insert(rule, made);
        Ok(())
    }

    fn by_rule(&mut self, which: u8) -> Result<(), TestCaseError> {
        if self.asked.is_empty() {
            return Ok(());
        }
        let (id, teas, page) = self.asked[usize::from(which) % self.asked.len()].clone();
        let at = self.desk.at();
        let Some(press) = self.desk.gate.press_by_rule(&id, &at) else {
            return Ok(());
        };
        let rule = self.desk.card(&id).by_rule.expect("a rule pressed");
        let made = self.made.get_mut(&rule).expect("it was made");
        prop_assert!(!self.withdrawn, "writes were withdrawn");
        prop_assert!(!made.ended && at.ms < made.until && made.left > 0, "{rule} had ended");
        prop_assert_eq!(made.page, page, "another caller");
        prop_assert!(made.teas.is_none_or(|only| only == teas), "other arguments");
        let tool = press.tool().cloned();
        let draft = self
            .desk
            .gate
            .recheck(press, tool.as_ref(), None, &at)
            .expect("nothing moved");
        let row = self.desk.append(draft.row());
        prop_assert!(self.desk.gate.release(draft, row, NONCE, &at).is_ok());
        made.left -= 1;
        self.released += 1;
        Ok(())
    }
}

#[test]
fn a_rule_releases_what_it_was_made_for_and_never_after_its_end() {
    let released = Cell::new(0);
    let mut runner = TestRunner::new(Config {
        cases: 64,
        failure_persistence: None,
        ..Config::default()
    });
    let held = runner.run(&prop::collection::vec(event(), 1..80), |events| {
        let mut run = Run {
            desk: Desk::new(),
            asked: Vec::new(),
            made: HashMap::new(),
            withdrawn: false,
            released: 0,
        };
        for event in &events {
            run.happen(event)?;
        }
        released.set(released.get() + run.released);
        Ok(())
    });
    held.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(released.get() > 0, "no rule released anything, so this showed nothing");
}
