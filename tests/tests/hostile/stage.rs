//! What a case has done so far and what was seen of it.

use std::time::{Duration, Instant};

use countersign_contract::{Act, DeskState, NewRule, Proposal, ProposalId, ProposalState, Row, RowKind, Tool};
use countersign_desk::DeskError;
use countersign_ledger::canonical;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::case::{Case, End};
use crate::record;
use crate::rig::Rig;
use crate::site::{Arrived, Kind};

/// Why a case did not end as it has to.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The attempt worked: something ran that was not released, or other than it was shown, or its record is false.
    Breach(String),
    /// The hold did something else than it has to.
    Wrong(String),
}

impl Fault {
    pub fn words(&self) -> String {
        match self {
            Self::Breach(words) => format!("GOT THROUGH: {words}"),
            Self::Wrong(words) => words.clone(),
        }
    }
}

pub type Seen<T = ()> = Result<T, Fault>;

pub fn wrong<T>(words: impl Into<String>) -> Seen<T> {
    Err(Fault::Wrong(words.into()))
}

/// A press of release that is on its way.
pub type Pressing = JoinHandle<Result<(), DeskError>>;

/// One case on its way.
pub struct Stage<'a> {
    pub rig: &'a Rig,
    pub case: &'a Case,
    pub patience: Duration,
    /// The length of the ledger's file and the releases in it when the case began.
    length_before: u64,
    released_before: usize,
    /// Proposals that a step has spoken of, the last one last.
    pub taken: Vec<ProposalId>,
    /// How many of the acts that ran a step has named.
    counted: usize,
    /// How many notes of the page a step has waited for.
    pub noted: usize,
    pub pressing: Vec<Pressing>,
    /// The digest of the card that was put in view last.
    pub shown: String,
    /// The rule to be made along with the next press.
    pub along: Option<NewRule>,
    pub reading: Vec<(
        JoinHandle<Result<countersign_desk::Asked, DeskError>>,
        CancellationToken,
    )>,
}

impl<'a> Stage<'a> {
    pub fn new(rig: &'a Rig, case: &'a Case, patience: Duration) -> Self {
        Self {
            rig,
            case,
            patience,
            length_before: record::length(&rig.ledger),
            released_before: record::released(&rig.ledger),
            taken: Vec::new(),
            counted: 0,
            noted: 0,
            pressing: Vec::new(),
            shown: String::new(),
            along: None,
            reading: Vec::new(),
        }
    }

    /// What ran, as the server saw it.
    pub fn acts(&self) -> Vec<Arrived> {
        self.rig
            .site
            .arrived(&self.case.slug, |kind| matches!(kind, Kind::Ran | Kind::Sent))
    }

    pub fn notes(&self) -> Vec<Arrived> {
        self.rig.site.arrived(&self.case.slug, |kind| kind == Kind::Note)
    }

    /// The case's rows in the ledger.
    pub fn rows(&self) -> Vec<Row> {
        record::rows_after(&self.rig.ledger, self.length_before)
    }

    /// Whether the ledger says this of a tool of the case's pages; without a name, of any.
    pub fn has_row(&self, kind: RowKind, tool: &str) -> bool {
        let host = format!("{}.localhost:", self.case.slug);
        let mine = |row: &&Row| row.data["origin"].as_str().is_some_and(|origin| origin.contains(&host));
        self.rows()
            .iter()
            .filter(mine)
            .any(|row| row.kind == kind && (tool.is_empty() || row.data["tool"] == tool))
    }

    /// Fails as soon as more ran than the ledger had releases for when it ran, or other than they say.
    pub fn nothing_got_through(&self) -> Seen {
        if self.case.end == End::NotHeld {
            return Ok(());
        }
        let acts = self.acts();
        for (place, act) in acts.iter().enumerate() {
            let released = act.released - self.released_before;
            if released <= place {
                let before = match released {
                    0 => "before anything was released".to_owned(),
                    n => format!("as number {} with {n} released", place + 1),
                };
                return Err(Fault::Breach(format!("`{}` ran {before}", shortened(&act.text))));
            }
        }
        let mut marks = acts.iter().filter(|act| act.kind == Kind::Ran);
        if let Some(mark) = marks.find(|mark| !self.is_as_released(&mark.text)) {
            let words = format!("`{}` ran, and something else was released", shortened(&mark.text));
            return Err(Fault::Breach(words));
        }
        Ok(())
    }

    /// A mark of the form `name {…}` has to be the arguments of a release of that tool.
    fn is_as_released(&self, mark: &str) -> bool {
        let Some((name, Ok(arguments))) = mark
            .split_once(' ')
            .map(|(name, text)| (name, serde_json::from_str(text)))
        else {
            return true;
        };
        let Ok(arguments) = canonical(&arguments) else {
            return true;
        };
        let rows = self.rows();
        let mut of_tool = rows
            .iter()
            .filter(|row| row.kind == RowKind::Released && row.data["tool"] == name)
            .peekable();
        of_tool.peek().is_none() || of_tool.any(|row| row.data["arguments"] == arguments.as_str())
    }

    /// Waits until `look` finds something, and watches meanwhile that nothing gets through.
    pub async fn until<T>(&self, what: &str, mut look: impl FnMut(&DeskState) -> Option<T>) -> Seen<T> {
        let end = Instant::now() + self.patience;
        let mut changes = self.rig.desk.changes();
        loop {
            changes.borrow_and_update();
            self.nothing_got_through()?;
            let state = self.rig.desk.state();
            if let Some(found) = look(&state) {
                return Ok(found);
            }
            if Instant::now() > end {
                let open: Vec<_> = self.mine(&state).iter().map(summary).collect();
                let acts: Vec<_> = self.acts().into_iter().map(|act| shortened(&act.text)).collect();
                let notes: Vec<_> = self.notes().into_iter().map(|note| shortened(&note.text)).collect();
                return wrong(format!(
                    "waited in vain for {what}; proposals {open:?}, ran {acts:?}, notes {notes:?}"
                ));
            }
            let _ = tokio::time::timeout(Duration::from_millis(40), changes.changed()).await;
        }
    }

    /// Where nothing may run, anything that ran is what is wrong.
    pub fn named(&self, seen: Seen) -> Seen {
        let nothing_may = matches!(
            self.case.end,
            End::Never | End::NotRun | End::Nothing | End::NothingSeen | End::Changed
        );
        match (seen, self.acts().first()) {
            (Err(Fault::Wrong(words)), Some(act)) if nothing_may => {
                Err(Fault::Breach(format!("`{}` ran; {words}", shortened(&act.text))))
            }
            (seen, _) => seen,
        }
    }

    /// The proposals of this case.
    pub fn mine(&self, state: &DeskState) -> Vec<Proposal> {
        let rows = self.rows();
        let proposed = |id: &ProposalId| {
            rows.iter()
                .any(|row| row.kind == RowKind::Proposed && row.reference.as_deref() == Some(id.0.as_str()))
        };
        let mut mine: Vec<_> = state
            .proposals
            .iter()
            .filter(|card| proposed(&card.id))
            .cloned()
            .collect();
        mine.sort_by_key(|card| card.row);
        mine
    }

    /// The proposal a step spoke of last.
    pub fn card(&self) -> Seen<Proposal> {
        let Some(id) = self.taken.last() else {
            return wrong("no step has spoken of a proposal yet");
        };
        let state = self.rig.desk.state();
        match state.proposals.into_iter().find(|card| card.id == *id) {
            Some(card) => Ok(card),
            None => wrong(format!("the desk has forgotten {id}")),
        }
    }

    /// The tools of the case's pages; `name@/path` means the one of the frame with that path.
    pub fn tool(&self, state: &DeskState, wanted: &str) -> Option<Tool> {
        let (name, path) = wanted.split_once('@').unwrap_or((wanted, ""));
        let host = format!("{}.localhost:", self.case.slug);
        state
            .tabs
            .iter()
            .flat_map(|tab| tab.tools.iter().map(move |tool| (tab, tool)))
            .find(|(tab, tool)| {
                let here = tool.page.url.contains(&host) || tab.url.contains(&host);
                here && tool.name == name && tool.page.url.ends_with(path)
            })
            .map(|(_, tool)| tool.clone())
    }

    /// Whether an act ran that no step has named yet.
    pub fn next_is_there(&self) -> bool {
        self.acts().len() > self.counted
    }

    /// That act.
    pub fn next_act(&mut self) -> Option<Arrived> {
        let act = self.acts().get(self.counted).cloned();
        self.counted += usize::from(act.is_some());
        act
    }

    /// What the case has to be at its end, seen from outside.
    pub async fn ended(&mut self) -> Seen {
        for pressing in std::mem::take(&mut self.pressing) {
            let _ = pressing.await;
        }
        let open = |state: &DeskState| self.mine(state).into_iter().filter(|card| card.state.is_open());
        let left = open(&self.rig.desk.state())
            .map(|card| summary(&card))
            .collect::<Vec<_>>();
        if !left.is_empty() {
            return wrong(format!("the case ended with this still held: {left:?}"));
        }
        self.until("every release to have its outcome", |_| {
            let rows = self.rows();
            let count = |kind| rows.iter().filter(|row| row.kind == kind).count();
            (count(RowKind::Released) == count(RowKind::Outcome)).then_some(())
        })
        .await?;
        self.nothing_got_through()?;
        let acts = self.acts();
        if let Some(act) = acts.get(self.counted) {
            return Err(Fault::Breach(format!(
                "`{}` ran and no step expected it",
                shortened(&act.text)
            )));
        }
        self.record_agrees(acts.len())
    }

    fn record_agrees(&self, ran: usize) -> Seen {
        let rows = self.rows();
        let of = |kind| rows.iter().filter(move |row| row.kind == kind);
        let released = of(RowKind::Released).count();
        let outcomes: Vec<_> = of(RowKind::Outcome)
            .map(|row| {
                (
                    row.data["outcome"].as_str().unwrap_or_default(),
                    row.data["ran"].as_bool(),
                )
            })
            .collect();
        let all = |outcome: &str, ran: Option<bool>| outcomes.iter().all(|one| *one == (outcome, ran));
        let agrees = match self.case.end {
            End::NotHeld => ran > 0,
            End::Never => released == 0 && ran == 0,
            End::Changed => released == 0 && ran == 0 && self.has_row(RowKind::ChangedUnreleased, ""),
            End::Released => released > 0 && ran == released && all("committed", Some(true)),
            End::NotRun => released == 1 && ran == 0 && all("failed", Some(false)),
            End::Nothing => ran == 0 && all("failed", Some(false)),
            End::NothingSeen => {
                ran == 0
                    && outcomes
                        .iter()
                        .all(|(outcome, ran)| *outcome != "committed" && *ran != Some(true))
            }
            End::Failed => released == 1 && ran == 1 && all("failed", Some(true)),
            End::Unknown => released == 1 && ran <= 1 && all("unknown", None),
        };
        if agrees {
            return Ok(());
        }
        let words = format!("{ran} ran, {released} released, recorded as {outcomes:?}");
        Err(Fault::Breach(format!("the record is not what happened: {words}")))
    }
}

/// A proposal in one line.
pub fn summary(card: &Proposal) -> String {
    let what = match &card.act {
        Act::Tool { tool, canonical, .. } => format!("{} {canonical}", tool.name),
        Act::Network { request } => format!("{} {}", request.method, request.url),
    };
    let state = match &card.state {
        ProposalState::Held { .. } => "held".to_owned(),
        other => format!("{other:?}"),
    };
    format!("{} {}: {}", card.id, shortened(&what), shortened(&state))
}

pub fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(160).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
