//! One program for all targets: `COUNTERSIGN_FUZZ_TARGET` names the one to feed.
#![no_main]

use std::sync::OnceLock;

use countersign_bridge::fuzzing::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;

const VARIABLE: &str = "COUNTERSIGN_FUZZ_TARGET";

fuzz_target!(|data: &[u8]| {
    static TARGET: OnceLock<Target> = OnceLock::new();
    TARGET.get_or_init(named)(data);
});

fn named() -> Target {
    let name = std::env::var(VARIABLE).unwrap_or_default();
    let found = TARGETS.iter().find(|(target, _)| *target == name);
    let names = TARGETS.iter().map(|(target, _)| *target).collect::<Vec<_>>();
    found
        .unwrap_or_else(|| panic!("{VARIABLE} names one of {}", names.join(", ")))
        .1
}
