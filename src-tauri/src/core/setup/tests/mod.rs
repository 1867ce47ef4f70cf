mod any;
mod files;
mod json;
mod state;
mod toml;
mod where_they_are;
mod yaml;

use std::path::{Path, PathBuf};

use countersign_contract::{ClientSetup, Code, ErrorView, SetupClient, SetupState, WriteClientSetupParams};

use super::format::entry;
use super::places::System;
use super::{Places, client_setups, write_client_setup};

const PROGRAM: &str = "/opt/countersign/countersign-bridge";

/// An account of its own on a real disk.
struct Account {
    home: tempfile::TempDir,
    places: Places,
}

impl Account {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let places = Places::below(home.path(), System::Linux);
        Self { home, places }
    }

    fn with(client: SetupClient, text: &str) -> Self {
        let account = Self::new();
        account.put(client, text);
        account
    }

    fn file(&self, client: SetupClient) -> PathBuf {
        self.places.of(client).file.expect("one file")
    }

    fn put(&self, client: SetupClient, text: &str) {
        let file = self.file(client);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder");
        std::fs::write(file, text).expect("the file");
    }

    fn text(&self, client: SetupClient) -> String {
        std::fs::read_to_string(self.file(client)).expect("the file")
    }

    fn look(&self, client: SetupClient) -> ClientSetup {
        let all = client_setups(&self.places, PROGRAM);
        all.into_iter()
            .find(|one| one.client == client)
            .expect("every client is listed")
    }

    fn write(&self, client: SetupClient, remove: bool) -> Result<(), ErrorView> {
        let look = self.look(client);
        let change = if remove { look.remove } else { look.add };
        let digest = change.map(|change| change.digest).unwrap_or_default();
        self.write_what_was(client, remove, &digest)
    }

    fn write_what_was(&self, client: SetupClient, remove: bool, digest: &str) -> Result<(), ErrorView> {
        let digest = digest.to_owned();
        write_client_setup(
            &self.places,
            PROGRAM,
            &WriteClientSetupParams { client, remove, digest },
        )
    }

    fn add(&self, client: SetupClient) -> String {
        self.write(client, false).expect("it is written");
        self.text(client)
    }

    fn remove(&self, client: SetupClient) -> String {
        self.write(client, true).expect("it is written");
        self.text(client)
    }
}

/// What is there after adding, having looked that removing gives the bytes back.
fn added(client: SetupClient, before: &str) -> String {
    let account = Account::with(client, before);
    let after = account.add(client);
    assert_eq!(account.look(client).standing, SetupState::Same, "{after}");
    assert_eq!(account.remove(client), before, "removing gives the bytes back");
    after
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder").flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
