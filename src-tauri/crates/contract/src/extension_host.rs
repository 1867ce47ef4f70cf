use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::SetupChange;

/// A browser that the extension can run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum HostBrowser {
    /// Google Chrome.
    Chrome,
    /// Chromium.
    Chromium,
    /// Microsoft Edge.
    Edge,
    /// Brave.
    Brave,
}

impl HostBrowser {
    /// Every one, in the order of the screen.
    pub const ALL: [Self; 4] = [Self::Chrome, Self::Chromium, Self::Edge, Self::Brave];
}

/// How a browser's file for Countersign stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum HostState {
    /// There is none.
    None,
    /// It is the one that this app writes.
    Ours,
    /// It starts `countersign-bridge`, but not this one, or not for this extension.
    Stale {
        /// What it starts. Untrusted text.
        program: String,
    },
    /// It is not Countersign's. It is replaced only when that is asked for, and never removed.
    Foreign {
        /// What it starts, as far as it says so. Untrusted text.
        program: String,
    },
    /// The file is not touched.
    Unreadable {
        /// Why, and what to do.
        why: String,
    },
}

/// One browser, and what can be done for it: whether it may start Countersign's program for the extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct ExtensionHost {
    /// The browser.
    pub browser: HostBrowser,
    /// Something of it is in this account's folders. It may be left over from an earlier time.
    pub found: bool,
    /// The file it reads.
    pub path: String,
    /// How the file stands.
    pub standing: HostState,
    /// What connecting would write; absent when it is connected, not found, or cannot be written.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add: Option<SetupChange>,
    /// What disconnecting would take away, which is the whole file; absent when it is not Countersign's.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove: Option<SetupChange>,
}

/// `write_extension_host`: write or remove what was shown, and nothing else. It gets the list anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct WriteExtensionHostParams {
    /// The browser.
    pub browser: HostBrowser,
    /// Remove the file instead of writing it.
    pub remove: bool,
    /// Replace a file that is not Countersign's.
    pub replace: bool,
    /// [`SetupChange::digest`] of what was shown.
    pub digest: String,
}
