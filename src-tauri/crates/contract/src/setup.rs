use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A program that can be set up from here to reach the app as an MCP client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum SetupClient {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Codex: the command line, the extension and the app share one file.
    Codex,
    /// Visual Studio Code, its default profile.
    VsCode,
    /// Cursor.
    Cursor,
    /// Goose.
    Goose,
}

impl SetupClient {
    /// Every one, in the order of the screen.
    pub const ALL: [Self; 6] = [
        Self::ClaudeDesktop,
        Self::ClaudeCode,
        Self::Codex,
        Self::VsCode,
        Self::Cursor,
        Self::Goose,
    ];
}

/// How a client's file stands to Countersign now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum SetupState {
    /// It has no entry named `countersign`, or there is no file.
    Absent,
    /// Its entry starts this very program.
    Same,
    /// Its entry starts something else, such as a Countersign that stood elsewhere.
    Other {
        /// What it starts, as the file has it, with its arguments; empty when it starts nothing. Untrusted text.
        program: String,
    },
    /// The file is not touched.
    Unreadable {
        /// Why, and what to do.
        why: String,
    },
}

/// What writing would do to a client's file: the lines that differ, with those next to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct SetupChange {
    /// The first line of both texts, counted from 1.
    pub line: u32,
    /// The lines as they are. Untrusted text.
    pub before: String,
    /// The lines as they would be.
    pub after: String,
    /// SHA-256 of where the file is, what it holds, and what it would hold.
    pub digest: String,
}

/// One client, and what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ClientSetup {
    /// The client.
    pub client: SetupClient,
    /// Its file; absent when it is not known which one it reads.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Something of the client is in this account's folders. It may be left over from an earlier time.
    pub installed: bool,
    /// How the file stands.
    pub standing: SetupState,
    /// What setting it up would do; absent when it is set up, or when it cannot be written.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add: Option<SetupChange>,
    /// What removing the entry would do; absent when there is none, or when it cannot be written.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove: Option<SetupChange>,
    /// Why something that could be wanted is not offered: nothing is written here then.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What to put into the file by hand.
    pub by_hand: String,
}

/// `write_client_setup`: write what was shown, and nothing else. It gets the list anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct WriteClientSetupParams {
    /// The client.
    pub client: SetupClient,
    /// Remove the entry instead of writing it.
    pub remove: bool,
    /// [`SetupChange::digest`] of what was shown.
    pub digest: String,
}
