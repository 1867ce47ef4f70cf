use std::collections::HashMap;

use sha2::{Digest, Sha256};

const LONGEST: usize = 64;
const MARK: usize = 8;

/// The names tools have for a model, and the way back. WebMCP allows `.` and 128 characters and several pages may publish
/// one name; models allow `^[a-zA-Z0-9_-]{1,64}$`, once.
///
/// A name depends only on the tools that are offered, not on their order: a tool whose name is free keeps it, and of tools
/// that would share one, each gets a mark made from its identity. So a name never moves from one page's tool to another's
/// while both are offered.
#[derive(Clone, Debug, Default)]
pub struct Names {
    wire: Vec<String>,
    index: HashMap<String, usize>,
    original: HashMap<String, Option<usize>>,
}

impl Names {
    /// Names the tools, given as `(identity, name)`. The identity tells tools of one name apart, such as tab, frame and
    /// origin; it should outlive a registration.
    pub fn new<'a>(tools: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let tools: Vec<_> = tools.into_iter().collect();
        let plain: Vec<_> = tools.iter().map(|(_, name)| sanitise(name)).collect();
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for name in &plain {
            *uses.entry(name).or_default() += 1;
        }
        let mut names = Self::default();
        // Free names first, so that a mark can never push one out.
        let marked = |at: &usize| uses[plain[*at].as_str()] > 1 || tools[*at].1.chars().count() > LONGEST;
        let (shared, free): (Vec<usize>, Vec<usize>) = (0..tools.len()).partition(marked);
        names.wire = vec![String::new(); tools.len()];
        for at in free {
            names.put(at, plain[at].clone());
        }
        for at in shared {
            let (identity, name) = tools[at];
            let candidate = (0u32..).map(|n| mark(&plain[at], identity, name, n));
            if let Some(wire) = candidate.into_iter().find(|wire| !names.index.contains_key(wire)) {
                names.put(at, wire);
            }
        }
        for (at, (_, name)) in tools.iter().enumerate() {
            names
                .original
                .entry((*name).to_owned())
                .and_modify(|only| *only = None)
                .or_insert(Some(at));
        }
        names
    }

    fn put(&mut self, at: usize, wire: String) {
        self.index.insert(wire.clone(), at);
        self.wire[at] = wire;
    }

    /// The model's name for the tool at this place of the list.
    pub fn wire(&self, at: usize) -> Option<&str> {
        self.wire.get(at).map(String::as_str)
    }

    /// The nearest name that is allowed: one a model made up must not make its server refuse the whole conversation.
    pub fn allowed(name: &str) -> String {
        sanitise(name)
    }

    /// The place of the tool a model means. Its page's own name is understood too when only one tool has it.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index
            .get(name)
            .copied()
            .or_else(|| self.original.get(name).copied().flatten())
    }
}

fn sanitise(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '_'
            }
        })
        .take(LONGEST)
        .collect();
    if name.is_empty() { "tool".into() } else { name }
}

fn mark(plain: &str, identity: &str, name: &str, n: u32) -> String {
    let digest = Sha256::digest(format!("{identity}\n{name}\n{n}"));
    let mark: String = digest
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .take(MARK)
        .map(hex)
        .collect();
    let kept: String = plain.chars().take(LONGEST - MARK - 1).collect();
    format!("{kept}_{mark}")
}

fn hex(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::Names;

    #[test]
    fn a_free_name_is_kept_and_a_dot_becomes_an_underscore() {
        let names = Names::new([("a", "cart.add"), ("a", "look")]);
        assert_eq!(
            (names.wire(0), names.wire(1), names.wire(2)),
            (Some("cart_add"), Some("look"), None)
        );
        assert_eq!(
            (names.find("cart_add"), names.find("cart.add"), names.find("look")),
            (Some(0), Some(0), Some(1))
        );
        assert_eq!(names.find("nothing"), None);
    }

    #[test]
    fn tools_of_one_name_are_told_apart_whatever_their_order() {
        let one = Names::new([("https://a", "add"), ("https://b", "add")]);
        let two = Names::new([("https://b", "add"), ("https://a", "add")]);
        assert_eq!((one.wire(0), one.wire(1)), (two.wire(1), two.wire(0)));
        assert_ne!(one.wire(0), one.wire(1));
        assert_eq!(one.find("add"), None, "which of the two is meant cannot be known");
    }

    #[test]
    fn names_that_become_equal_collide_too() {
        let names = Names::new([("a", "x.y"), ("a", "x_y")]);
        assert_ne!(names.wire(0), names.wire(1));
        assert_eq!((names.find("x.y"), names.find("x_y")), (Some(0), Some(1)));
    }

    #[test]
    fn the_very_same_tool_twice_still_gets_two_names() {
        let names = Names::new([("a", "x"), ("a", "x")]);
        assert_ne!(names.wire(0), names.wire(1));
    }

    proptest! {
        #[test]
        fn every_name_is_allowed_and_leads_back(tools in prop::collection::vec(("[ab]", "[a-c._é-]{0,3}|[a.]{60,128}"), 0..12)) {
            let names = Names::new(tools.iter().map(|(identity, name)| (identity.as_str(), name.as_str())));
            let mut seen = HashSet::new();
            for at in 0..tools.len() {
                let wire = names.wire(at).expect("every tool has a name");
                prop_assert!((1..=64).contains(&wire.len()), "{wire}");
                prop_assert!(wire.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{wire}");
                prop_assert_eq!(names.find(wire), Some(at));
                prop_assert!(seen.insert(wire.to_owned()), "{} twice", wire);
            }
        }
    }
}
