use std::path::{Path, PathBuf};

use countersign_contract::Settings;
use tempfile::TempDir;

/// The folders of one person's account: data, configuration, cache. Outlives the app, so that it can be started again.
pub struct Home {
    folder: TempDir,
}

impl Home {
    /// An account in which Countersign has never been started.
    ///
    /// # Panics
    /// When no folder can be made.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("countersign-")
            .tempdir()
            .expect("a temporary folder can be made");
        for name in ["data", "config", "cache"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder can be made in it");
        }
        Self { folder }
    }

    /// Where the app keeps its things.
    pub fn app_data(&self) -> PathBuf {
        self.data().join("dev.countersign.desk")
    }

    /// The folder of the ledger.
    pub fn ledger(&self) -> PathBuf {
        self.app_data().join("ledger")
    }

    /// Every file below the account whose bytes hold this text.
    pub fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if std::fs::read(&path)
                    .is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
                {
                    found.push(path);
                }
            }
        }
        found
    }

    /// The environment that makes a program use this account.
    pub fn environment(&self) -> [(&'static str, PathBuf); 4] {
        [
            ("XDG_DATA_HOME", self.data()),
            ("XDG_CONFIG_HOME", self.folder.path().join("config")),
            ("XDG_CACHE_HOME", self.folder.path().join("cache")),
            ("COUNTERSIGN_EXAMPLE_LOG", self.shop_log()),
        ]
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn shop_log(&self) -> PathBuf {
        self.folder.path().join("shop.jsonl")
    }

    pub(crate) fn app_log(&self) -> PathBuf {
        self.folder.path().join("app.log")
    }

    /// Writes the settings the way the app stores them.
    pub(crate) fn write_settings(&self, settings: &Settings) {
        write(
            &self.app_data().join("settings.json"),
            &serde_json::json!({ "settings": settings }).to_string(),
        );
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a file has a folder");
    std::fs::create_dir_all(folder).expect("a folder can be made in a temporary folder");
    std::fs::write(path, text).expect("a file can be written in a temporary folder");
}
