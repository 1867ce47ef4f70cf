//! Declares every command, so that a window can call only what its capability file names, and lists the files of the examples that
//! the binary carries.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

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
    "turn_relay_on",
    "turn_relay_off",
    "turn_mcp_b_on",
    "turn_mcp_b_off",
    "mark_read",
    "unpair_client",
    "set_clients",
    "make_client_token",
    "remove_client_token",
    "client_setups",
    "write_client_setup",
    "approval_state",
    "approval_shown",
    "approval_release",
    "approval_refuse",
    "approval_edit",
    "approval_set_aside",
    "approval_refuse_all",
    "approval_resume",
    "approval_client_shown",
    "approval_pair",
    "approval_turn_away",
    "approval_hide",
    "ledger_rows",
    "ledger_verify",
    "ledger_take_five",
    "ledger_reveal",
];

/// Where the pages of the examples are.
const EXAMPLES: &str = "bridge/page/examples";

/// What they load. Cargo does not run npm, so a missing one is named here.
const LIBRARY: &str = "bridge/page/library/dist/countersign.js";

fn main() {
    embed_examples();
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(tauri_build::AppManifest::new().commands(COMMANDS));
    if let Err(error) = tauri_build::try_build(attributes) {
        eprintln!("{error:#}");
        std::process::exit(1);
    }
}

/// Writes `examples.rs`: of each example that is only files, its folder's name and each file with its path and its bytes.
fn embed_examples() {
    println!("cargo::rerun-if-changed={EXAMPLES}");
    println!("cargo::rerun-if-changed={LIBRARY}");
    if !Path::new(LIBRARY).is_file() {
        println!("cargo::error={LIBRARY} is missing: run `npm run build:library` first");
    }
    let mut table = String::from("&[\n");
    for folder in sorted(Path::new(EXAMPLES)).filter(|path| path.is_dir() && !path.ends_with("shop")) {
        writeln!(table, "({:?}, &[", file_name(&folder)).expect("a text takes more");
        list(&folder, "", &mut table);
        table.push_str("]),\n");
    }
    table.push(']');
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where to write"));
    std::fs::write(out.join("examples.rs"), table).expect("what is built can be written");
}

fn list(folder: &Path, below: &str, table: &mut String) {
    for path in sorted(folder) {
        let name = format!("{below}/{}", file_name(&path));
        if path.is_dir() {
            list(&path, &name, table);
        } else {
            writeln!(table, "({name:?}, include_bytes!({:?})),", from_anywhere(&path)).expect("a text takes more");
        }
    }
}

/// What a folder holds, except what is for its readers and its tools.
fn sorted(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| !file_name(path).starts_with('.') && path.extension().is_none_or(|end| end != "md"));
    paths.sort();
    paths.into_iter()
}

/// The compiler looks from the folder of the file that it reads.
fn from_anywhere(path: &Path) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the package is")).join(path)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
