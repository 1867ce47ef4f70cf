use countersign_contract::{Caller, Fingerprint, HeldRef, NetworkRequest, PageRef, Tool, ToolSource};
use serde_json::Value;

/// A write, as it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Who asks.
    pub caller: Caller,
    /// Where.
    pub page: PageRef,
    /// For what.
    pub act: AskedAct,
    /// What was seen of the input event behind it.
    pub fingerprint: Fingerprint,
    /// The task it belongs to: the panel's conversation, an outside client's session, a page's document.
    pub task: String,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedAct {
    /// Call a tool.
    Call {
        /// The tool, as it is defined now.
        tool: Box<Tool>,
        /// A JSON object.
        arguments: Value,
    },
    /// Grant one use of a hidden tool, for exactly this call. Nothing runs when it is released.
    Grant {
        /// The tool, as it is defined now.
        tool: Box<Tool>,
        /// A JSON object.
        arguments: Value,
    },
    /// Let a call go that the page made and the door holds.
    HeldCall {
        /// The door's handle.
        held: HeldRef,
        /// The tool it called.
        tool: Box<Tool>,
        /// The arguments: the text of a JSON object.
        arguments: String,
    },
    /// Let a request go that the browser paused.
    HeldRequest {
        /// The door's handle.
        held: HeldRef,
        /// The tool that was running and called itself a read, if it is known. It counts as a lying read from now on.
        tool: Option<Box<Tool>>,
        /// The request.
        request: NetworkRequest,
    },
}

/// What a call of a tool counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Runs at once.
    Read,
    /// Is held.
    Write,
}

/// What a tool's own definition makes it. It reads only if it says so, does not also say it is consequential, and was
/// registered where the interceptor sees who calls it; name and description count for nothing.
pub fn level(tool: &Tool) -> Level {
    let hints = &tool.annotations;
    if hints.read_only && !hints.consequential && tool.source == ToolSource::Script {
        Level::Read
    } else {
        Level::Write
    }
}
