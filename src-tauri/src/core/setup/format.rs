use countersign_contract::SetupClient;

use super::json::{self, Lenience};
use super::splice::apply;
use super::tree::{OURS, Tree, only_ours_differs};
use super::{toml, yaml};

/// How a client's file is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    Json(Lenience),
    Toml,
    Yaml,
}

impl Format {
    pub fn tree(self, text: &str) -> Result<Tree, String> {
        match self {
            Self::Json(lenience) => json::tree(bare(text), lenience),
            Self::Toml => toml::tree(bare(text)),
            Self::Yaml => yaml::tree(bare(text)),
        }
    }

    /// The text with the entry as ours, or without ours. What comes back was read again, and nothing but our entry differs.
    pub fn changed(self, text: &str, container: &str, entry: Option<&Tree>) -> Result<String, String> {
        let content = bare(text);
        let cuts = match (self, entry) {
            (Self::Json(lenience), Some(entry)) => json::add(content, container, entry, lenience),
            (Self::Json(lenience), None) => json::remove(content, container, lenience),
            (Self::Toml, Some(entry)) => toml::add(content, container, entry),
            (Self::Toml, None) => toml::remove(content, container),
            (Self::Yaml, Some(entry)) => yaml::add(content, container, entry),
            (Self::Yaml, None) => yaml::remove(content, container),
        }?;
        let before = self.tree(content)?;
        // Comments are in no tree, so what gives way to a new entry is looked at as well.
        let kept = before.entry(container).is_some() || cuts.iter().all(|cut| cut.takes_nothing_from(content));
        let made = apply(content, cuts);
        if !kept || !only_ours_differs(&before, &self.tree(&made)?, container, entry) {
            return Err("changing it would change more than the entry of Countersign".into());
        }
        Ok(text[..text.len() - content.len()].to_owned() + &made)
    }

    /// What to put into the file by hand.
    pub fn by_hand(self, container: &str, entry: &Tree) -> String {
        let strict = Lenience {
            comments: false,
            trailing_commas: false,
        };
        let whole = match self {
            Self::Json(_) => json::add("", container, entry, strict),
            Self::Toml => toml::add("", container, entry),
            Self::Yaml => yaml::add("", container, entry),
        };
        apply("", whole.unwrap_or_default())
    }
}

/// A mark of the byte order says nothing in UTF-8, and some editors write one.
fn bare(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// What a client needs to start the bridge.
pub(super) fn entry(client: SetupClient, program: &str) -> Tree {
    let start = [("command", Tree::text(program)), ("args", arguments())];
    let stdio = ("type", Tree::text("stdio"));
    match client {
        SetupClient::ClaudeDesktop | SetupClient::Codex | SetupClient::Cursor => Tree::members(start),
        SetupClient::ClaudeCode | SetupClient::VsCode => {
            let [command, arguments] = start;
            Tree::members([stdio, command, arguments])
        }
        SetupClient::Goose => Tree::members([
            ("enabled", Tree::Bare("true".into())),
            ("type", Tree::Bare("stdio".into())),
            ("name", Tree::Bare(OURS.into())),
            (
                "description",
                Tree::text("Tools of web pages; every write is held until you release it"),
            ),
            ("cmd", Tree::text(program)),
            ("args", arguments()),
            ("timeout", Tree::Bare("300".into())),
        ]),
    }
}

fn arguments() -> Tree {
    Tree::List(vec![Tree::text("mcp")])
}

/// What an entry starts, and whether that is what ours does. What a person added to the entry is left out of account.
pub(super) fn starts(client: SetupClient, found: &Tree, program: &str) -> (String, bool) {
    let command = if client == SetupClient::Goose { "cmd" } else { "command" };
    let command = found.get(command).and_then(words).unwrap_or_default();
    let arguments = match found.get("args") {
        Some(Tree::List(list)) => list.iter().map(words).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let by_stdio = found.get("type").is_none_or(|kind| words(kind) == Some("stdio"));
    let same = command == program && arguments.as_deref() == Some(&["mcp"]) && by_stdio;
    let line = [&[command], arguments.as_deref().unwrap_or_default()].concat();
    (line.join(" ").trim().to_owned(), same)
}

/// A plain scalar of YAML is a string as well, if it is not a name for something else.
fn words(tree: &Tree) -> Option<&str> {
    match tree {
        Tree::Text(text) | Tree::Bare(text) => Some(text),
        _ => None,
    }
}
