//! TOML. Our entry is a table of its own, with a header, at the end of the file.

use std::ops::Range;

use toml_edit::{Document, Item, Table, Value};

use super::splice::{Cut, line_end, line_start, newline_of};
use super::tree::{OURS, Tree};

const ANOTHER_WAY: &str = "the entry of Countersign is written in a way that is not edited here";

fn parse(text: &str) -> Result<Document<&str>, String> {
    Document::parse(text).map_err(|error| error.to_string().trim().to_owned())
}

pub(super) fn tree(text: &str) -> Result<Tree, String> {
    Ok(of_table(parse(text)?.as_table()))
}

fn of_table(table: &Table) -> Tree {
    Tree::Members(
        table
            .iter()
            .map(|(name, item)| (name.to_owned(), of_item(item)))
            .collect(),
    )
}

fn of_item(item: &Item) -> Tree {
    match item {
        Item::None => Tree::Bare(String::new()),
        Item::Value(value) => of_value(value),
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => Tree::List(tables.iter().map(of_table).collect()),
    }
}

fn of_value(value: &Value) -> Tree {
    match value {
        Value::String(text) => Tree::text(text.value()),
        Value::Array(list) => Tree::List(list.iter().map(of_value).collect()),
        Value::InlineTable(table) => Tree::Members(
            table
                .iter()
                .map(|(name, value)| (name.to_owned(), of_value(value)))
                .collect(),
        ),
        other => Tree::Bare(other.to_string().trim().to_owned()),
    }
}

/// Puts the entry where the one that is there has its header, or at the end.
pub(super) fn add(text: &str, container: &str, entry: &Tree) -> Result<Vec<Cut>, String> {
    let document = parse(text)?;
    let newline = newline_of(text);
    let block = block(container, entry, newline)?;
    match document.get(container) {
        None => {}
        Some(Item::Table(entries)) if !entries.is_dotted() => match entries.get(OURS) {
            None => {}
            Some(ours) => {
                let mut cuts = headed(text, ours)?;
                let first = cuts.first_mut().ok_or(ANOTHER_WAY)?;
                let ends = text[first.range.clone()].ends_with('\n');
                first.with = block + if ends { newline } else { "" };
                return Ok(cuts);
            }
        },
        Some(_) => return Err(format!("`{container}` is written in a way that is not edited here")),
    }
    // Whether the file ends with a line break is kept, so that removing the entry gives the very bytes back.
    let more = match text {
        "" => block + newline,
        text if text.ends_with('\n') => format!("{newline}{block}{newline}"),
        _ => format!("{newline}{newline}{block}"),
    };
    Ok(vec![Cut::into(text.len(), more)])
}

/// Takes the entry's tables out, with the empty line before each.
pub(super) fn remove(text: &str, container: &str) -> Result<Vec<Cut>, String> {
    let document = parse(text)?;
    let ours = document.get(container).and_then(|entries| entries.get(OURS));
    let mut cuts = headed(text, ours.ok_or("there is no entry of Countersign")?)?;
    for cut in &mut cuts {
        let newline = newline_of(text);
        let before = &text[..cut.range.start];
        let at_end = cut.range.end == text.len();
        if !text[cut.range.clone()].ends_with('\n') {
            let kept = before
                .strip_suffix(newline)
                .map_or(before, |kept| kept.strip_suffix(newline).unwrap_or(kept));
            cut.range.start = kept.len();
        } else if at_end || text[cut.range.end..].starts_with(newline) {
            let double = before.ends_with(&newline.repeat(2));
            cut.range.start -= if double { newline.len() } else { 0 };
        }
    }
    Ok(cuts)
}

/// The pieces of the file that are the entry's tables, from a header to the last line of what stands under it.
fn headed(text: &str, ours: &Item) -> Result<Vec<Cut>, String> {
    let Item::Table(table) = ours else {
        return Err(ANOTHER_WAY.into());
    };
    let mut pieces = Vec::new();
    collect(table, &mut pieces)?;
    pieces.sort_by_key(|piece| piece.start);
    let lines = pieces
        .iter()
        .map(|piece| line_start(text, piece.start)..line_end(text, piece.end));
    Ok(lines.map(Cut::out).collect())
}

fn collect(table: &Table, pieces: &mut Vec<Range<usize>>) -> Result<(), String> {
    if table.is_dotted() {
        return Err(ANOTHER_WAY.into());
    }
    let own = if table.is_implicit() { None } else { table.span() };
    let mut end = own.as_ref().map_or(0, |own| own.end);
    for (_, item) in table {
        match item {
            Item::Table(below) => collect(below, pieces)?,
            Item::Value(value) => end = end.max(value.span().ok_or(ANOTHER_WAY)?.end),
            Item::ArrayOfTables(_) | Item::None => return Err(ANOTHER_WAY.into()),
        }
    }
    pieces.extend(own.map(|own| own.start..end));
    Ok(())
}

pub(super) fn block(container: &str, entry: &Tree, newline: &str) -> Result<String, String> {
    let Tree::Members(members) = entry else {
        return Err("an entry has members".into());
    };
    let mut lines = vec![format!("[{container}.{OURS}]")];
    lines.extend(
        members
            .iter()
            .map(|(name, value)| format!("{name} = {}", written(value))),
    );
    Ok(lines.join(newline))
}

fn written(value: &Tree) -> String {
    match value {
        Tree::Text(text) => Value::from(text).to_string(),
        Tree::Bare(text) => text.clone(),
        Tree::List(list) => format!("[{}]", list.iter().map(written).collect::<Vec<_>>().join(", ")),
        Tree::Members(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, value)| format!("{name} = {}", written(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}
