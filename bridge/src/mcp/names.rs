//! The names tools have for MCP clients: `t3_place_order` is `place_order` of the tab `t3`. Model providers take 64 characters of
//! `[a-zA-Z0-9_-]`, so that is what a name has; a tool that cannot keep its own gets a part of its digest.

use std::collections::HashMap;

use countersign_contract::Tool;
use countersign_ledger::sha256_hex;

use super::seat::{Offered, Page, Surface};

const LONGEST: usize = 64;
const MARK: usize = 8;

/// Every tool of a surface under its name. A name says which tab, which tool and, where two frames of a tab have one of the same
/// name, which frame; it does not change with a new document in the same tab.
pub(super) struct Names {
    list: Vec<(String, Page, Offered)>,
    by_name: HashMap<String, usize>,
}

impl Names {
    pub fn of(surface: &Surface) -> Self {
        let mut names = Self {
            list: Vec::new(),
            by_name: HashMap::new(),
        };
        for page in &surface.pages {
            let bare = Page {
                tools: Vec::new(),
                ..page.clone()
            };
            for offered in &page.tools {
                let twins = page
                    .tools
                    .iter()
                    .filter(|other| plain(&other.tool.name) == plain(&offered.tool.name));
                let name = name(&page.handle, &offered.tool, twins.count() > 1);
                // Two registrations of one name in one document: the first is the one a call would reach.
                if let std::collections::hash_map::Entry::Vacant(free) = names.by_name.entry(name.clone()) {
                    free.insert(names.list.len());
                    names.list.push((name, bare.clone(), offered.clone()));
                }
            }
        }
        names
    }

    pub fn find(&self, name: &str) -> Option<&(String, Page, Offered)> {
        self.list.get(*self.by_name.get(name)?)
    }

    pub fn iter(&self) -> impl Iterator<Item = &(String, Page, Offered)> {
        self.list.iter()
    }
}

fn name(handle: &str, tool: &Tool, has_twin: bool) -> String {
    let own = plain(&tool.name);
    let whole = format!("{handle}_{own}");
    if !has_twin && own == tool.name && whole.len() <= LONGEST {
        return whole;
    }
    // The origin and the frame tell twins apart; what stands in a frame has no better name than that.
    let page = &tool.page;
    let told_apart = if has_twin {
        format!("{}\n{}\n{}", tool.name, page.origin, page.frame)
    } else {
        tool.name.clone()
    };
    let mark = &sha256_hex(told_apart.as_bytes())[..MARK];
    let room = LONGEST - MARK - 1;
    let kept = &whole[..whole.len().min(room)];
    format!("{kept}_{mark}")
}

/// All ASCII, so that it can be cut anywhere.
fn plain(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::mcp::samples::{page, tool};
    use crate::mcp::seat::Standing;

    fn names(tools: &[(&str, &str)]) -> Vec<String> {
        let tools = tools.iter().map(|(frame, name)| Offered {
            tool: tool(frame, name),
            reads: true,
        });
        let surface = Surface {
            standing: Standing::Here,
            writes_revoked: false,
            pages: vec![page("t3", tools.collect())],
        };
        Names::of(&surface).iter().map(|(name, ..)| name.clone()).collect()
    }

    #[test]
    fn a_name_carries_the_tab_and_keeps_the_tools_own_where_it_can() {
        assert_eq!(
            names(&[("F1", "place_order"), ("F1", "close-account")]),
            ["t3_place_order", "t3_close-account"]
        );
    }

    #[test]
    fn what_model_providers_would_refuse_is_replaced_and_marked() {
        let dotted = names(&[("F1", "orders.list"), ("F1", "orders/list")]);
        assert!(
            dotted.iter().all(|name| name.starts_with("t3_orders_list_")),
            "{dotted:?}"
        );
        assert_ne!(dotted[0], dotted[1]);
        assert_eq!(
            dotted,
            names(&[("F1", "orders.list"), ("F1", "orders/list")]),
            "they are stable"
        );
    }

    #[test]
    fn twins_in_two_frames_are_told_apart_and_a_second_registration_is_not_listed() {
        let twins = names(&[("F1", "pay"), ("F2", "pay")]);
        assert_eq!(twins.len(), 2);
        assert_ne!(twins[0], twins[1]);
        assert_eq!(names(&[("F1", "pay"), ("F1", "pay")]).len(), 1);
    }

    proptest! {
        #[test]
        fn every_name_is_one_a_provider_takes_and_no_two_are_the_same(list in proptest::collection::vec(("F[12]", "[a-zA-Z0-9_.-]{1,128}"), 0..12)) {
            let list: HashSet<_> = list.into_iter().collect();
            let tools: Vec<_> = list.iter().map(|(frame, name)| (frame.as_str(), name.as_str())).collect();
            let names = names(&tools);
            prop_assert_eq!(names.len(), tools.len());
            let mut seen = HashSet::new();
            for name in names {
                prop_assert!(name.len() <= LONGEST && plain(&name) == name, "{}", name);
                prop_assert!(seen.insert(name));
            }
        }
    }
}
