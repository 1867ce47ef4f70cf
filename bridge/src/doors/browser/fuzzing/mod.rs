//! Every parser that takes bytes from a page or a browser, as a function of bytes that must not panic. `bridge/fuzz` feeds
//! them; a plain test replays what is kept there.

mod draw;
mod framing;
mod messages;
mod release;
mod rules;
mod session;
mod steps;
mod texts;
mod wired;

use crate::doors::relay;

/// A function of bytes that must not panic, whatever the bytes are.
pub type Target = fn(&[u8]);

/// The targets, by the names of their folders under `bridge/fuzz/seeds`.
pub const TARGETS: &[(&str, Target)] = &[
    ("framing", framing::framing),
    ("messages", messages::messages),
    ("page", messages::page),
    ("session", session::session),
    ("preview", texts::preview),
    ("canonical", texts::canonical),
    ("definition", texts::definition),
    ("filled", texts::filled),
    ("relay", relay::fuzzing::bodies),
    ("gates", relay::fuzzing::gates),
];

#[cfg(test)]
mod replay {
    use std::path::{Path, PathBuf};

    use super::TARGETS;

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()));
        let mut files = entries.into_iter().flatten().collect::<Vec<_>>();
        files.sort();
        files
    }

    fn kept(name: &str) -> Vec<PathBuf> {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        let mut kept = files(&fuzz.join("seeds").join(name));
        kept.extend(files(&fuzz.join("crashes").join(name)));
        kept
    }

    #[test]
    fn what_the_fuzzer_keeps_does_no_harm() {
        for (name, target) in TARGETS {
            let kept = kept(name);
            assert!(!kept.is_empty(), "bridge/fuzz/seeds/{name} is empty");
            for path in kept {
                eprintln!("{name}: {}", path.display());
                target(&std::fs::read(&path).unwrap());
            }
        }
    }
}
