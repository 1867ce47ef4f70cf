//! Starts Countersign.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() {
    draw_without_a_graphics_card();
    countersign_shell::run();
}

/// WebKitGTK's newer renderer takes seconds for a frame where there is no graphics card, as in most virtual machines: a card that
/// was held would be on screen long after it was asked for. A person who set the variable has the last word.
fn draw_without_a_graphics_card() {
    const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    if cfg!(target_os = "linux") && !std::path::Path::new("/dev/dri").exists() && std::env::var_os(SWITCH).is_none() {
        // SAFETY: nothing else runs yet; this is the first thing the process does.
        #[allow(unsafe_code)]
        unsafe {
            std::env::set_var(SWITCH, "1");
        }
    }
}
