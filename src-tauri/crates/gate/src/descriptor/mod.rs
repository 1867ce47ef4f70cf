//! Descriptors: what makes a card readable. Each is for one tool of one origin, and names members of the arguments and of the
//! preview. It takes nothing away: what it makes of a value stands beside the value.

mod fit;
mod form;
mod parse;
mod place;
#[cfg(test)]
mod tests;

use countersign_contract::{Act, DescriptorRef, NamedBy, Preview, Reading};

use form::Form;
use place::Pattern;

/// What is wrong with a descriptor, each fault named by its path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct DescriptorFaults(pub Vec<String>);

/// A descriptor that was read and found to be in order. See `docs/descriptors.md`.
#[derive(Clone, Debug, PartialEq)]
pub struct Descriptor {
    origin: String,
    tool: String,
    arguments: Vec<Field>,
    preview: Vec<Field>,
}

/// One member that a descriptor names.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    at: Pattern,
    label: String,
    form: Form,
}

impl Descriptor {
    /// The origin it is for.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The tool it is for.
    pub fn tool(&self) -> &str {
        &self.tool
    }
}

/// Every descriptor there is, but for those that pages carry.
#[derive(Debug, Default)]
pub(crate) struct Descriptors(Vec<(NamedBy, Descriptor)>);

impl Descriptors {
    pub(crate) fn new(mut all: Vec<(NamedBy, Descriptor)>) -> Self {
        all.sort_by_key(|(by, _)| *by);
        Self(all)
    }

    pub(crate) fn list(&self) -> Vec<DescriptorRef> {
        let listed = |(by, descriptor): &(NamedBy, Descriptor)| DescriptorRef {
            by: *by,
            origin: descriptor.origin.clone(),
            tool: descriptor.tool.clone(),
        };
        self.0.iter().map(listed).collect()
    }

    /// What the closest descriptor makes of a card; `None` when there is none.
    pub(crate) fn reading(&self, act: &Act, preview: &Preview) -> Option<Reading> {
        let Act::Tool { tool, canonical, .. } = act else {
            return None;
        };
        // What is drawn is read from the very text that would run.
        let arguments = &serde_json::from_str(canonical).ok()?;
        let is_for = |descriptor: &Descriptor| descriptor.origin == tool.page.origin && descriptor.tool == tool.name;
        if let Some((by, descriptor)) = self.0.iter().find(|(_, descriptor)| is_for(descriptor)) {
            return Some(descriptor.reading(*by, tool, arguments, preview));
        }
        let Preview::Changes(changes) = preview else {
            return None;
        };
        let carried = Descriptor::carried(changes.descriptor.as_ref()?, tool);
        Some(match carried {
            Ok(descriptor) => descriptor.reading(NamedBy::Page, tool, arguments, preview),
            Err(DescriptorFaults(faults)) => Reading {
                by: NamedBy::Page,
                members: Vec::new(),
                changes: Vec::new(),
                misfits: faults,
            },
        })
    }
}
