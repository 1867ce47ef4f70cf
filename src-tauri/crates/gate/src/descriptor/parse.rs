use countersign_contract::Tool;
use countersign_ledger::parse_strict;
use serde_json::{Map, Value};

use super::form::{DateForm, Form, MAX_DECIMALS};
use super::place::{Pattern, escaped};
use super::{Descriptor, DescriptorFaults, Field};
use crate::digest::canonical;
use crate::invisible::invisible;

const MAX_BYTES: usize = 16 * 1024;
pub(super) const MAX_MEMBERS: usize = 100;
pub(super) const MAX_NAMES: usize = 100;
pub(super) const MAX_LABEL: usize = 60;
pub(super) const MAX_UNIT: usize = 16;
pub(super) const MAX_NAME: usize = 80;
const MAX_FAULTS: usize = 20;
const MAX_PATH: usize = 120;

impl Descriptor {
    /// Reads a descriptor as a person adds it: JSON text that says which tool of which origin it is for.
    ///
    /// # Errors
    /// Every fault, each named by its path.
    pub fn parse(text: &str) -> Result<Self, DescriptorFaults> {
        if text.len() > MAX_BYTES {
            return Err(too_long());
        }
        let said = parse_strict(text).map_err(|error| DescriptorFaults(vec![error.to_string()]))?;
        Self::read(&said)
    }

    /// Reads a descriptor that leaves its origin out, for the pages of `origin`.
    ///
    /// # Errors
    /// Every fault, each named by its path.
    pub fn parse_for(text: &str, origin: &str) -> Result<Self, DescriptorFaults> {
        let mut said = parse_strict(text).map_err(|error| DescriptorFaults(vec![error.to_string()]))?;
        if let Some(members) = said.as_object_mut() {
            members.insert("origin".into(), origin.into());
        }
        Self::read(&said)
    }

    /// Reads the one that a page carries; it can speak of the tool that was previewed and of no other.
    pub(super) fn carried(said: &Value, tool: &Tool) -> Result<Self, DescriptorFaults> {
        if canonical(said).len() > MAX_BYTES {
            return Err(too_long());
        }
        let mut said = said.clone();
        if let Some(members) = said.as_object_mut() {
            members
                .entry("origin")
                .or_insert_with(|| tool.page.origin.clone().into());
            members.entry("tool").or_insert_with(|| tool.name.clone().into());
        }
        let read = Self::read(&said)?;
        if (&read.origin, &read.tool) == (&tool.page.origin, &tool.name) {
            Ok(read)
        } else {
            Err(DescriptorFaults(vec!["/tool and /origin are of another tool".into()]))
        }
    }

    fn read(said: &Value) -> Result<Self, DescriptorFaults> {
        let mut reader = Reader::default();
        let read = reader.descriptor(said);
        match read {
            Some(read) if reader.faults.is_empty() => Ok(read),
            _ => Err(reader.into_faults()),
        }
    }
}

fn too_long() -> DescriptorFaults {
    DescriptorFaults(vec![format!("it is longer than {} KiB", MAX_BYTES / 1024)])
}

type Members = Map<String, Value>;

#[derive(Default)]
struct Reader {
    faults: Vec<String>,
    more: usize,
}

impl Reader {
    fn descriptor(&mut self, said: &Value) -> Option<Descriptor> {
        let members = self.object("", said, &["descriptor", "origin", "tool", "arguments", "preview"])?;
        if members.get("descriptor") != Some(&Value::from(1)) {
            self.fault("/descriptor", "must be 1");
        }
        let origin = self.text("/origin", members.get("origin"), 200);
        if origin.as_deref().is_some_and(|origin| !is_origin(origin)) {
            self.fault("/origin", "must be an origin such as https://shop.example");
        }
        let tool = self.text("/tool", members.get("tool"), 128);
        let arguments = self.fields("/arguments", members.get("arguments"));
        let preview = self.fields("/preview", members.get("preview"));
        if arguments.is_empty() && preview.is_empty() && self.faults.is_empty() {
            self.fault("", "names nothing");
        }
        Some(Descriptor {
            origin: origin?,
            tool: tool?,
            arguments,
            preview,
        })
    }

    fn fields(&mut self, path: &str, said: Option<&Value>) -> Vec<Field> {
        let Some(said) = said else { return Vec::new() };
        let Some(members) = said.as_object() else {
            self.fault(path, "must be an object");
            return Vec::new();
        };
        if members.len() > MAX_MEMBERS {
            self.fault(path, &format!("has more than {MAX_MEMBERS} members"));
            return Vec::new();
        }
        let each = members
            .iter()
            .filter_map(|(at, said)| self.field(&step(path, at), at, said));
        each.collect()
    }

    fn field(&mut self, path: &str, at: &str, said: &Value) -> Option<Field> {
        let at = Pattern::parse(at).map_err(|why| self.fault(path, &why)).ok();
        let members = self.object(path, said, &["label", "as", "unit", "decimals", "form", "names"])?;
        let label = self.text(&step(path, "label"), members.get("label"), MAX_LABEL);
        let form = self.form(path, members);
        Some(Field {
            at: at?,
            label: label?,
            form: form?,
        })
    }

    fn form(&mut self, path: &str, members: &Members) -> Option<Form> {
        let (kind, takes): (&str, &[&str]) = match members.get("as").map_or(Some("text"), Value::as_str) {
            Some("text") => ("text", &[]),
            Some("number") => ("number", &["unit", "decimals"]),
            Some("money") => ("money", &["unit", "decimals"]),
            Some("date") => ("date", &["form"]),
            Some("name") => ("name", &["names"]),
            _ => {
                self.fault(&step(path, "as"), "must be text, number, money, date or name");
                return None;
            }
        };
        for other in ["unit", "decimals", "form", "names"] {
            if members.contains_key(other) && !takes.contains(&other) {
                self.fault(&step(path, other), &format!("says nothing of a {kind}"));
            }
        }
        match kind {
            "text" => Some(Form::Text),
            "date" => self.date(&step(path, "form"), members.get("form")).map(Form::Date),
            "name" => self.names(&step(path, "names"), members.get("names")).map(Form::Name),
            _ => {
                let wanted = kind == "money" || members.contains_key("unit");
                let unit_path = step(path, "unit");
                let unit = wanted.then(|| self.text(&unit_path, members.get("unit"), MAX_UNIT));
                Some(Form::Number {
                    unit: unit.flatten(),
                    decimals: self.decimals(&step(path, "decimals"), members.get("decimals")),
                })
            }
        }
    }

    fn decimals(&mut self, path: &str, said: Option<&Value>) -> Option<u32> {
        let said = said?;
        let places = said.as_u64().filter(|places| *places <= MAX_DECIMALS);
        if places.is_none() {
            self.fault(path, &format!("must be a whole number from 0 to {MAX_DECIMALS}"));
        }
        places.and_then(|places| u32::try_from(places).ok())
    }

    fn date(&mut self, path: &str, said: Option<&Value>) -> Option<DateForm> {
        match said.map_or(Some("date-time"), Value::as_str) {
            Some("date-time") => Some(DateForm::DateTime),
            Some("day") => Some(DateForm::Day),
            Some("seconds") => Some(DateForm::Seconds),
            Some("milliseconds") => Some(DateForm::Milliseconds),
            _ => {
                self.fault(path, "must be date-time, day, seconds or milliseconds");
                None
            }
        }
    }

    fn names(&mut self, path: &str, said: Option<&Value>) -> Option<Vec<(String, String)>> {
        let Some(members) = said.and_then(Value::as_object).filter(|names| !names.is_empty()) else {
            self.fault(path, "must be an object with a name for each value");
            return None;
        };
        if members.len() > MAX_NAMES {
            self.fault(path, &format!("has more than {MAX_NAMES} names"));
            return None;
        }
        let each = members
            .iter()
            .filter_map(|(value, name)| Some((value.clone(), self.text(&step(path, value), Some(name), MAX_NAME)?)));
        Some(each.collect())
    }

    /// An object with no members but these.
    fn object<'a>(&mut self, path: &str, said: &'a Value, known: &[&str]) -> Option<&'a Members> {
        let Some(members) = said.as_object() else {
            self.fault(path, "must be an object");
            return None;
        };
        for name in members.keys().filter(|name| !known.contains(&name.as_str())) {
            self.fault(&step(path, name), "is not a member of a descriptor");
        }
        Some(members)
    }

    /// One line that shows as what it is.
    fn text(&mut self, path: &str, said: Option<&Value>, longest: usize) -> Option<String> {
        let Some(said) = said else {
            self.fault(path, "is missing");
            return None;
        };
        let text = said.as_str().unwrap_or_default();
        let hides = text.contains(char::is_control) || !invisible(said).is_empty();
        if text.trim().is_empty() {
            self.fault(path, "must be a text with something in it");
        } else if text.chars().count() > longest {
            self.fault(path, &format!("is longer than {longest} characters"));
        } else if hides {
            self.fault(path, "has characters that do not show or that turn text around");
        } else {
            return Some(text.to_owned());
        }
        None
    }

    fn fault(&mut self, path: &str, why: &str) {
        if self.faults.len() == MAX_FAULTS {
            self.more += 1;
            return;
        }
        let mut at: String = path.chars().take(MAX_PATH).collect();
        if at.len() < path.len() {
            at.push('…');
        }
        let at = if at.is_empty() { "it" } else { &at };
        self.faults.push(format!("{at} {why}"));
    }

    fn into_faults(mut self) -> DescriptorFaults {
        if self.more > 0 {
            self.faults.push(format!("and {} more", self.more));
        }
        DescriptorFaults(self.faults)
    }
}

fn step(path: &str, name: &str) -> String {
    format!("{path}/{}", escaped(name))
}

fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else {
        return false;
    };
    let is_host = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._:[]".contains(c);
    matches!(scheme, "http" | "https") && !host.is_empty() && host.chars().all(is_host)
}
