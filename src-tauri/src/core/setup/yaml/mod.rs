//! YAML. No editor of it keeps every comment where it was, so lines are put in and taken out whole, at places that a parser names,
//! and what is not written one line a member is left to the person.

mod read;

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::json::quoted;
use super::splice::{Cut, line_end, line_start, newline_of};
use super::tree::{OURS, Tree};
use read::{Node, parse};

const ODD: &str = "it is not written the way Goose writes it";

pub(super) fn tree(text: &str) -> Result<Tree, String> {
    match parse(text)? {
        Some(node) => match node.tree {
            Tree::Members(_) => Ok(node.tree),
            Tree::Bare(nothing) if nothing.is_empty() => Ok(Tree::Members(Vec::new())),
            _ => Err("it does not hold a mapping".into()),
        },
        None => Ok(Tree::Members(Vec::new())),
    }
}

/// Puts the entry in place of the one that is there, or first among the others.
pub(super) fn add(text: &str, container: &str, entry: &Tree) -> Result<Vec<Cut>, String> {
    let newline = newline_of(text);
    let at_end = |more| Ok(vec![Cut::into(text.len(), more)]);
    let root = match parse(text)? {
        Some(root) if !root.members.is_empty() => root,
        Some(root) if root.range.is_empty() => return at_end(whole(container, entry, newline)),
        None => return at_end(whole(container, entry, newline)),
        Some(_) => return Err(ODD.into()),
    };
    if root.flow || indent_of(text, root.range.start)? != 0 {
        return Err(ODD.into());
    }
    let Some((_, key, entries)) = root.members.iter().find(|(name, ..)| name == container) else {
        let block = whole(container, entry, newline);
        return match text.ends_with('\n') {
            true => at_end(block),
            false if ends_in_block_scalar(text) => Err(ODD.into()),
            false => at_end(format!("{newline}{}", block.trim_end_matches(newline))),
        };
    };
    let after_key = line_end(text, key.end);
    if entries.members.is_empty() {
        let value = entries.range.clone();
        let rest = &text[key.end..line_end(text, value.end.max(key.end))];
        let bare = rest.trim_start().strip_prefix(':').ok_or(ODD)?;
        let said = bare.split_once(" #").map_or(bare, |(value, _)| value).trim();
        if !["", "{}"].contains(&said) {
            return Err(ODD.into());
        }
        let mut cuts = vec![Cut::into(after_key, lines(entry, 2, newline))];
        if !text[..after_key].ends_with('\n') {
            cuts = vec![Cut::into(
                after_key,
                format!("{newline}{}", lines(entry, 2, newline).trim_end_matches(newline)),
            )];
        }
        if said == "{}" {
            let space = usize::from(text[..value.start].ends_with(' '));
            cuts.push(Cut::out(value.start - space..value.end));
        }
        return Ok(cuts);
    }
    if entries.flow || entries.range.start < after_key {
        return Err(ODD.into());
    }
    let indent = indent_of(text, entries.range.start)?;
    let ours = entries.members.iter().find(|(name, ..)| name == OURS);
    let (range, ends) = match ours {
        None => (after_key..after_key, true),
        Some((_, key, value)) => {
            let range = line_start(text, key.start)..line_end(text, last_of(text, value, key));
            let ends = text[range.clone()].ends_with('\n');
            (range, ends)
        }
    };
    let block = lines(entry, indent, newline);
    let with = if ends {
        block
    } else {
        block.trim_end_matches(newline).to_owned()
    };
    Ok(vec![Cut { range, with }])
}

/// Takes the lines of our entry out. A mapping that is then empty is written as one, since Goose takes nothing for it.
pub(super) fn remove(text: &str, container: &str) -> Result<Vec<Cut>, String> {
    let root = parse(text)?.ok_or(ODD)?;
    let entries = root.members.iter().find(|(name, ..)| name == container);
    let (_, container_key, entries) = entries.ok_or("there is no entry of Countersign")?;
    let ours = entries.members.iter().find(|(name, ..)| name == OURS);
    let (_, key, value) = ours.ok_or("there is no entry of Countersign")?;
    if entries.flow {
        return Err(ODD.into());
    }
    indent_of(text, key.start)?;
    let mut range = line_start(text, key.start)..line_end(text, last_of(text, value, key));
    let mut cuts = Vec::new();
    let newline = newline_of(text);
    if let Some(before) = text[..range.start]
        .strip_suffix(newline)
        .filter(|_| !text[range.clone()].ends_with('\n'))
    {
        range.start = if ends_in_block_scalar(before) {
            range.start
        } else {
            before.len()
        };
    }
    if entries.members.len() == 1 {
        let colon = container_key.end + text[container_key.end..].find(':').ok_or(ODD)? + 1;
        cuts.push(Cut::into(colon, " {}".into()));
    }
    cuts.push(Cut::out(range));
    Ok(cuts)
}

/// A line break after such a text is part of it for some readers.
fn ends_in_block_scalar(text: &str) -> bool {
    let scalars = Parser::new_from_str(text)
        .flatten()
        .filter_map(|(event, _)| match event {
            Event::Scalar(_, style, ..) => Some(style),
            _ => None,
        });
    scalars
        .last()
        .is_some_and(|style| matches!(style, ScalarStyle::Literal | ScalarStyle::Folded))
}

/// The last byte of a member that is not white space. A block scalar's range ends where the next thing begins.
fn last_of(text: &str, value: &Node, key: &Range<usize>) -> usize {
    let end = value.range.end.max(key.end);
    key.start + text[key.start..end].trim_end().len()
}

/// How far in a member is, if nothing stands before it on its line.
fn indent_of(text: &str, at: usize) -> Result<usize, String> {
    let before = &text[line_start(text, at)..at];
    let spaces = before.trim_start_matches('\u{feff}');
    if spaces.chars().all(|char| char == ' ') {
        Ok(spaces.len())
    } else {
        Err(ODD.into())
    }
}

fn whole(container: &str, entry: &Tree, newline: &str) -> String {
    format!("{container}:{newline}{}", lines(entry, 2, newline))
}

/// The entry, each line with its line break.
pub(super) fn lines(entry: &Tree, indent: usize, newline: &str) -> String {
    let mut made = Vec::new();
    write(OURS, entry, indent, &mut made);
    made.iter().map(|line| format!("{line}{newline}")).collect()
}

fn write(name: &str, value: &Tree, indent: usize, made: &mut Vec<String>) {
    let space = " ".repeat(indent);
    match value {
        Tree::Text(text) => made.push(format!("{space}{name}: {}", quoted(text))),
        Tree::Bare(text) => made.push(format!("{space}{name}: {text}")),
        Tree::List(list) => {
            let items = list.iter().map(|item| match item {
                Tree::Text(text) => quoted(text),
                Tree::Bare(text) => text.clone(),
                Tree::List(_) | Tree::Members(_) => String::new(),
            });
            made.push(format!("{space}{name}: [{}]", items.collect::<Vec<_>>().join(", ")));
        }
        Tree::Members(members) => {
            made.push(format!("{space}{name}:"));
            members
                .iter()
                .for_each(|(name, value)| write(name, value, indent + 2, made));
        }
    }
}
