use countersign_contract::{Change, NamedBy, NamedChange, NamedMember, Preview, Reading, Tool};
use serde_json::Value;

use super::place::MAX_PLACES;
use super::{Descriptor, Field};

const MAX_MISFITS: usize = 20;
const MAX_NAMED: usize = 500;

impl Descriptor {
    /// What it makes of one call and its preview.
    pub(super) fn reading(&self, by: NamedBy, tool: &Tool, arguments: &Value, preview: &Preview) -> Reading {
        let mut misfits = Misfits::default();
        let members = self.members(tool, arguments, &mut misfits);
        let changes = match preview {
            Preview::Changes(said) => self.changes(&said.before, &said.after, &said.changes, &mut misfits),
            _ => Vec::new(),
        };
        Reading {
            by,
            members,
            changes,
            misfits: misfits.named(),
        }
    }

    fn members(&self, tool: &Tool, arguments: &Value, misfits: &mut Misfits) -> Vec<NamedMember> {
        let mut members: Vec<NamedMember> = Vec::new();
        for field in &self.arguments {
            let places = field.at.places(arguments);
            misfits.count(field, places.len());
            if places.is_empty() && !field.at.is_in(&tool.input_schema) {
                misfits.push(format!("it names {}, which the tool does not have", field.at.text()));
            }
            for place in places {
                if members.len() == MAX_NAMED {
                    misfits.push(format!("only the first {MAX_NAMED} members are named"));
                    return members;
                }
                if members.iter().any(|known| known.pointer == place.pointer) {
                    continue;
                }
                let shown = misfits.shown(field, &place.pointer, place.value);
                members.push(NamedMember {
                    pointer: place.pointer,
                    label: field.label.clone(),
                    shown,
                });
            }
        }
        members
    }

    fn changes(&self, before: &Value, after: &Value, changes: &[Change], misfits: &mut Misfits) -> Vec<NamedChange> {
        let mut named: Vec<NamedChange> = Vec::new();
        for field in &self.preview {
            let mut places = field.at.places(before);
            places.extend(field.at.places(after));
            misfits.count(field, places.len() / 2);
            if places.is_empty() {
                misfits.push(format!("it names {}, which the preview does not have", field.at.text()));
            }
            for place in places {
                let is_new = named.iter().all(|known| known.path != place.path);
                let Some(change) = changes.iter().find(|change| is_new && change.path == place.path) else {
                    continue;
                };
                let mut side = |value: &Option<Value>| misfits.shown(field, &place.pointer, value.as_ref()?);
                let (before, after) = (side(&change.before), side(&change.after));
                named.push(NamedChange {
                    path: place.path,
                    label: field.label.clone(),
                    before,
                    after,
                });
            }
        }
        named
    }
}

/// Where a descriptor does not fit; bounded, and said once each.
#[derive(Default)]
struct Misfits {
    named: Vec<String>,
    more: usize,
}

impl Misfits {
    fn push(&mut self, misfit: String) {
        if self.named.contains(&misfit) {
            return;
        }
        if self.named.len() == MAX_MISFITS {
            self.more += 1;
        } else {
            self.named.push(misfit);
        }
    }

    fn count(&mut self, field: &Field, places: usize) {
        if places >= MAX_PLACES {
            self.push(format!("{}: only the first {MAX_PLACES} are named", field.at.text()));
        }
    }

    fn shown(&mut self, field: &Field, pointer: &str, value: &Value) -> Option<String> {
        match field.form.shown(value) {
            Ok(shown) => shown,
            Err(why) => {
                self.push(format!("{pointer} {why}, so it is shown as it is"));
                None
            }
        }
    }

    fn named(mut self) -> Vec<String> {
        if self.more > 0 {
            self.named.push(format!("and {} more", self.more));
        }
        self.named
    }
}
