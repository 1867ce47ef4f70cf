use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{ClientId, Fingerprint, Ingress, ProposalId, ToolKey};

/// A rule's name: `r` and a number that is never used again in one ledger.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[ts(export_to = "contract.ts")]
pub struct RuleId(pub String);

impl std::fmt::Display for RuleId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a rule does with an ask it covers. Where several cover one ask, the first of these wins: refuse, hide, allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum Effect {
    /// Turned away at once, with the rule's words.
    Refuse,
    /// The tool does not exist for agents, until one exact call of it is granted.
    Hide,
    /// Released without a press, once everything else a release needs is there.
    Allow,
}

/// How long a rule lives, whatever else ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum Lasts {
    /// Until the task ends: the panel's conversation, an outside client's session, a page's document.
    Task,
    /// Until Countersign ends.
    Session,
    /// Until it is revoked; a restart keeps it.
    Always,
}

/// Which arguments a rule covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "covers")]
#[ts(export_to = "contract.ts")]
pub enum ArgumentPattern {
    /// Any arguments.
    Any,
    /// These and no others.
    Exactly {
        /// Canonical JSON (RFC 8785).
        canonical: String,
    },
    /// Objects all of whose members are named here and pass. A member that is not named makes it another call.
    Members {
        /// At most one for each name.
        members: Vec<MemberPattern>,
    },
}

/// What one member of the arguments may be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct MemberPattern {
    /// The member's name.
    pub name: String,
    /// The test it has to pass. An absent member passes only [`MemberTest::Any`].
    pub test: MemberTest,
}

/// A test of one value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "is")]
#[ts(export_to = "contract.ts")]
pub enum MemberTest {
    /// Whatever it is, and absent as well.
    Any,
    /// This very value.
    Same {
        /// The value.
        value: Value,
    },
    /// A number from zero up to this one.
    AtMost {
        /// A JSON number.
        value: Value,
    },
}

/// A rule as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Rule {
    /// Its name.
    pub id: RuleId,
    /// What it does.
    pub effect: Effect,
    /// The origin of the pages it covers.
    pub origin: String,
    /// The name of the tool.
    pub tool: String,
    /// The digest of the one definition it covers; absent for any definition of that name. An allowing rule always has one.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_digest: Option<String>,
    /// The arguments it covers.
    pub arguments: ArgumentPattern,
    /// Whose asks it covers; absent for everybody's. An allowing rule always has one.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ingress: Option<Ingress>,
    /// The MCP client whose asks it covers. A rule about the asks of MCP clients always has one.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
    /// The page said what would change on the card it was made on. An ask without such a preview is not covered then.
    pub previewed: bool,
    /// How long it lives.
    pub lasts: Lasts,
    /// The task it is for, when it lasts as long as one.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// How often it may be used in all; absent for as often as it likes.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// How often it was used; for a rule that refuses, since Countersign was started.
    pub uses: u32,
    /// When it was used last.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// When it was made.
    pub made_at: String,
    /// When it ends by itself; absent when only its life does.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The card it was made on.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_on: Option<ProposalId>,
    /// The person's words for whoever is turned away; may be empty.
    pub reason: String,
}

/// A rule to be made together with a decision, for the asks after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct NewRule {
    /// How long it lives.
    pub lasts: Lasts,
    /// The arguments it covers; the card it is made on must be among them.
    pub arguments: ArgumentPattern,
    /// How often it may be used; absent for as often as it likes. Only for an allowing rule.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Minutes until it ends by itself; absent for never. Only for an allowing rule.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
}

/// Whether a card may be made into an allowing rule. Only what is honoured is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum Standing {
    /// It may.
    Offered,
    /// It may not.
    NotOffered {
        /// Why, as a whole sentence.
        why: String,
    },
}

/// What releasing a card does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum Releases {
    /// The act runs.
    Run,
    /// Nothing runs yet: a hidden tool is there for one call with exactly these arguments, and then gone again.
    OneUse,
}

/// A source of asks that was stopped because it asked without end. What it asked before still waits for a decision; what it
/// asks now is turned away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Pause {
    /// The origin of the pages whose tools were asked for.
    pub origin: String,
    /// The way the asks came in.
    pub ingress: Ingress,
    /// Which MCP client, where it is one.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
    /// What the caller called itself.
    pub caller: String,
    /// How many asks of it still wait.
    pub waiting: u32,
    /// How many were turned away since it was stopped.
    pub turned_away: u32,
    /// When it was stopped.
    pub since: String,
    /// Why, as a whole sentence.
    pub why: String,
}

/// `approval_resume`: hear a stopped source again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ResumeParams {
    /// As in [`Pause::origin`].
    pub origin: String,
    /// As in [`Pause::ingress`].
    pub ingress: Ingress,
    /// As in [`Pause::client`].
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
}

/// `approval_refuse_all`: refuse several at once. Each gets a row of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RefuseAllParams {
    /// Which ones; those that are decided already are left alone.
    pub proposals: Vec<ProposalId>,
    /// Words for the callers; may be empty.
    pub reason: String,
    /// What was measured of the press.
    pub fingerprint: Fingerprint,
}

/// `revoke_rule`: end a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RevokeRuleParams {
    /// Which one; absent for all of them but those that hide a tool.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleId>,
}

/// `revoke_writes`: withdraw every write tool from every agent, or restore them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct RevokeWritesParams {
    /// Withdraw, or restore.
    pub revoked: bool,
}

/// `hide_tool`: the tool does not exist for agents from now on. Ended like any other rule, with [`RevokeRuleParams`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct HideToolParams {
    /// The tool.
    pub tool: ToolKey,
}

/// `grant_once`: put one exact call of a hidden tool on the desk, so that the approval window can grant one use of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct GrantOnceParams {
    /// The tool.
    pub tool: ToolKey,
    /// A JSON object.
    pub arguments: Value,
}
