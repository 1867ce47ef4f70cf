use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{
    Caller, Change, Cost, Fingerprint, Grade, Measured, PageRef, Preview, Reading, Releases, RuleId, Standing, Tool,
};

/// A proposal's name: `p` and a number that is never used again in one ledger.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[ts(export_to = "contract.ts")]
pub struct ProposalId(pub String);

impl std::fmt::Display for ProposalId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is being held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[ts(export_to = "contract.ts")]
pub enum Act {
    /// A call of a tool.
    Tool {
        /// The tool, exactly as it was defined when it was asked for.
        tool: Box<Tool>,
        /// The arguments, for reading.
        arguments: Value,
        /// The arguments in canonical form (RFC 8785): what is shown, hashed and executed.
        canonical: String,
    },
    /// A request that a tool which claims to be a read tried to send.
    Network {
        /// The request.
        request: NetworkRequest,
    },
}

/// A request paused in the browser, or something held on a socket that was open already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct NetworkRequest {
    /// `POST`, `PUT`…; on a socket `SEND`, or `CLOSE` for a close with a code or a reason; `OPEN` for an opening that was refused.
    pub method: String,
    /// Where it would go.
    pub url: String,
    /// Its body as text, if it has one that is text.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The body's length in bytes, as far as it is known; never 0 when there is a body.
    #[ts(type = "number")]
    pub body_bytes: u64,
    /// CDP `resourceType`, such as `Fetch` or `Ping`; `WebSocket` or `WebTransport` for what is not a request.
    pub resource: String,
    /// The tool that was running and called itself a read, if it is known.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub during: Option<String>,
}

/// How a proposal stands. Only `Held` and `Releasing` can still be decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum ProposalState {
    /// Waiting for a decision. Nothing has run.
    #[serde(rename_all = "camelCase")]
    Held {
        /// Put at the back of the queue; still held.
        set_aside: bool,
    },
    /// Release was pressed; the page is being asked again and the row is being written.
    Releasing,
    /// The release is durable and the act has been sent to the page.
    Released,
    /// The act ran.
    Committed {
        /// What came back. Untrusted text.
        result: String,
        /// SHA-256 of it.
        digest: String,
    },
    /// Released, and it failed.
    Failed {
        /// The page's words when it ran, ours when it did not.
        message: String,
        /// Whether it ran: `false` when it certainly never started.
        ran: bool,
    },
    /// The call came back, and a gate of the page's own had answered in the tool's place: the write has neither succeeded nor failed.
    PageGate {
        /// What that gate says.
        gate: PageGate,
        /// What came back. Untrusted text.
        result: String,
        /// SHA-256 of it.
        digest: String,
    },
    /// The act was released and nobody saw how it ended. Never run again by itself.
    Unknown {
        /// What is known.
        message: String,
    },
    /// Nothing ran; one use of the tool was granted, for exactly these arguments.
    Granted {
        /// The rule that allows it.
        rule: RuleId,
    },
    /// Refused, with the reason that was given to the caller.
    Refused {
        /// The person's words; may be empty.
        reason: String,
    },
    /// Nobody decided in time, or the app ended while it was held.
    Expired {
        /// Which of the two.
        message: String,
    },
    /// The caller took it back.
    Withdrawn,
    /// The page that offered the tool is not there any more.
    PageGone {
        /// What happened to it.
        message: String,
    },
}

/// How a gate of the page's own stands to a released write, in the page's word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "says")]
#[ts(export_to = "contract.ts")]
pub enum PageGate {
    /// It waits for somebody at the page, and may still run.
    Waiting {
        /// The page's own name for what waits, such as `p7`.
        #[ts(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
    },
    /// It was declined there.
    Declined {
        /// The page's reason, if it gives one.
        #[ts(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Nobody decided there in time.
    Expired,
    /// Nobody there could be asked.
    NotAsked,
}

impl ProposalState {
    /// Nothing has run and nothing is decided.
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Held { .. } | Self::Releasing)
    }

    /// No further change can come.
    pub const fn is_settled(&self) -> bool {
        !matches!(self, Self::Held { .. } | Self::Releasing | Self::Released)
    }
}

/// How much a risk weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum RiskLevel {
    /// Worth knowing.
    Note,
    /// Worth a second look.
    Caution,
    /// Must be acknowledged one by one before release.
    Critical,
}

/// Something a person should know before releasing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Risk {
    /// Stable name, such as `preview.unavailable`; the page's own are `page.<n>`.
    pub id: String,
    /// Its weight.
    pub level: RiskLevel,
    /// In words for a person.
    pub text: String,
    /// How it is known.
    pub grade: Grade,
}

/// Something that moved between what was shown and the click.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Moved {
    /// What moved, such as `cost` or `definition`.
    pub what: String,
    /// As it was shown.
    pub before: String,
    /// As it is now.
    pub after: String,
}

/// Whether release can be pressed. The rule is the gate's; the window only draws it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum Arming {
    /// The card is not on screen, or its window is not active.
    Unseen,
    /// On screen; `remaining_ms` to go.
    #[serde(rename_all = "camelCase")]
    Arming {
        /// Milliseconds until it can be pressed.
        #[ts(type = "number")]
        remaining_ms: u64,
    },
    /// Can be pressed.
    Armed,
    /// Cannot be pressed however long one waits.
    Dead {
        /// Why.
        why: String,
    },
}

/// A proposal as the screens see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Proposal {
    /// Its name.
    pub id: ProposalId,
    /// 1, and one more for each edit.
    pub version: u32,
    /// What is held.
    pub act: Act,
    /// What releasing it does.
    pub releases: Releases,
    /// Where.
    pub page: PageRef,
    /// Who asked.
    pub caller: Caller,
    /// How well the ask is known: the caller's grade.
    pub grade: Grade,
    /// What was seen of the event that led to the ask.
    pub fingerprint: Fingerprint,
    /// How it stands.
    pub state: ProposalState,
    /// What it would change.
    pub preview: Preview,
    /// What it would cost; `None` when nobody said.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// What a descriptor makes of it; `None` when nobody describes the tool.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// What a person should know, heaviest first.
    pub risks: Vec<Risk>,
    /// What moved at the last press of release; empty when nothing did.
    pub moved: Vec<Moved>,
    /// What was measured of it once it had been released; `None` when no read was put beside it, or it has not ended yet.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// What an edit changed, against the first version.
    pub edits: Vec<Change>,
    /// How the tool's definition differs from the one that was last released under its name; empty when it does not, or when
    /// none ever was.
    pub redefined: Vec<Moved>,
    /// Whether the asks after this one may be allowed along with it.
    pub standing: Standing,
    /// The rule that releases it, or has.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_rule: Option<RuleId>,
    /// SHA-256 of the arguments (or of the request).
    pub arguments_digest: String,
    /// SHA-256 over everything on the card: a decision must name it.
    pub digest: String,
    /// Whether release can be pressed.
    pub arming: Arming,
    /// When it was asked.
    pub asked_at: String,
    /// When it expires by itself.
    pub expires_at: String,
    /// The sequence number of its `proposed` row.
    #[ts(type = "number")]
    pub row: u64,
}
