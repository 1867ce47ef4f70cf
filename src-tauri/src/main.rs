//! Starts Countersign.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() {
    countersign_shell::run();
}
