use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::{ODD, Tree};

/// Deeper than any configuration, and far from the end of the stack.
const DEEPEST: usize = 128;

/// What a document says, and where it says it.
pub(super) struct Node {
    pub tree: Tree,
    /// Bytes, up to the end of the last thing in it.
    pub range: Range<usize>,
    /// Where its members are, if it has any: name, key, value.
    pub members: Vec<(String, Range<usize>, Node)>,
    /// Written with brackets, or a scalar.
    pub flow: bool,
}

struct Reader<'t> {
    text: &'t str,
    events: Vec<(Event<'t>, Span)>,
    /// Where each character begins.
    offsets: Vec<usize>,
    at: usize,
}

/// The one document of a file, if there is one.
pub(super) fn parse(text: &str) -> Result<Option<Node>, String> {
    let mut events = Vec::new();
    for event in Parser::new_from_str(text) {
        events.push(event.map_err(|error| error.to_string())?);
    }
    let mut nested = 0_usize;
    let mut documents = 0;
    for (event, _) in &events {
        match event {
            Event::DocumentStart(_) => documents += 1,
            Event::MappingStart(..) | Event::SequenceStart(..) => nested += 1,
            Event::MappingEnd | Event::SequenceEnd => nested = nested.saturating_sub(1),
            _ => {}
        }
        if nested > DEEPEST {
            return Err("it is nested too deeply".into());
        }
    }
    if documents > 1 {
        return Err("it holds more than one document".into());
    }
    let offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut reader = Reader {
        text,
        events,
        offsets,
        at: 0,
    };
    loop {
        match reader.next()?.0 {
            Event::DocumentStart(_) => return reader.node().map(Some),
            Event::StreamEnd => return Ok(None),
            _ => {}
        }
    }
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Range<usize>), String> {
        let (event, span) = self.events.get(self.at).cloned().ok_or(ODD)?;
        self.at += 1;
        let place = |index: usize| self.offsets.get(index).copied().unwrap_or(self.text.len());
        Ok((event, place(span.start.index())..place(span.end.index())))
    }

    /// The parser counts what follows a closing bracket, comments and all, to it.
    fn closed(&self, at: usize, bracket: char) -> Result<usize, String> {
        if self.text[at..].starts_with(bracket) {
            Ok(at + 1)
        } else {
            Err(ODD.into())
        }
    }

    fn node(&mut self) -> Result<Node, String> {
        let (event, range) = self.next()?;
        self.node_of(event, range)
    }

    fn node_of(&mut self, event: Event<'t>, range: Range<usize>) -> Result<Node, String> {
        let tagged = |anchor: usize, tag: Option<String>| match (anchor, tag) {
            (0, None) => String::new(),
            (anchor, tag) => format!("&{anchor} {} ", tag.unwrap_or_default()),
        };
        let leaf = |tree| Node {
            tree,
            range: range.clone(),
            members: Vec::new(),
            flow: true,
        };
        match event {
            Event::Alias(anchor) => Ok(leaf(Tree::Bare(format!("*{anchor}")))),
            Event::Scalar(text, style, anchor, tag) => {
                let mark = tagged(anchor, tag.map(|tag| tag.to_string()));
                let plain = style == ScalarStyle::Plain || !mark.is_empty();
                Ok(leaf(if plain {
                    Tree::Bare(format!("{mark}{text}"))
                } else {
                    Tree::text(text)
                }))
            }
            Event::SequenceStart(anchor, tag) => {
                let flow = self.text[range.start..].starts_with('[');
                let (mut list, mut end) = (Vec::new(), range.end);
                let mark = tagged(anchor, tag.map(|tag| tag.to_string()));
                list.extend((!mark.is_empty()).then_some(Tree::Bare(mark)));
                loop {
                    let (event, place) = self.next()?;
                    if event == Event::SequenceEnd {
                        end = if flow { self.closed(place.start, ']')? } else { end };
                        break;
                    }
                    let node = self.node_of(event, place)?;
                    end = end.max(node.range.end);
                    list.push(node.tree);
                }
                let mut node = leaf(Tree::List(list));
                node.range.end = end;
                node.flow = flow;
                Ok(node)
            }
            Event::MappingStart(anchor, tag) => {
                let flow = self.text[range.start..].starts_with('{');
                let (mut members, mut trees, mut end) = (Vec::new(), Vec::new(), range.end);
                let mark = tagged(anchor, tag.map(|tag| tag.to_string()));
                trees.extend((!mark.is_empty()).then(|| (mark, Tree::Bare(String::new()))));
                loop {
                    let (event, place) = self.next()?;
                    if event == Event::MappingEnd {
                        end = if flow { self.closed(place.start, '}')? } else { end };
                        break;
                    }
                    let key = self.node_of(event, place)?;
                    let value = self.node()?;
                    end = end.max(value.range.end).max(key.range.end);
                    let (Tree::Text(name) | Tree::Bare(name)) = key.tree else {
                        return Err(ODD.into());
                    };
                    trees.push((name.clone(), value.tree.clone()));
                    members.push((name, key.range, value));
                }
                let mut node = leaf(Tree::unique(trees)?);
                (node.range.end, node.flow, node.members) = (end, flow, members);
                Ok(node)
            }
            _ => Err(ODD.into()),
        }
    }
}
