//! Whether the windows are driven by UI automation, as far as that can be known: the toolkit hands every window over when its
//! variable is set, and a driven page says so itself (`navigator.webdriver`). The page's word is not enough: what drives a page
//! can change what it says.

use countersign_contract::Fingerprint;

/// What makes the toolkit let a driver in.
const VARIABLES: [&str; 2] = ["TAURI_WEBVIEW_AUTOMATION", "TAURI_AUTOMATION"];

/// Whether this process was started so that its windows can be driven.
pub fn is_possible() -> bool {
    VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
}

/// The fingerprint with what the shell itself knows.
pub fn noted(fingerprint: &mut Fingerprint) {
    if is_possible() {
        fingerprint.automated = Some(true);
    }
}
