//! The manifests that let a browser start `countersign-bridge` for the extension: where each browser looks, what stands there, and
//! writing or removing it. Form and places are those of Chrome's native messaging
//! (<https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging>).

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use countersign_contract::{ExtensionHost, HostBrowser, HostState, SetupChange, WriteExtensionHostParams};
use countersign_ledger::sha256_hex;
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// What the extension asks its browser for.
pub const HOST_NAME: &str = "dev.countersign.desk";
/// The extension's id, which follows from the key in its manifest.
pub const EXTENSION_ID: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// More than any manifest has.
const MOST_BYTES: u64 = 64 * 1024;

/// Why nothing was written.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostsError {
    /// The system keeps these elsewhere.
    #[error(
        "On Windows a browser looks in the registry for the programs that an extension may start, and Countersign does not write there yet. \
         docs/extension.md says how to do it by hand."
    )]
    Unsupported,
    /// Something stands in the way.
    #[error("{0}")]
    Refused(String),
    /// What is there is not what was shown.
    #[error("The file has changed since it was shown. Nothing was written; look at it again.")]
    Stale,
}

/// The folders of one account that browsers look in.
#[derive(Clone, Debug)]
pub struct HostPlaces {
    /// Nothing outside of it is written.
    home: PathBuf,
    /// Where the browsers keep their profiles.
    profiles: PathBuf,
    system: System,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Linux,
    MacOs,
}

impl HostPlaces {
    /// Those of the account that runs this.
    ///
    /// # Errors
    /// When it has no home folder, and on Windows.
    pub fn of_this_account() -> Result<Self, HostsError> {
        let system = match std::env::consts::OS {
            "windows" => return Err(HostsError::Unsupported),
            "macos" => System::MacOs,
            _ => System::Linux,
        };
        let known = dirs::home_dir().zip(dirs::config_dir());
        let (home, profiles) = known.ok_or_else(|| HostsError::Refused("Your home folder is not known.".into()))?;
        Ok(Self { home, profiles, system })
    }

    fn profile(&self, browser: HostBrowser) -> PathBuf {
        self.profiles.join(match (self.system, browser) {
            (System::Linux, HostBrowser::Chrome) => "google-chrome",
            (System::Linux, HostBrowser::Chromium) => "chromium",
            (System::Linux, HostBrowser::Edge) => "microsoft-edge",
            (System::MacOs, HostBrowser::Chrome) => "Google/Chrome",
            (System::MacOs, HostBrowser::Chromium) => "Chromium",
            (System::MacOs, HostBrowser::Edge) => "Microsoft Edge",
            (_, HostBrowser::Brave) => "BraveSoftware/Brave-Browser",
        })
    }
}

/// The manifest for one extension and one program.
pub fn manifest(extension: &str, program: &str) -> String {
    let manifest = json!({
        "name": HOST_NAME,
        "description": "Countersign holds the writes of agents in this browser until you release them",
        "path": program,
        "type": "stdio",
        "allowed_origins": [format!("chrome-extension://{extension}/")],
    });
    format!("{manifest:#}\n")
}

/// Every browser, as its file is now.
pub fn hosts(places: &HostPlaces, extension: &str, program: &str) -> Vec<ExtensionHost> {
    let of = |browser| Plan::of(browser, places, extension, program).view();
    HostBrowser::ALL.map(of).into()
}

/// Writes or removes what was shown, and nothing else.
///
/// # Errors
/// When what is there is not what was shown, when it is another program's and that was not said, and when the disk refuses.
pub fn write_host(
    places: &HostPlaces,
    extension: &str,
    program: &str,
    params: &WriteExtensionHostParams,
) -> Result<(), HostsError> {
    let plan = Plan::of(params.browser, places, extension, program);
    let refused = |why: &str| Err(HostsError::Refused(why.into()));
    match &plan.standing {
        HostState::Unreadable { why } => return refused(why),
        HostState::Foreign { .. } if params.remove => {
            return refused("The file is not Countersign's, so Countersign does not remove it.");
        }
        HostState::Foreign { .. } if !params.replace => {
            return refused(
                "The file is not Countersign's. Nothing was written; choose to replace it if you want Countersign in its place.",
            );
        }
        _ => {}
    }
    let change = if params.remove { plan.remove() } else { plan.add() };
    if change.is_none_or(|change| change.digest != params.digest) {
        return Err(HostsError::Stale);
    }
    if params.remove {
        fs::remove_file(&plan.path)
            .map_err(|error| HostsError::Refused(format!("The file could not be removed ({error}).")))
    } else {
        plan.write(&places.home)
    }
}

/// A browser's file as it is, and what it would be.
struct Plan {
    browser: HostBrowser,
    found: bool,
    path: PathBuf,
    text: Option<String>,
    standing: HostState,
    manifest: String,
}

impl Plan {
    fn of(browser: HostBrowser, places: &HostPlaces, extension: &str, program: &str) -> Self {
        let profile = places.profile(browser);
        let path = profile.join("NativeMessagingHosts").join(format!("{HOST_NAME}.json"));
        let manifest = manifest(extension, program);
        let (text, standing) = match read(&path, &places.home) {
            Ok(text) => (text.clone(), standing(text.as_deref(), &manifest)),
            Err(why) => (None, HostState::Unreadable { why }),
        };
        Self {
            browser,
            found: profile.is_dir(),
            path,
            text,
            standing,
            manifest,
        }
    }

    fn add(&self) -> Option<SetupChange> {
        let wanted = match self.standing {
            HostState::None => self.found,
            HostState::Stale { .. } | HostState::Foreign { .. } => true,
            HostState::Ours | HostState::Unreadable { .. } => false,
        };
        wanted.then(|| self.change(&self.manifest))
    }

    fn remove(&self) -> Option<SetupChange> {
        matches!(self.standing, HostState::Ours | HostState::Stale { .. }).then(|| self.change(""))
    }

    fn change(&self, after: &str) -> SetupChange {
        let parts = [self.path.to_str(), self.text.as_deref(), Some(after)];
        SetupChange {
            line: 1,
            before: self.text.clone().unwrap_or_default(),
            after: after.into(),
            digest: sha256_hex(Value::from_iter(parts).to_string().as_bytes()),
        }
    }

    /// Puts the manifest in the file's place in one step.
    fn write(&self, home: &Path) -> Result<(), HostsError> {
        let failed = |error: std::io::Error| {
            HostsError::Refused(format!("The file could not be written ({error}). Nothing was changed."))
        };
        let folder = self.path.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder).map_err(failed)?;
        let mut file = tempfile::Builder::new()
            .prefix(".countersign-")
            .tempfile_in(folder)
            .map_err(failed)?;
        file.write_all(self.manifest.as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        match read(&self.path, home) {
            Ok(now) if now == self.text => {}
            Ok(_) => return Err(HostsError::Stale),
            Err(why) => return Err(HostsError::Refused(why)),
        }
        let put = match self.text {
            Some(_) => file.persist(&self.path),
            None => file.persist_noclobber(&self.path),
        };
        put.map(drop).map_err(|error| failed(error.error))
    }

    fn view(self) -> ExtensionHost {
        ExtensionHost {
            browser: self.browser,
            found: self.found,
            path: self.path.display().to_string(),
            add: self.add(),
            remove: self.remove(),
            standing: self.standing,
        }
    }
}

/// The text of a file below `home`, if there is one.
fn read(path: &Path, home: &Path) -> Result<Option<String>, String> {
    inside(path, home)?;
    let cannot = |error: std::io::Error| format!("The file cannot be read ({error}).");
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(cannot)?,
    };
    if metadata.is_symlink() {
        return Err("The file is a link to another one. Countersign leaves it as it is; remove the link first.".into());
    }
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err("There is something else than a manifest in its place. Move it away first.".into());
    }
    let bytes = fs::read(path).map_err(cannot)?;
    let text = String::from_utf8(bytes);
    text.map(Some)
        .map_err(|_| "The file is not text in UTF-8. Move it away first.".into())
}

/// A link on the way may lead anywhere.
fn inside(path: &Path, home: &Path) -> Result<(), String> {
    let home = home
        .canonicalize()
        .map_err(|error| format!("Your home folder cannot be read ({error})."))?;
    let folder = path
        .ancestors()
        .skip(1)
        .find(|folder| fs::symlink_metadata(folder).is_ok())
        .unwrap_or(path);
    match folder.canonicalize() {
        Ok(at) if at.is_dir() && at.starts_with(&home) => Ok(()),
        Ok(at) if at.is_dir() => Err(format!(
            "The folder is at {}, which is outside of your home folder. Countersign writes nothing there.",
            at.display()
        )),
        Ok(_) => Err("There is a file where its folder would be.".into()),
        Err(error) => Err(format!("Its folder cannot be read ({error}).")),
    }
}

fn standing(text: Option<&str>, manifest: &str) -> HostState {
    let Some(text) = text else { return HostState::None };
    let parsed = serde_json::from_str::<Value>(text).unwrap_or_default();
    if serde_json::from_str(manifest).is_ok_and(|ours: Value| ours == parsed) {
        return HostState::Ours;
    }
    let program = parsed["path"].as_str().unwrap_or_default().to_owned();
    let bridge = Path::new(&program)
        .file_stem()
        .is_some_and(|name| name == "countersign-bridge");
    if parsed["name"] == HOST_NAME && bridge {
        HostState::Stale { program }
    } else {
        HostState::Foreign { program }
    }
}
