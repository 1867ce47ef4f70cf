mod close;
mod decide;
mod describe;
mod intake;
mod photographed;
mod propose;
mod release;
mod screen;
mod settle;
mod standing;

use std::collections::{HashMap, HashSet};

use countersign_contract::{HeldRef, MarkedRead, ProposalId, ProposalState, RowDraft, Tool};
use serde_json::Value;

pub use release::{Held, Press, ReleaseDraft};
pub use settle::Ended;
pub use standing::RuleDraft;

use crate::arming::Eye;
use crate::clients::Clients;
use crate::descriptor::Descriptors;
use crate::digest::canonical_arguments;
use crate::entry::{Entry, Phase};
use crate::governor::Governor;
use crate::rules::{LastReleased, Rules};
use crate::{At, GateError, Level, ReadPass, Recall, level};
use intake::Refusal;

/// The gate's measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Milliseconds a card must have been in view, unchanged, before release can be pressed.
    pub arming_ms: u64,
    /// Milliseconds until a proposal expires by itself.
    pub hold_ms: u64,
    /// How many settled proposals the screens keep.
    pub keep_settled: usize,
    /// How many proposals of one origin can be open.
    pub open_per_origin: usize,
    /// How many asks one source may make at once before it is stopped.
    pub burst: u32,
    /// Milliseconds until a source may make one more.
    pub refill_ms: u64,
    /// Release and edit are dead when the approval window says it is driven by UI automation.
    pub refuse_automated: bool,
}

impl Default for Policy {
    /// Half a second, an hour, 200, 50, and 20 at once with one more every 3 seconds; automation is refused.
    fn default() -> Self {
        Self {
            arming_ms: 500,
            hold_ms: 3_600_000,
            keep_settled: 200,
            open_per_origin: 50,
            burst: 20,
            refill_ms: 3_000,
            refuse_automated: true,
        }
    }
}

/// A proposal that was closed without a decision: what it is called, its row for the ledger, and, when a door holds its
/// call, the handle to answer.
pub type Closed = (ProposalId, RowDraft, Option<HeldRef>);

/// Every proposal of this run, and the only maker of [`ReadPass`] and [`crate::Ticket`].
#[derive(Debug)]
pub struct Gate {
    pub(crate) policy: Policy,
    last: u64,
    entries: HashMap<ProposalId, Entry>,
    pub(crate) eye: Eye,
    /// Digest and origin of tools that were caught.
    lying_digests: HashSet<(String, String)>,
    /// Name and origin of the same: a lie told again in other words is the same lie.
    lying_names: HashSet<(String, String)>,
    /// Tools that the person takes for reads.
    marked_reads: Vec<MarkedRead>,
    closings: u64,
    rules: Rules,
    /// The definition each tool had when it was last released, by origin and name.
    released: HashMap<(String, String), LastReleased>,
    /// How often an act was refused in a task.
    refusals: HashMap<Refusal, u32>,
    governor: Governor,
    /// When every write tool was withdrawn from agents.
    writes_revoked: Option<String>,
    descriptors: Descriptors,
    pub(crate) clients: Clients,
    /// Who was turned away for what, as far as the ledger has it.
    turned_away: HashSet<String>,
}

impl Gate {
    /// An empty gate. `last_proposal` is the largest number a proposal of this ledger has had; 0 for none.
    pub fn new(policy: Policy, last_proposal: u64) -> Self {
        Self {
            policy,
            last: last_proposal,
            entries: HashMap::new(),
            eye: Eye::new(policy.arming_ms),
            lying_digests: HashSet::new(),
            lying_names: HashSet::new(),
            marked_reads: Vec::new(),
            closings: 0,
            rules: Rules::default(),
            released: HashMap::new(),
            refusals: HashMap::new(),
            governor: Governor::default(),
            writes_revoked: None,
            descriptors: Descriptors::default(),
            clients: Clients::default(),
            turned_away: HashSet::new(),
        }
    }

    /// Takes over what earlier runs left in the ledger: rules and pairings that outlive a restart, and what was released of each tool.
    pub fn recall(&mut self, recall: Recall, at: &At) {
        let (rules, released, clients) = recall.into_parts(at);
        (self.rules, self.released, self.clients) = (rules, released, clients);
    }

    /// How long proposals are held from now on, in milliseconds; those that wait keep their time.
    pub fn hold_for(&mut self, hold_ms: u64) {
        self.policy.hold_ms = hold_ms;
    }

    /// What a tool's own definition makes it; see [`level`].
    pub fn level(tool: &Tool) -> Level {
        level(tool)
    }

    /// The tools of the relay's pages that the person takes for reads from now on; all others count as what they say.
    pub fn mark_reads(&mut self, marked: Vec<MarkedRead>) {
        self.marked_reads = marked;
    }

    /// Whether the person takes this tool for a read, though it does not say so itself.
    pub fn is_marked(&self, tool: &Tool) -> bool {
        self.marked_reads.iter().any(|mark| mark.is_about(tool))
    }

    /// What a call of `tool` counts as here: a read that was caught lying is a write.
    pub fn classify(&self, tool: &Tool) -> Level {
        if self.is_caught(tool) {
            Level::Write
        } else if self.is_marked(tool) {
            Level::Read
        } else {
            level(tool)
        }
    }

    /// A tool that calls itself a read was seen sending something else: with this digest on this origin it counts as a
    /// write from now on.
    pub fn caught_lying(&mut self, tool_digest: &str, origin: &str) {
        self.lying_digests.insert((tool_digest.into(), origin.into()));
    }

    /// Leave to run a read, once.
    ///
    /// # Errors
    /// [`GateError::NotARead`], or [`GateError::BadArguments`].
    pub fn read(&self, tool: &Tool, arguments: &Value) -> Result<ReadPass, GateError> {
        if self.classify(tool) != Level::Read {
            return Err(GateError::NotARead {
                tool: tool.name.clone(),
            });
        }
        Ok(ReadPass {
            tool: tool.clone(),
            arguments: canonical_arguments(arguments)?,
        })
    }

    fn is_caught(&self, tool: &Tool) -> bool {
        let origin = &tool.page.origin;
        self.lying_digests.contains(&(tool.digest.clone(), origin.clone()))
            || self.lying_names.contains(&(tool.name.clone(), origin.clone()))
    }

    /// A proposal that the callers and screens know of.
    fn recorded_mut(&mut self, id: &ProposalId) -> Result<&mut Entry, GateError> {
        self.entries
            .get_mut(id)
            .filter(|entry| entry.is_recorded())
            .ok_or_else(|| GateError::NotFound(id.clone()))
    }

    /// One that still waits for a decision.
    fn held_mut(&mut self, id: &ProposalId) -> Result<&mut Entry, GateError> {
        let entry = self.recorded_mut(id)?;
        if entry.phase.is_held() {
            Ok(entry)
        } else {
            Err(not_held(entry))
        }
    }

    /// Settles a proposal for good, and drops the oldest settled ones that are too many.
    fn end(&mut self, id: &ProposalId, phase: Phase) {
        self.closings += 1;
        if let Some(entry) = self.entries.get_mut(id) {
            entry.phase = phase;
            entry.closed = self.closings;
        }
        let mut over: Vec<_> = self
            .entries
            .values()
            .filter(|entry| entry.phase.is_over())
            .map(|entry| (entry.closed, entry.id.clone()))
            .collect();
        over.sort_unstable();
        for (_, id) in over.iter().take(over.len().saturating_sub(self.policy.keep_settled)) {
            self.entries.remove(id);
        }
    }
}

fn not_held(entry: &Entry) -> GateError {
    let how = match entry.phase.state() {
        ProposalState::Held { .. } => "it is held",
        ProposalState::Releasing => "its release is on its way",
        ProposalState::Released => "it was released and is running",
        ProposalState::Committed { .. } => "it was released and has run",
        ProposalState::Failed { ran: true, .. } => "it was released and failed",
        ProposalState::Failed { ran: false, .. } => "it was released and did not run",
        ProposalState::PageGate { .. } => "it was released, and a gate of the page's own answered",
        ProposalState::Unknown { .. } => "it was released, and nobody saw how it ended",
        ProposalState::Granted { .. } => "one use was granted",
        ProposalState::Refused { .. } => "it was refused",
        ProposalState::Expired { .. } => "it expired, and nothing ran",
        ProposalState::Withdrawn => "its caller took it back, and nothing ran",
        ProposalState::PageGone { .. } => "its page is gone, and nothing ran",
    };
    GateError::NotHeld {
        proposal: entry.id.clone(),
        how: how.into(),
    }
}
