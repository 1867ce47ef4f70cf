//! Declares every command, so that a window can call only what its capability file names.

const COMMANDS: &[&str] = &[
    "window_painted",
    "panel_state",
    "send_prompt",
    "cancel_turn",
    "new_conversation",
    "run_tool",
    "open_example",
    "open_url",
    "close_browser",
    "show_approval",
    "show_ledger",
    "save_settings",
    "set_beside",
    "set_key",
    "list_models",
    "withdraw",
    "revoke_rule",
    "revoke_writes",
    "hide_tool",
    "grant_once",
    "approval_state",
    "approval_shown",
    "approval_release",
    "approval_refuse",
    "approval_edit",
    "approval_set_aside",
    "approval_refuse_all",
    "approval_resume",
    "approval_hide",
    "ledger_rows",
    "ledger_verify",
    "ledger_take_five",
    "ledger_reveal",
];

fn main() {
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(tauri_build::AppManifest::new().commands(COMMANDS));
    if let Err(error) = tauri_build::try_build(attributes) {
        eprintln!("{error:#}");
        std::process::exit(1);
    }
}
