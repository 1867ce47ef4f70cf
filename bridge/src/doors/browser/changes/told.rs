//! What the browser tells of storage.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StorageItem {
    pub storage_id: StorageId,
    #[serde(default)]
    pub key: String,
    #[serde(default)]
    pub old_value: String,
    #[serde(default)]
    pub new_value: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StorageId {
    pub security_origin: Option<String>,
    pub storage_key: Option<String>,
    pub is_local_storage: bool,
}

impl StorageId {
    /// The origin; a storage key begins with it, and a slash follows.
    pub fn origin(&self) -> Option<String> {
        let of_key = || {
            Some(
                self.storage_key
                    .as_deref()?
                    .split('^')
                    .next()?
                    .trim_end_matches('/')
                    .to_owned(),
            )
        };
        self.security_origin.clone().or_else(of_key)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DatabaseWritten {
    pub origin: String,
    pub database_name: String,
    pub object_store_name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CacheWritten {
    pub origin: String,
    #[serde(default)]
    pub cache_name: String,
}
