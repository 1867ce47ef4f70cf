use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where a page keeps what it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum StorageArea {
    /// `localStorage`.
    LocalStorage,
    /// `sessionStorage`.
    SessionStorage,
    /// Cookies that a script wrote; what a server sets is not seen.
    Cookies,
    /// An object store of IndexedDB.
    IndexedDb,
    /// `caches`.
    CacheStorage,
}

/// What became of something that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum StorageAct {
    /// It was not there before.
    Added,
    /// It has another value.
    Updated,
    /// It is not there any more.
    Removed,
    /// Everything in the area was removed.
    Cleared,
    /// Something in it was written or removed; the browser does not say what.
    Written,
}

/// One thing that changed in what a page keeps in the browser. Never a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct StorageChange {
    /// Where.
    pub area: StorageArea,
    /// The key, the cookie's name, `database/store`, or the cache's name (empty when one was made or deleted). The
    /// page's own text, cut at 200 characters.
    pub key: String,
    /// What became of it.
    pub act: StorageAct,
    /// SHA-256 of the value it had, where the browser says what it was.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// SHA-256 of the value it has now, where the browser says what it is.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Something a person should see that asks for no decision. One notice for each subject: a newer one takes its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[ts(export_to = "contract.ts")]
pub enum Notice {
    /// A tool that says it only reads changed what its page keeps in the browser. It could not be held.
    ChangedUnreleased {
        /// The tool's name.
        tool: String,
        /// Its page's origin.
        origin: String,
        /// What changed the last time.
        changes: Vec<StorageChange>,
        /// How often it was seen since the app started.
        times: u32,
        /// It can only have been that tool's page while the tool ran, so the tool counts as a write from now on. Otherwise
        /// something else may have done it: another page of the site, a service worker, a timer.
        certain: bool,
        /// When it was seen last.
        at: String,
    },
}
