//! The list of tools as a page pushes it: `{"tools": [{name, description, inputSchema, title?, annotations?}]}`. A page made for
//! Take Five's bridge gives the first three; the others are for ours.

use std::collections::BTreeMap;

use countersign_contract::{Annotations, PageRef, Tool, ToolKey, ToolSource};
use countersign_gate::definition_digest;
use serde_json::{Value, json};

/// What a page says of one tool.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::doors) struct Pushed {
    pub name: String,
    pub title: String,
    pub description: String,
    pub input_schema: Value,
    pub annotations: Annotations,
}

/// The tools of a push by name, or `None` when it is not one. Of two with one name the first stays, with the graver hints of both.
pub(in crate::doors) fn read(body: &Value) -> Option<BTreeMap<String, Pushed>> {
    let mut tools = BTreeMap::<String, Pushed>::new();
    for tool in body.get("tools")?.as_array()?.iter().filter_map(read_tool) {
        if let Some(first) = tools.get_mut(&tool.name) {
            tracing::warn!(
                tool = tool.name,
                "the page lists two tools of this name; the second is left out"
            );
            first.annotations.read_only &= tool.annotations.read_only;
            first.annotations.consequential |= tool.annotations.consequential;
            first.annotations.untrusted_content |= tool.annotations.untrusted_content;
        } else {
            tools.insert(tool.name.clone(), tool);
        }
    }
    Some(tools)
}

fn read_tool(tool: &Value) -> Option<Pushed> {
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
    if !is_name(name) {
        tracing::warn!(
            name = name.chars().take(60).collect::<String>(),
            "the page lists a tool without a proper name; it is left out"
        );
        return None;
    }
    let text = |member: &str| tool.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Pushed {
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        input_schema: schema(name, tool.get("inputSchema")),
        annotations: hints(tool.get("annotations")),
    })
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=128).contains(&name.len()) && name.bytes().all(fits)
}

/// Some browsers hand a schema to the page as JSON text, and the page passes it on.
fn schema(tool: &str, given: Option<&Value>) -> Value {
    let parsed = match given {
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        other => other.cloned(),
    };
    match parsed {
        Some(schema @ Value::Object(_)) => schema,
        _ => {
            if given.is_some_and(|given| !given.is_null()) {
                tracing::warn!(
                    tool,
                    "the page gave an input schema that cannot be used; this tool is shown and offered as one without arguments"
                );
            }
            json!({ "type": "object", "properties": {} })
        }
    }
}

/// The hint that lowers the level counts only when it is `true`; those that raise it count whenever they are there.
fn hints(given: Option<&Value>) -> Annotations {
    let given = |hint: &str| given.and_then(|given| given.get(hint));
    let says = |hint: &str| match given(hint) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(_) => true,
    };
    Annotations {
        read_only: given("readOnlyHint") == Some(&Value::Bool(true)),
        consequential: says("consequentialHint"),
        untrusted_content: says("untrustedContentHint"),
        autosubmit: false,
    }
}

impl Pushed {
    /// The tool, as a page's tool. Its handle stays the same while the page is there: a tool that the page lists again is compared
    /// by its definition, since no registration is seen from here.
    pub fn tool(self, page: &PageRef) -> Tool {
        Tool {
            key: ToolKey(format!("{}/{}/{}", page.frame, self.name, page.document)),
            digest: definition_digest(
                &self.name,
                &self.title,
                &self.description,
                &self.input_schema,
                &self.annotations,
                &page.origin,
            ),
            page: page.clone(),
            name: self.name,
            title: self.title,
            description: self.description,
            input_schema: self.input_schema,
            annotations: self.annotations,
            source: ToolSource::Script,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(tool: Value) -> Pushed {
        let tools = read(&json!({ "tools": [tool] })).unwrap();
        tools.into_values().next().expect("it is a tool")
    }

    #[test]
    fn a_schema_is_an_object_whatever_the_page_sends() {
        let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
        let empty = json!({ "type": "object", "properties": {} });
        let of = |given: Value| one(json!({ "name": "a", "inputSchema": given })).input_schema;
        assert_eq!(of(schema.clone()), schema);
        assert_eq!(of(schema.to_string().into()), schema);
        for unusable in [
            json!("nope"),
            json!("[1]"),
            json!("\"{}\""),
            json!(4),
            json!([1]),
            json!(true),
            json!(null),
        ] {
            assert_eq!(of(unusable.clone()), empty, "{unusable}");
        }
        assert_eq!(one(json!({ "name": "a" })).input_schema, empty);
    }

    #[test]
    fn a_tool_reads_only_if_it_says_so_strictly() {
        let reads = |given: Value| one(json!({ "name": "a", "annotations": given })).annotations.read_only;
        assert!(reads(json!({ "readOnlyHint": true })));
        for given in [
            json!({}),
            json!(null),
            json!([]),
            json!(true),
            json!({ "readOnlyHint": "true" }),
            json!({ "readOnlyHint": 1 }),
        ] {
            assert!(!reads(given.clone()), "{given}");
        }
        assert!(!one(json!({ "name": "a" })).annotations.read_only);
        assert!(
            one(json!({ "name": "a", "annotations": { "consequentialHint": 1 } }))
                .annotations
                .consequential
        );
    }

    #[test]
    fn of_two_tools_with_one_name_the_first_stays_with_the_graver_hints() {
        let tools = read(&json!({ "tools": [
            { "name": "a", "description": "first", "annotations": { "readOnlyHint": true } },
            { "name": "a", "description": "second", "annotations": { "consequentialHint": true } },
        ] }))
        .unwrap();
        assert_eq!(tools.len(), 1);
        assert_eq!(tools["a"].description, "first");
        let graver = Annotations {
            consequential: true,
            ..Annotations::default()
        };
        assert_eq!(tools["a"].annotations, graver);
    }

    #[test]
    fn what_has_no_proper_name_is_no_tool() {
        let names = ["", "a b", "a/b", &"a".repeat(129), "ä"];
        let tools = names.map(|name| json!({ "name": name }));
        let mut tools = tools.to_vec();
        tools.extend([
            json!(null),
            json!({}),
            json!({ "name": 4 }),
            json!({ "name": "fine.one-2_x" }),
        ]);
        let read = read(&json!({ "tools": tools })).unwrap();
        assert_eq!(read.into_keys().collect::<Vec<_>>(), ["fine.one-2_x"]);
    }

    #[test]
    fn what_is_not_a_list_of_tools_is_not_read() {
        for body in [
            json!({}),
            json!([]),
            json!(null),
            json!({ "tools": {} }),
            json!({ "tools": "a" }),
        ] {
            assert_eq!(read(&body), None, "{body}");
        }
    }
}
