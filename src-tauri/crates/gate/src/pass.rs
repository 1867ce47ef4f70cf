use countersign_contract::{HeldRef, NetworkRequest, ProposalId, Tool};

/// Leave to run one read, once. Only the gate makes one, and only for a tool whose definition says it reads.
#[derive(Debug)]
pub struct ReadPass {
    pub(crate) tool: Tool,
    pub(crate) arguments: String,
}

impl ReadPass {
    /// The tool, as it was defined when the pass was made.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// The arguments in canonical form.
    pub fn arguments(&self) -> &str {
        &self.arguments
    }
}

/// Leave to run one write, once. Only the gate makes one, and only from a durable `released` row of the same proposal. It
/// cannot be copied: whoever executes consumes it.
#[derive(Debug)]
pub struct Ticket {
    pub(crate) proposal: ProposalId,
    pub(crate) target: Target,
    pub(crate) nonce: String,
    pub(crate) row: u64,
}

/// What a ticket lets run.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Call this tool with these arguments (canonical form).
    Call {
        /// The tool that was shown.
        tool: Box<Tool>,
        /// Canonical JSON.
        arguments: String,
    },
    /// Let a call go that the page made and the door holds, with these arguments (canonical form).
    HeldCall {
        /// The door's handle.
        held: HeldRef,
        /// The tool that was shown.
        tool: Box<Tool>,
        /// Canonical JSON.
        arguments: String,
    },
    /// Let a request go that the browser paused.
    HeldRequest {
        /// The door's handle.
        held: HeldRef,
        /// The request that was shown.
        request: NetworkRequest,
    },
}

impl Ticket {
    /// The proposal it was released for.
    pub fn proposal(&self) -> &ProposalId {
        &self.proposal
    }

    /// What may run.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// 32 hex characters nobody can guess; correlates the call with the ticket inside the page.
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// The sequence number of the `released` row it was made from.
    pub fn row(&self) -> u64 {
        self.row
    }
}
