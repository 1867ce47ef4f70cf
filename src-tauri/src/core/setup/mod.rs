//! Setting Countersign up in the usual MCP clients: what would be written into which file is shown first, and only that is written.
//!
//! A text is changed at the places that its parser names and kept byte for byte elsewhere; then it is parsed again, and a change of
//! anything but the entry named `countersign` is refused. `docs/clients.md` says where each client keeps its file, and how we know.

mod file;
mod format;
mod json;
mod places;
mod splice;
mod toml;
mod tree;
mod yaml;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use countersign_contract::{
    ClientSetup, Code, ErrorView, SetupChange, SetupClient, SetupState, WriteClientSetupParams,
};
use countersign_ledger::sha256_hex;

use file::Found;
use format::Format;
pub use places::Places;
use tree::Tree;

/// Lines around a change that are shown with it.
const AROUND: usize = 2;

/// A client's file as it is, and what it would be.
struct Plan {
    client: SetupClient,
    file: Option<PathBuf>,
    installed: bool,
    state: SetupState,
    found: Option<Found>,
    add: Option<String>,
    remove: Option<String>,
    refused: Option<String>,
    by_hand: String,
}

/// Every client, as its file is now.
pub fn client_setups(places: &Places, program: &str) -> Vec<ClientSetup> {
    let plans = SetupClient::ALL.map(|client| Plan::of(client, places, program).view());
    plans.into()
}

/// Writes what was shown, and nothing else.
///
/// # Errors
/// When the file, or what would be written, is not what was shown any more, and when it cannot be written. Then it is as it was.
pub fn write_client_setup(places: &Places, program: &str, params: &WriteClientSetupParams) -> Result<(), ErrorView> {
    let plan = Plan::of(params.client, places, program);
    let refused = |why: &str| Err(ErrorView::new(Code::Settings, why));
    if let SetupState::Unreadable { why } = &plan.state {
        return refused(why);
    }
    let after = if params.remove { &plan.remove } else { &plan.add };
    match (after, &plan.found) {
        (Some(after), Some(found)) if digest(found, after) == params.digest => {
            file::write(found, after).map_err(|why| ErrorView::new(Code::Settings, why))
        }
        (None, _) if plan.refused.is_some() => refused(plan.refused.as_deref().unwrap_or_default()),
        _ => Err(ErrorView::new(
            Code::Stale,
            "The file has changed since it was shown. Nothing was written; look at the change again.",
        )),
    }
}

impl Plan {
    fn of(client: SetupClient, places: &Places, program: &str) -> Self {
        let place = places.of(client);
        let entry = format::entry(client, program);
        let mut plan = Self {
            client,
            file: place.file.clone().ok(),
            installed: place.installed,
            state: SetupState::Absent,
            found: None,
            add: None,
            remove: None,
            refused: None,
            by_hand: place.format.by_hand(place.container, &entry),
        };
        let read = place.file.and_then(|file| read(&file, &places.home, place.format));
        match read {
            Err(why) => plan.state = SetupState::Unreadable { why },
            Ok((found, tree)) => plan.change(found, &tree, place.format, place.container, &entry, program),
        }
        plan
    }

    fn change(&mut self, found: Found, tree: &Tree, format: Format, container: &str, entry: &Tree, program: &str) {
        let ours = tree.entry(container);
        self.state = match ours.map(|ours| format::starts(self.client, ours, program)) {
            None => SetupState::Absent,
            Some((_, true)) => SetupState::Same,
            Some((program, false)) => SetupState::Other { program },
        };
        self.refused = found
            .locked
            .as_ref()
            .map(|why| format!("{why} Countersign leaves it as it is."));
        if self.refused.is_none() {
            let text = found.text.as_deref().unwrap_or_default();
            let mut keep = |made: Result<String, String>| {
                made.map_err(|why| {
                    self.refused = Some(format!("The file is left as it is: {why}. You can change it by hand."));
                })
                .ok()
            };
            let add = (self.state != SetupState::Same).then(|| format.changed(text, container, Some(entry)));
            let remove = ours.map(|_| format.changed(text, container, None));
            (self.add, self.remove) = (add.and_then(&mut keep), remove.and_then(&mut keep));
        }
        self.found = Some(found);
    }

    fn view(self) -> ClientSetup {
        let found = self.found.as_ref();
        let change = |after: Option<String>| Some(shown(found?, &after?));
        ClientSetup {
            client: self.client,
            file: self.file.map(|file| file.display().to_string()),
            installed: self.installed,
            standing: self.state,
            add: change(self.add),
            remove: change(self.remove),
            refused: self.refused,
            by_hand: self.by_hand,
        }
    }
}

fn read(file: &Path, home: &Path, format: Format) -> Result<(Found, Tree), String> {
    let found = file::read(file, home)?;
    let tree = format.tree(found.text.as_deref().unwrap_or_default());
    let tree = tree.map_err(|why| {
        format!("The file cannot be understood: {why}. Mend it first; Countersign leaves it as it is.")
    })?;
    Ok((found, tree))
}

/// The lines that differ, with a few around them: a client's file can be long, and hold what is nobody's business here.
fn shown(found: &Found, after: &str) -> SetupChange {
    let before = found.text.as_deref().unwrap_or_default();
    let (one, other): (Vec<_>, Vec<_>) = (
        before.split_inclusive('\n').collect(),
        after.split_inclusive('\n').collect(),
    );
    let alike = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let left = one.len().min(other.len()) - alike;
    let ends = one.iter().rev().zip(other.iter().rev()).take(left);
    let ends = ends.take_while(|(one, other)| one == other).count();
    let start = alike.saturating_sub(AROUND);
    let piece = |lines: &[&str]| lines[start..(lines.len() - ends + AROUND).min(lines.len())].concat();
    SetupChange {
        line: u32::try_from(start + 1).unwrap_or(u32::MAX),
        before: piece(&one),
        after: piece(&other),
        digest: digest(found, after),
    }
}

/// Binds a press to one file, what it holds and what it would hold.
fn digest(found: &Found, after: &str) -> String {
    let parts = [found.path.to_str(), found.text.as_deref(), Some(after)];
    sha256_hex(serde_json::Value::from_iter(parts).to_string().as_bytes())
}
