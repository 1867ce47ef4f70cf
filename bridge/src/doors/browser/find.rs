use std::path::{Path, PathBuf};

use crate::DoorError;

/// The variable that names the browser's program.
pub const BROWSER_VARIABLE: &str = "COUNTERSIGN_BROWSER";

#[cfg(target_os = "linux")]
const INSTALL: &str = "sudo apt install chromium";
#[cfg(target_os = "macos")]
const INSTALL: &str = "brew install --cask chromium";
#[cfg(target_os = "windows")]
const INSTALL: &str = "winget install Hibbiki.Chromium";
#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "windows")))]
const INSTALL: &str = "install the package `chromium`";

/// Programs to look for on `PATH`, in order of preference. Chromium first: it keeps no account of the person's.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "brave-browser",
    "brave",
    "microsoft-edge-stable",
    "microsoft-edge",
    "chrome",
    "msedge",
];

#[cfg(target_os = "macos")]
const PLACES: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];
#[cfg(target_os = "windows")]
const PLACES: &[&str] = &[
    r"C:\Program Files\Chromium\Application\chrome.exe",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files\BraveSoftware\Brave-Browser\Application\brave.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
];
#[cfg(not(any(target_os = "macos", target_os = "windows")))]
const PLACES: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
    "/opt/brave.com/brave/brave",
    "/opt/microsoft/msedge/msedge",
];

/// Finds a browser of the Chromium family: the one [`BROWSER_VARIABLE`] names, else `explicit`, else the first of the well-known
/// ones.
///
/// # Errors
/// [`DoorError::NoBrowser`]: what was looked for, and the command that installs one. A browser that was named but is not
/// there is an error too; no other is taken in its place.
pub fn find_browser(explicit: Option<&Path>) -> Result<PathBuf, DoorError> {
    let variable = std::env::var_os(BROWSER_VARIABLE)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from);
    find(
        variable.as_deref(),
        explicit,
        std::env::var_os("PATH").as_deref(),
        PLACES,
    )
}

fn find(
    variable: Option<&Path>,
    explicit: Option<&Path>,
    path: Option<&std::ffi::OsStr>,
    places: &[&str],
) -> Result<PathBuf, DoorError> {
    let named = variable
        .map(|program| (program, "the variable COUNTERSIGN_BROWSER"))
        .or_else(|| {
            explicit
                .filter(|program| !program.as_os_str().is_empty())
                .map(|program| (program, "the settings page"))
        });
    if let Some((program, by)) = named {
        return on_path(program, path).ok_or_else(|| {
            DoorError::NoBrowser(format!(
                "There is no program {}, which {by} gives as the browser. Correct it, or leave it empty to have one looked for.",
                program.display()
            ))
        });
    }
    NAMES
        .iter()
        .find_map(|name| on_path(Path::new(name), path))
        .or_else(|| places.iter().map(PathBuf::from).find(|place| place.is_file()))
        .ok_or_else(|| {
            DoorError::NoBrowser(format!(
                "No Chromium-family browser is installed. Looked for {} on PATH, and for {}. Install one with `{INSTALL}`, or \
                 name one in the settings.",
                NAMES.join(", "),
                places.join(", ")
            ))
        })
}

fn on_path(program: &Path, path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_path_buf());
    }
    let extension = std::env::consts::EXE_EXTENSION;
    std::env::split_paths(path?)
        .map(|folder| folder.join(program).with_extension(extension))
        .find(|file| file.is_file())
}

/// A program on `PATH`.
pub(super) fn program_on_path(name: &str) -> Option<PathBuf> {
    on_path(Path::new(name), std::env::var_os("PATH").as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_wins_over_the_settings_and_those_over_the_path() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["chromium", "brave", "mine", "other"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let at = |name: &str| folder.path().join(name);
        let path = folder.path().as_os_str();
        assert_eq!(
            find(Some(&at("mine")), Some(&at("other")), Some(path), &[]),
            Ok(at("mine"))
        );
        assert_eq!(find(None, Some(&at("other")), Some(path), &[]), Ok(at("other")));
        assert_eq!(find(None, Some(Path::new("")), Some(path), &[]), Ok(at("chromium")));
        assert_eq!(find(None, Some(Path::new("brave")), Some(path), &[]), Ok(at("brave")));
    }

    #[test]
    fn a_browser_that_was_named_and_is_missing_is_not_replaced_by_another() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("chromium"), "").unwrap();
        let found = find(
            None,
            Some(Path::new("/nowhere/at/all")),
            Some(folder.path().as_os_str()),
            &[],
        );
        assert!(matches!(found, Err(DoorError::NoBrowser(message)) if message.contains("/nowhere/at/all")));
    }

    #[test]
    fn without_any_the_error_says_what_was_looked_for_and_how_to_get_one() {
        let Err(DoorError::NoBrowser(message)) = find(None, None, None, &["/opt/none/such"]) else {
            panic!("found a browser where there is none")
        };
        assert!(message.contains("google-chrome") && message.contains("/opt/none/such") && message.contains(INSTALL));
    }
}
