//! JSON, and JSON with comments. The parser tells where things are; the text between is kept byte for byte.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, ParseOptions, ParseResult, parse_to_ast};

use super::splice::{Cut, is_blank, line_end, line_start, newline_of};
use super::tree::{OURS, Tree};

/// What a client's own parser takes beyond JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lenience {
    pub comments: bool,
    pub trailing_commas: bool,
}

fn parse(text: &str, lenience: Lenience) -> Result<ParseResult<'_>, String> {
    let options = ParseOptions {
        allow_comments: lenience.comments,
        allow_trailing_commas: lenience.trailing_commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let collect = CollectOptions {
        tokens: true,
        ..CollectOptions::default()
    };
    parse_to_ast(text, &collect, &options).map_err(|error| error.to_string())
}

pub(super) fn tree(text: &str, lenience: Lenience) -> Result<Tree, String> {
    match parse(text, lenience)?.value {
        Some(value @ Value::Object(_)) => of_value(&value),
        Some(_) => Err("it does not hold an object".into()),
        None if text.trim().is_empty() => Ok(Tree::Members(Vec::new())),
        None => Err("it holds comments only".into()),
    }
}

fn of_value(value: &Value<'_>) -> Result<Tree, String> {
    Ok(match value {
        Value::StringLit(text) => Tree::text(&*text.value),
        Value::NumberLit(number) => Tree::Bare(number.value.into()),
        Value::BooleanLit(flag) => Tree::Bare(flag.value.to_string()),
        Value::NullKeyword(_) => Tree::Bare("null".into()),
        Value::Array(list) => Tree::List(list.elements.iter().map(of_value).collect::<Result<_, _>>()?),
        Value::Object(object) => {
            let members = object.properties.iter();
            let members = members.map(|prop| Ok((prop.name.as_str().to_owned(), of_value(&prop.value)?)));
            Tree::unique(members.collect::<Result<_, String>>()?)?
        }
    })
}

/// Puts the entry in place of the one that is there, or first among the others.
pub(super) fn add(text: &str, container: &str, entry: &Tree, lenience: Lenience) -> Result<Vec<Cut>, String> {
    let parsed = parse(text, lenience)?;
    let look = Look::of(text);
    let Some(root) = parsed.value.as_ref().and_then(Value::as_object) else {
        let whole = Tree::members([(container, Tree::members([(OURS, entry.clone())]))]);
        let look = Look { compact: false, ..look };
        return Ok(vec![Cut::into(text.len(), look.render(&whole, "") + look.newline)]);
    };
    let cut = match root.get(container) {
        None => insert_first(text, root, &look, container, &Tree::members([(OURS, entry.clone())])),
        Some(prop) => match &prop.value {
            Value::Object(entries) => match entries.get(OURS) {
                None => insert_first(text, entries, &look, OURS, entry),
                Some(ours) => Cut {
                    range: range(&ours.value),
                    with: look.render(entry, indent_at(text, ours.range.start)),
                },
            },
            _ => return Err(format!("`{container}` is not an object")),
        },
    };
    Ok(vec![cut])
}

/// Takes our entry out, with the comma and the line that were its own.
pub(super) fn remove(text: &str, container: &str, lenience: Lenience) -> Result<Vec<Cut>, String> {
    let parsed = parse(text, lenience)?;
    let root = parsed.value.as_ref().and_then(Value::as_object);
    let entries = root.and_then(|root| root.get(container)?.value.as_object());
    let found = entries.and_then(|entries| Some((entries, entries.get(OURS)?)));
    let (entries, ours) = found.ok_or("there is no entry of Countersign")?;
    let inner = entries.range.start + 1..entries.range.end - 1;
    let others = entries.properties.len() > 1;
    if !others && is_blank(&text[inner.start..ours.range.start]) && is_blank(&text[ours.range.end..inner.end]) {
        return Ok(vec![Cut::out(inner)]);
    }
    let tokens = parsed.tokens.as_deref().unwrap_or_default();
    let mut cuts = Vec::new();
    let end = match comma(tokens, ours.range.end, inner.end) {
        Some(comma) => comma.end,
        None => {
            let ends = entries.properties.iter().map(|prop| prop.range.end);
            let before = ends.filter(|end| *end <= ours.range.start).max().unwrap_or(inner.start);
            cuts.extend(comma(tokens, before, ours.range.start).map(Cut::out));
            ours.range.end
        }
    };
    cuts.push(Cut::out(with_its_line(text, ours.range.start..end)));
    Ok(cuts)
}

fn comma(tokens: &[TokenAndRange<'_>], from: usize, to: usize) -> Option<Range<usize>> {
    let mut between = tokens.iter().filter(|at| at.range.start >= from && at.range.end <= to);
    between
        .find(|at| matches!(at.token, Token::Comma))
        .map(|at| at.range.start..at.range.end)
}

/// The lines a piece stands on if it has them for itself, else the piece and the space after it.
fn with_its_line(text: &str, piece: Range<usize>) -> Range<usize> {
    let (start, end) = (line_start(text, piece.start), line_end(text, piece.end));
    if is_blank(&text[start..piece.start]) && is_blank(&text[piece.end..end]) {
        return start..end;
    }
    let space = text[piece.end..end].len() - text[piece.end..end].trim_start_matches([' ', '\t']).len();
    piece.start..piece.end + space
}

fn insert_first(text: &str, object: &Object<'_>, look: &Look<'_>, name: &str, value: &Tree) -> Cut {
    let inner = object.range.start + 1..object.range.end - 1;
    let outer = indent_at(text, object.range.start);
    let member = |indent: &str| look.render_member(name, value, indent);
    let Some(first) = object.properties.first() else {
        let indent = format!("{outer}{}", look.unit);
        if !is_blank(&text[inner.clone()]) {
            return Cut::into(inner.start, format!("{}{indent}{}", look.newline, member(&indent)));
        }
        let with = if look.compact {
            member("")
        } else {
            format!("{nl}{indent}{}{nl}{outer}", member(&indent), nl = look.newline)
        };
        return Cut { range: inner, with };
    };
    let gap = &text[inner.start..first.range.start];
    if !gap.contains('\n') {
        let look = Look { compact: true, ..*look };
        let space = if is_blank(gap) { gap } else { " " };
        return Cut::into(inner.start, format!("{space}{},", look.render_member(name, value, "")));
    }
    let indent = indent_at(text, first.range.start);
    let end = line_end(text, inner.start);
    let beside = text[inner.start..end].trim();
    if beside.is_empty() || beside.starts_with("//") {
        // What is said beside the brace is said of the whole object, and stays there.
        return Cut::into(end, format!("{indent}{},{}", member(indent), look.newline));
    }
    Cut::into(inner.start, format!("{}{indent}{},", look.newline, member(indent)))
}

fn range(value: &Value<'_>) -> Range<usize> {
    value.range().start..value.range().end
}

fn indent_at(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// How the file is written, so that what is added looks like the rest.
#[derive(Clone, Copy)]
struct Look<'t> {
    unit: &'t str,
    newline: &'static str,
    compact: bool,
}

impl<'t> Look<'t> {
    fn of(text: &'t str) -> Self {
        let indents = text
            .lines()
            .map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
        let unit = indents
            .zip(text.lines())
            .find(|(indent, line)| !indent.is_empty() && line.trim_start().starts_with('"'));
        Self {
            unit: unit.map_or("  ", |(indent, _)| indent),
            newline: newline_of(text),
            compact: !text.trim().contains('\n') && !text.trim().is_empty(),
        }
    }

    fn render_member(&self, name: &str, value: &Tree, indent: &str) -> String {
        format!("{}: {}", quoted(name), self.render(value, indent))
    }

    fn render(&self, value: &Tree, indent: &str) -> String {
        match value {
            Tree::Text(text) => quoted(text),
            Tree::Bare(text) => text.clone(),
            Tree::List(list) => {
                let items: Vec<_> = list.iter().map(|item| self.render(item, indent)).collect();
                format!("[{}]", items.join(", "))
            }
            Tree::Members(members) => {
                let inner = format!("{indent}{}", self.unit);
                let lines = members
                    .iter()
                    .map(|(name, value)| self.render_member(name, value, &inner));
                if self.compact {
                    return format!("{{{}}}", lines.collect::<Vec<_>>().join(", "));
                }
                let lines: Vec<_> = lines.map(|line| format!("{inner}{line}")).collect();
                let nl = self.newline;
                format!("{{{nl}{}{nl}{indent}}}", lines.join(&format!(",{nl}")))
            }
        }
    }
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
