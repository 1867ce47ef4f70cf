use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Whose words make a card readable. The closest one counts: the person's before Countersign's before the page's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum NamedBy {
    /// The person added the descriptor in the settings.
    Person,
    /// The descriptor came with the app.
    Countersign,
    /// The page carried it in the answer of its preview.
    Page,
}

/// What a descriptor makes of one card. It stands beside the exact arguments and never in place of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Reading {
    /// Whose descriptor.
    pub by: NamedBy,
    /// The members of the arguments that it names.
    pub members: Vec<NamedMember>,
    /// The changes of the preview that it names.
    pub changes: Vec<NamedChange>,
    /// Where the descriptor does not fit this card, in words; none of it is used there.
    pub misfits: Vec<String>,
}

/// One member of the arguments in the words of a descriptor. Untrusted text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct NamedMember {
    /// Where it stands: a JSON pointer (RFC 6901).
    pub pointer: String,
    /// What it is called.
    pub label: String,
    /// The value in words, such as `19.90 EUR`; absent when it is best read as it is.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
}

/// One change of a preview in the words of a descriptor. Untrusted text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct NamedChange {
    /// The path of the change it is about.
    pub path: String,
    /// What it is called.
    pub label: String,
    /// The value before in words.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after in words.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A descriptor that is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct DescriptorRef {
    /// Whose it is.
    pub by: NamedBy,
    /// The origin it is for.
    pub origin: String,
    /// The tool it is for.
    pub tool: String,
}
