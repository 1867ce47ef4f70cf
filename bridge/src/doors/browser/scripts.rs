use serde_json::{Value, json};

#[cfg(not(feature = "fuzzing"))]
const MAIN: &str = include_str!("../../../page/interceptor/dist/main.js");
#[cfg(not(feature = "fuzzing"))]
const WORKER: &str = include_str!("../../../page/interceptor/dist/worker.js");
#[cfg(not(feature = "fuzzing"))]
const ISOLATED: &str = include_str!("../../../page/interceptor/dist/isolated.js");

// What is sent to no browser need not be made.
#[cfg(feature = "fuzzing")]
const MAIN: &str = "main";
#[cfg(feature = "fuzzing")]
const WORKER: &str = "worker";
#[cfg(feature = "fuzzing")]
const ISOLATED: &str = "isolated";

/// The names of one run, which no page can know: the isolated world, what it can call, and how it meets the main world.
pub(super) struct Names {
    pub world: String,
    pub binding: String,
    pub entry: String,
    /// What the door's own reads carry in place of a ticket.
    pub read: String,
    event: String,
}

impl Names {
    pub fn new() -> Self {
        Self {
            world: random(),
            binding: random(),
            entry: random(),
            read: random(),
            event: random(),
        }
    }

    /// Names that are the same in every run, so that what was heard once can be heard again.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn fixed() -> Self {
        let [world, binding, entry, read, event] = ["W", "B", "E", "R", "V"].map(String::from);
        Self {
            world,
            binding,
            entry,
            read,
            event,
        }
    }

    /// The script for the page's own world.
    pub fn main(&self) -> String {
        self.around(MAIN, &self.constants())
    }

    /// The script for the isolated world.
    pub fn isolated(&self) -> String {
        self.around(ISOLATED, &self.constants())
    }

    /// The script for a worker, which starts guarded or not. Its value is the function that hears the app.
    pub fn worker(&self, guarded: bool) -> String {
        let constants = json!({ "event": self.event, "binding": self.binding, "guarded": guarded });
        self.around(WORKER, &constants)
    }

    fn constants(&self) -> Value {
        json!({ "event": self.event, "binding": self.binding, "entry": self.entry, "read": self.read })
    }

    fn around(&self, bundle: &str, constants: &Value) -> String {
        // What comes first makes all of it strict: the page gets no function of a strict one off the stack.
        format!("(()=>{{\"use strict\";const __COUNTERSIGN__={constants};{bundle};return __COUNTERSIGN__.hear}})()")
    }
}

/// 128 random bits as an identifier.
fn random() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // No system we start a browser on lacks a source of randomness; a name that can be guessed is no name.
        std::process::abort();
    }
    bytes
        .iter()
        .fold(String::from("w"), |name, byte| format!("{name}{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_runs_share_a_name() {
        let (one, other) = (Names::new(), Names::new());
        let names = [
            &one.world,
            &one.binding,
            &one.entry,
            &one.event,
            &one.read,
            &other.world,
            &other.event,
        ];
        let distinct = names.iter().collect::<std::collections::HashSet<_>>();
        assert_eq!(distinct.len(), names.len());
        assert!(one.main().contains(&one.event) && !one.main().contains(&one.world));
    }
}
