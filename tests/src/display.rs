use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::wait::until;

/// The screen. Two apps at once would take the focus from each other, so whoever holds this has it alone.
pub struct Desktop {
    _turn: File,
}

impl Desktop {
    /// Waits for the screen to be free.
    ///
    /// # Panics
    /// When there is no display at all.
    pub fn take() -> Self {
        assert!(
            std::env::var_os("DISPLAY").is_some_and(|display| !display.is_empty()),
            "There is no display. `npm run test:e2e` brings one of its own."
        );
        let file = File::create(artefacts().join("display.lock")).expect("a lock file can be made in target/scenarios");
        file.lock().expect("the display can be waited for");
        Self { _turn: file }
    }
}

/// Where screenshots and logs of scenarios go: `target/scenarios`.
pub(crate) fn artefacts() -> PathBuf {
    let folder = target().join("scenarios");
    std::fs::create_dir_all(&folder).expect("target/scenarios can be made");
    folder
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    )
}

/// Gives a window the focus, as a person does by clicking on its frame.
pub async fn activate(title: &str) {
    let name = format!("^{title}$");
    until(
        &format!("no window with the title `{title}` could be made active"),
        async || {
            let tried = Command::new("xdotool")
                .args(["search", "--onlyvisible", "--name", &name, "windowactivate", "--sync"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            tried.is_ok_and(|status| status.success()).then_some(())
        },
    )
    .await;
}

/// Closes a window the way its frame's own button does: the window manager asks it to close.
pub(crate) async fn close(title: &str) {
    activate(title).await;
    until(&format!("the window `{title}` should close"), async || {
        let _ = Command::new("xdotool")
            .args(["key", "--clearmodifiers", "alt+F4"])
            .status();
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        (!on_screen(title)).then_some(())
    })
    .await;
}

/// Whether a window with this title can be seen.
pub(crate) fn on_screen(title: &str) -> bool {
    let name = format!("^{title}$");
    Command::new("xdotool")
        .args(["search", "--onlyvisible", "--name", &name])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Writes what the whole screen shows to a PNG file.
pub fn photograph(path: &Path) {
    let taken = Command::new("import").args(["-window", "root"]).arg(path).status();
    if !taken.is_ok_and(|status| status.success()) {
        eprintln!("the screen could not be photographed to {}", path.display());
    }
}

/// Writes what one window shows, without its frame, to a PNG file. Nothing may lie over it.
pub(crate) fn photograph_window(title: &str, path: &Path) {
    let name = format!("^{title}$");
    let found = Command::new("xdotool")
        .args(["search", "--onlyvisible", "--name", &name])
        .output();
    let ids = found
        .map(|found| String::from_utf8_lossy(&found.stdout).into_owned())
        .unwrap_or_default();
    let taken = ids
        .lines()
        .next()
        .map(|id| Command::new("import").args(["-window", id]).arg(path).status());
    if !taken.is_some_and(|taken| taken.is_ok_and(|status| status.success())) {
        eprintln!("the window `{title}` could not be photographed to {}", path.display());
    }
}
