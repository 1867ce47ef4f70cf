//! Whatever happens in whatever order: nothing runs but what was shown, and nothing runs twice.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use countersign_contract::{PageGate, Preview, ProposalId, ProposalState, ReleaseParams, RowKind, ToolKey};
use countersign_gate::{Ended, Press, ReleaseDraft, Target};
use countersign_ledger::DurableRow;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;

use crate::support::*;

/// Something that happens. Numbers pick one of what there is.
#[derive(Clone, Debug)]
enum Event {
    Ask(u8),
    Record,
    Discard,
    Preview { which: u8, teas: u8 },
    Window { visible: bool, active: bool },
    Show { which: u8, stale: bool },
    Look { which: u8, ms: u16 },
    Wait(u16),
    Press { which: u8, stale: bool, acknowledge: bool },
    Recheck { which: u8, finding: Finding },
    Write { which: u8, row: Written },
    Settle { which: u8, how: u8 },
    Refuse(u8),
    Edit { which: u8, teas: u8 },
    SetAside(u8, bool),
    Withdraw(u8),
    PageGone,
    Expire,
}

#[derive(Clone, Copy, Debug)]
enum Finding {
    Same,
    Dearer,
    Redefined,
    Gone,
    Cancelled,
}

#[derive(Clone, Copy, Debug)]
enum Written {
    Own,
    Other,
    Failed,
}

fn event() -> impl Strategy<Value = Event> {
    let finding = prop_oneof![
        6 => Just(Finding::Same),
        1 => Just(Finding::Dearer),
        1 => Just(Finding::Redefined),
        1 => Just(Finding::Gone),
        1 => Just(Finding::Cancelled),
    ];
    let written = prop_oneof![5 => Just(Written::Own), 1 => Just(Written::Other), 1 => Just(Written::Failed)];
    let one = any::<u8>;
    prop_oneof![
        4 => one().prop_map(Event::Ask),
        4 => Just(Event::Record),
        1 => Just(Event::Discard),
        3 => (one(), 0..3_u8).prop_map(|(which, teas)| Event::Preview { which, teas }),
        2 => any::<(bool, bool)>().prop_map(|(visible, active)| Event::Window { visible, active }),
        2 => (one(), any::<bool>()).prop_map(|(which, stale)| Event::Show { which, stale }),
        6 => (one(), prop_oneof![3 => Just(500), 1 => 450..500_u16]).prop_map(|(which, ms)| Event::Look { which, ms }),
        3 => (0..700_u16).prop_map(Event::Wait),
        8 => (one(), prop::bool::weighted(0.1), prop::bool::weighted(0.9))
            .prop_map(|(which, stale, acknowledge)| Event::Press { which, stale, acknowledge }),
        6 => (one(), finding).prop_map(|(which, finding)| Event::Recheck { which, finding }),
        6 => (one(), written).prop_map(|(which, row)| Event::Write { which, row }),
        3 => (one(), 0..5_u8).prop_map(|(which, how)| Event::Settle { which, how }),
        1 => one().prop_map(Event::Refuse),
        2 => (one(), 0..3_u8).prop_map(|(which, teas)| Event::Edit { which, teas }),
        1 => (one(), any::<bool>()).prop_map(|(which, aside)| Event::SetAside(which, aside)),
        1 => one().prop_map(Event::Withdraw),
        1 => Just(Event::PageGone),
        1 => Just(Event::Expire),
    ]
}

/// What an onlooker who knows only the rules keeps track of.
#[derive(Default)]
struct Onlooker {
    window: (bool, bool),
    shown: Option<(ProposalId, String)>,
    /// Which card has been in view since when.
    in_view: HashMap<ProposalId, (String, u64)>,
    /// The card that was pressed, when a press was accepted.
    pressed: HashMap<ProposalId, String>,
    settled: HashMap<ProposalId, ProposalState>,
    closed: HashSet<ProposalId>,
    tickets: HashSet<ProposalId>,
}

struct Run {
    desk: Desk,
    ids: Vec<ProposalId>,
    unrecorded: Vec<(ProposalId, countersign_contract::RowDraft)>,
    presses: Vec<Press>,
    drafts: Vec<ReleaseDraft>,
    spare_rows: Vec<DurableRow>,
    onlooker: Onlooker,
}

type Checked = Result<(), TestCaseError>;

impl Run {
    fn new() -> Self {
        Self {
            desk: Desk::new(),
            ids: Vec::new(),
            unrecorded: Vec::new(),
            presses: Vec::new(),
            drafts: Vec::new(),
            spare_rows: Vec::new(),
            onlooker: Onlooker::default(),
        }
    }

    fn pick(&self, which: u8) -> Option<ProposalId> {
        (!self.ids.is_empty()).then(|| self.ids[usize::from(which) % self.ids.len()].clone())
    }

    fn happen(&mut self, event: &Event) -> Checked {
        let at = self.desk.at();
        match *event {
            Event::Ask(kind) => {
                let ask = match kind % 4 {
                    0 | 1 => call(json!({"teas": 1})),
                    2 => held_call(&format!("h{}", self.desk.ms), r#"{"teas":1}"#),
                    _ => held_request(&format!("h{}", self.desk.ms), None),
                };
                let open = self.ids.len() < 4;
                if let (true, Ok(asked)) = (open, self.desk.gate.propose(ask, &at)) {
                    self.ids.push(asked.0.clone());
                    self.unrecorded.push(asked);
                }
            }
            Event::Record => {
                if let Some((id, draft)) = self.unrecorded.pop() {
                    let row = self.desk.append(&draft);
                    prop_assert!(self.desk.gate.recorded(&id, &row, &at).is_ok());
                    self.spare_rows.push(row);
                }
            }
            Event::Discard => {
                if let Some((id, _)) = self.unrecorded.pop() {
                    self.desk.gate.discard(&id);
                    self.ids.retain(|other| *other != id);
                }
            }
            Event::Preview { which, teas } => {
                if let Some(id) = self.pick(which) {
                    let version = self.desk.gate.get(&id, &at).map_or(1, |card| card.version);
                    let preview = if teas == 0 {
                        Preview::Pending
                    } else {
                        priced(teas.into(), "1.00")
                    };
                    self.desk.gate.set_preview(&id, version, preview, &at);
                }
            }
            Event::Window { visible, active } => {
                self.onlooker.window = (visible, active);
                self.desk.gate.window(visible, active, &at);
            }
            Event::Show { which, stale } => self.show(which, stale),
            Event::Look { which, ms } => {
                self.onlooker.window = (true, true);
                self.desk.gate.window(true, true, &at);
                self.show(which, false);
                self.watch();
                self.desk.wait(ms.into());
            }
            Event::Wait(ms) => self.desk.wait(ms.into()),
            Event::Press {
                which,
                stale,
                acknowledge,
            } => self.press(which, stale, acknowledge)?,
            Event::Recheck { which, finding } => self.recheck(which, finding),
            Event::Write { which, row } => self.write(which, row)?,
            Event::Settle { which, how } => {
                let message = "m".to_owned();
                let ended = match how {
                    0 => Ended::Committed { result: message },
                    1 => Ended::Failed { message },
                    2 => Ended::NotRun { message },
                    3 => Ended::PageGate {
                        gate: PageGate::Waiting { reference: None },
                        result: message,
                    },
                    _ => Ended::Unknown { message },
                };
                if let Some(id) = self.pick(which) {
                    let settled = self.desk.gate.settle(&id, ended, &at).is_ok();
                    prop_assert!(
                        !settled || self.onlooker.tickets.contains(&id),
                        "an outcome needs a ticket"
                    );
                }
            }
            Event::Refuse(which) => {
                if let Some(id) = self.pick(which)
                    && self.desk.refuse(&id, "no").is_ok()
                {
                    self.close(id)?;
                }
            }
            Event::Edit { which, teas } => {
                if let Some(id) = self.pick(which)
                    && self.desk.gate.get(&id, &at).is_some()
                {
                    let _ = self.desk.edit(&id, json!({"teas": teas}));
                }
            }
            Event::SetAside(which, aside) => {
                if let Some(id) = self.pick(which) {
                    let _ = self.desk.set_aside(&id, aside);
                }
            }
            Event::Withdraw(which) => {
                if let Some(id) = self.pick(which)
                    && let Some(card) = self.desk.gate.get(&id, &at)
                    && self.desk.gate.withdraw(&id, card.caller.ingress, &at).is_some()
                {
                    self.close(id)?;
                }
            }
            Event::PageGone => {
                for (id, ..) in self.desk.gate.page_gone("D1", "gone", &at) {
                    self.close(id)?;
                }
            }
            Event::Expire => {
                self.desk.wait(20_000);
                for (id, ..) in self.desk.gate.expire(&self.desk.at()) {
                    self.close(id)?;
                }
            }
        }
        self.watch();
        self.nothing_settled_changed()
    }

    fn show(&mut self, which: u8, stale: bool) {
        let at = self.desk.at();
        let Some(id) = self.pick(which) else { return };
        let Some(card) = self.desk.gate.get(&id, &at) else {
            return;
        };
        let digest = if stale { "stale".into() } else { card.digest };
        self.desk.gate.shown(&id, &digest, &at);
        self.onlooker.shown = Some((id, digest));
    }

    fn press(&mut self, which: u8, stale: bool, acknowledge: bool) -> Checked {
        let at = self.desk.at();
        let Some(id) = self.pick(which) else { return Ok(()) };
        let Some(card) = self.desk.gate.get(&id, &at) else {
            return Ok(());
        };
        let acknowledged = if acknowledge {
            card.risks.iter().map(|risk| risk.id.clone()).collect()
        } else {
            vec![]
        };
        let digest = if stale { "stale".into() } else { card.digest.clone() };
        let params = ReleaseParams {
            proposal: id.clone(),
            digest,
            acknowledged,
            fingerprint: pressed(),
            rule: None,
        };
        if let Ok(press) = self.desk.gate.press(&params, &at) {
            let seen = self.onlooker.in_view.get(&id).cloned();
            let (digest, since) =
                seen.ok_or_else(|| TestCaseError::fail(format!("{id} was pressed and not in view")))?;
            prop_assert_eq!(&digest, &card.digest, "what was in view is what was pressed");
            prop_assert!(at.ms - since >= 500, "in view for {} ms only", at.ms - since);
            self.onlooker.pressed.insert(id, digest);
            self.presses.push(press);
        }
        Ok(())
    }

    fn recheck(&mut self, which: u8, finding: Finding) {
        if self.presses.is_empty() {
            return;
        }
        let press = self.presses.swap_remove(usize::from(which) % self.presses.len());
        let at = self.desk.at();
        let card = self.desk.gate.get(press.id(), &at);
        let shown = card.map(|card| card.preview);
        let mut tool = press.tool().cloned();
        let fresh = match finding {
            Finding::Same | Finding::Gone => shown,
            Finding::Dearer => Some(priced(1, "9.00")),
            Finding::Redefined => {
                if let Some(tool) = &mut tool {
                    tool.digest.push('x');
                    tool.key = ToolKey(format!("{}x", tool.key.0));
                }
                shown
            }
            Finding::Cancelled => return self.desk.gate.put_back(press, &at),
        };
        if matches!(finding, Finding::Gone) {
            tool = None;
        }
        if let Ok(draft) = self.desk.gate.recheck(press, tool.as_ref(), fresh, &at) {
            self.drafts.push(draft);
        }
    }

    fn write(&mut self, which: u8, written: Written) -> Checked {
        if self.drafts.is_empty() {
            return Ok(());
        }
        let draft = self.drafts.swap_remove(usize::from(which) % self.drafts.len());
        let (id, at) = (draft.id().clone(), self.desk.at());
        let row = match written {
            Written::Failed => {
                self.desk.gate.release_failed(draft, &at);
                return Ok(());
            }
            Written::Own => self.desk.append(draft.row()),
            Written::Other => match self.spare_rows.pop() {
                Some(row) => row,
                None => self.desk.append(&countersign_contract::RowDraft {
                    seat: "x".into(),
                    ..draft.row().clone()
                }),
            },
        };
        let (kind, reference, data, seq) = (
            row.row().kind,
            row.row().reference.clone(),
            row.row().data.clone(),
            row.row().seq,
        );
        let card = self.desk.card(&id);
        let Ok(ticket) = self.desk.gate.release(draft, row, NONCE, &at) else {
            prop_assert!(matches!(written, Written::Other), "its own row makes a ticket");
            return Ok(());
        };
        prop_assert_eq!(
            (kind, reference.as_deref(), ticket.row()),
            (RowKind::Released, Some(id.0.as_str()), seq)
        );
        prop_assert_eq!(
            data["cardDigest"].as_str(),
            self.onlooker.pressed.get(&id).map(String::as_str)
        );
        prop_assert_eq!(
            data["cardDigest"].as_str(),
            Some(card.digest.as_str()),
            "the card is still the one that was pressed"
        );
        prop_assert!(
            !self.onlooker.closed.contains(&id),
            "{} was closed and has a ticket",
            id
        );
        match ticket.target() {
            Target::Call { arguments, .. } | Target::HeldCall { arguments, .. } => {
                prop_assert_eq!(data["arguments"].as_str(), Some(arguments.as_str()));
            }
            Target::HeldRequest { request, .. } => prop_assert_eq!(data["url"].as_str(), Some(request.url.as_str())),
        }
        prop_assert!(self.onlooker.tickets.insert(id), "a second ticket");
        Ok(())
    }

    fn close(&mut self, id: ProposalId) -> Checked {
        prop_assert!(
            !self.onlooker.tickets.contains(&id),
            "{} has a ticket and was closed",
            id
        );
        self.onlooker.closed.insert(id);
        Ok(())
    }

    /// Notes which card is in view by the rule alone: window visible and active, this card painted, as it is now.
    fn watch(&mut self) {
        let at = self.desk.at();
        for id in &self.ids {
            let card = self.desk.gate.get(id, &at);
            let in_view = card.filter(|card| {
                self.onlooker.window == (true, true)
                    && self
                        .onlooker
                        .shown
                        .as_ref()
                        .is_some_and(|(shown, digest)| shown == id && *digest == card.digest)
            });
            match in_view {
                None => drop(self.onlooker.in_view.remove(id)),
                Some(card) => {
                    let seen = self
                        .onlooker
                        .in_view
                        .entry(id.clone())
                        .or_insert((card.digest.clone(), at.ms));
                    if seen.0 != card.digest {
                        *seen = (card.digest, at.ms);
                    }
                }
            }
        }
    }

    fn nothing_settled_changed(&mut self) -> Checked {
        for card in self.desk.gate.proposals(&self.desk.at()) {
            if let Some(before) = self.onlooker.settled.get(&card.id) {
                prop_assert_eq!(before, &card.state, "{} was settled", card.id);
            } else if card.state.is_settled() {
                self.onlooker.settled.insert(card.id, card.state);
            }
        }
        Ok(())
    }
}

/// Mostly anything at all; now and then the whole way to a release, so that there is something to go wrong after it.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let anything = event().prop_map(|event| vec![event]);
    let whole_way = any::<u8>().prop_map(|which| {
        vec![
            Event::Ask(which),
            Event::Record,
            Event::Preview { which, teas: 1 },
            Event::Window {
                visible: true,
                active: true,
            },
            Event::Show { which, stale: false },
            Event::Look { which, ms: 500 },
            Event::Press {
                which,
                stale: false,
                acknowledge: true,
            },
            Event::Recheck {
                which,
                finding: Finding::Same,
            },
            Event::Write {
                which,
                row: Written::Own,
            },
        ]
    });
    let some = prop_oneof![20 => anything, 1 => whole_way];
    prop::collection::vec(some, 1..100).prop_map(|parts| parts.concat())
}

#[test]
fn nothing_runs_but_what_was_shown_released_and_recorded_and_that_once() {
    let tickets = Cell::new(0);
    let mut runner = TestRunner::new(Config {
        cases: 96,
        failure_persistence: None,
        ..Config::default()
    });
    let held = runner.run(&events(), |events| {
        let mut run = Run::new();
        for event in &events {
            run.happen(event)?;
        }
        tickets.set(tickets.get() + run.onlooker.tickets.len());
        Ok(())
    });
    held.unwrap_or_else(|failure| panic!("{failure}"));
    println!("{} tickets", tickets.get());
    assert!(
        tickets.get() > 0,
        "the sequences have to reach a release, or they show nothing"
    );
}
