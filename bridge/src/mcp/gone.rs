//! Why a tool is not there any more.

use std::collections::HashMap;

use super::names::Names;
use super::seat::{Page, Standing, Surface};

/// More names than this are not remembered.
const MOST: usize = 4096;

/// The tools that were listed once, and where.
#[derive(Default)]
pub(super) struct Seen {
    by_name: HashMap<String, Page>,
}

impl Seen {
    pub fn saw(&mut self, surface: &Surface) {
        if self.by_name.len() > MOST {
            self.by_name.clear();
        }
        for (name, page, _) in Names::of(surface).iter() {
            self.by_name.insert(name.clone(), page.clone());
        }
    }

    /// What a client is told that calls a tool which is not there.
    pub fn why_gone(&self, name: &str, surface: &Surface) -> String {
        const SO: &str = "Nothing was called and nothing has changed.";
        if let Standing::Away { why } = &surface.standing {
            return format!("{why} {SO}");
        }
        let name_of = |name: &str| name.chars().take(64).collect::<String>();
        let Some(then) = self.by_name.get(name) else {
            return format!("There is no tool `{}`. {SO} List the tools again.", name_of(name));
        };
        let why = match surface.pages.iter().find(|page| page.handle == then.handle) {
            None => format!("its tab {} was closed", then.handle),
            Some(now) if now.url != then.url => {
                format!(
                    "the tab {} is at another address now ({}), which does not offer it",
                    then.handle, now.url
                )
            }
            Some(_) if surface.writes_revoked => "the person withdrew every tool that changes something".to_owned(),
            Some(now) => format!(
                "the page in the tab {} does not offer it any more, or the person hid it",
                now.handle
            ),
        };
        format!("The tool `{name}` is not there any more: {why}. {SO} List the tools again.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::samples::{page, tool};
    use crate::mcp::seat::Offered;

    fn surface(pages: Vec<Page>) -> Surface {
        Surface {
            standing: Standing::Here,
            writes_revoked: false,
            pages,
        }
    }

    fn with_pay(url: &str) -> Page {
        let pay = Offered {
            tool: tool("F1", "pay"),
            reads: false,
        };
        Page {
            url: url.into(),
            ..page("t1", vec![pay])
        }
    }

    #[test]
    fn a_tool_that_went_away_is_told_with_why() {
        let mut seen = Seen::default();
        seen.saw(&surface(vec![with_pay("https://a.example")]));
        let bare = |url: &str| Page {
            tools: Vec::new(),
            ..with_pay(url)
        };
        let cases = [
            (surface(vec![]), "its tab t1 was closed"),
            (
                surface(vec![bare("https://b.example")]),
                "the tab t1 is at another address now (https://b.example)",
            ),
            (surface(vec![bare("https://a.example")]), "does not offer it any more"),
            (
                Surface {
                    writes_revoked: true,
                    ..surface(vec![bare("https://a.example")])
                },
                "the person withdrew every tool that changes something",
            ),
            (
                Surface::away("Countersign is not running."),
                "Countersign is not running.",
            ),
        ];
        for (surface, why) in cases {
            let said = seen.why_gone("t1_pay", &surface);
            assert!(said.contains(why) && said.contains("Nothing was called"), "{said}");
        }
        let never = seen.why_gone("t9_steal", &surface(vec![]));
        assert!(never.starts_with("There is no tool `t9_steal`."), "{never}");
    }
}
