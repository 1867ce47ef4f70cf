use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{Message, ModelCall, TurnRequest};

/// Puts tool calls together from what servers send: a whole call at once, or fragments keyed by id, by index, or by nothing
/// but their order.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Vec<Open>,
}

#[derive(Debug, Default)]
struct Open {
    id: Option<String>,
    index: Option<u64>,
    name: String,
    text: String,
    object: Option<Map<String, Value>>,
    wrong: Option<&'static str>,
}

/// One entry of a `tool_calls` list.
#[derive(Debug, Default)]
pub(crate) struct Fragment {
    id: Option<String>,
    index: Option<u64>,
    name: Option<String>,
    arguments: Value,
}

impl Fragment {
    /// Reads an entry of either wire: `{id?, index?, function: {index?, name?, arguments?}}`.
    pub(crate) fn of_tool_call(entry: &Value) -> Self {
        let function = &entry["function"];
        Self {
            id: filled(&entry["id"]),
            index: index(&entry["index"]).or_else(|| index(&function["index"])),
            ..Self::of_function_call(function)
        }
    }

    /// Reads the older `function_call` form, which has neither id nor index.
    pub(crate) fn of_function_call(function: &Value) -> Self {
        Self {
            name: filled(&function["name"]),
            arguments: function["arguments"].clone(),
            ..Self::default()
        }
    }
}

fn filled(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn index(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

impl Calls {
    /// Nothing was called.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes the next fragment.
    pub(crate) fn add(&mut self, fragment: Fragment) {
        let at = self.place(&fragment).unwrap_or_else(|| {
            self.open.push(Open::default());
            self.open.len() - 1
        });
        self.open[at].take(fragment);
    }

    /// The open call the fragment continues; `None` starts a new one.
    fn place(&self, fragment: &Fragment) -> Option<usize> {
        let by_id = fragment
            .id
            .as_ref()
            .and_then(|id| self.open.iter().rposition(|call| call.id.as_ref() == Some(id)));
        let by_index = || {
            fragment
                .index
                .and_then(|i| self.open.iter().rposition(|call| call.index == Some(i)))
        };
        let at = match (&fragment.id, fragment.index) {
            (Some(_), None) => by_id,
            // An id may come after the first fragment; a differing one at the same index is another call.
            (Some(_), Some(_)) => by_id.or_else(|| by_index().filter(|at| self.open[*at].id.is_none())),
            (None, Some(_)) => by_index(),
            (None, None) => self.open.len().checked_sub(1),
        }?;
        self.open[at].continued_by(fragment).then_some(at)
    }

    /// The calls, with ids that are unique in the conversation.
    pub(crate) fn finish(self, ids: &mut Ids) -> Vec<ModelCall> {
        self.open
            .into_iter()
            .map(|call| ModelCall {
                id: ids.settle(call.id.clone()),
                name: call.name.clone(),
                arguments: call.arguments(),
            })
            .collect()
    }
}

impl Open {
    fn continued_by(&self, fragment: &Fragment) -> bool {
        if let Some(name) = &fragment.name {
            if !self.name.is_empty() && self.name != *name {
                return false;
            }
            // Some servers repeat name (and id) with every fragment, others send whole calls of one tool without an id: a
            // fragment that names the tool and follows complete arguments begins another call.
            let same_id = fragment.id.is_some() && fragment.id == self.id;
            if !same_id && self.is_whole() && !is_blank(&fragment.arguments) {
                return false;
            }
        }
        !(fragment.arguments.is_object() && self.is_begun())
    }

    fn is_begun(&self) -> bool {
        self.object.is_some() || self.wrong.is_some() || !self.text.trim().is_empty()
    }

    fn is_whole(&self) -> bool {
        let text = self.text.trim_end();
        self.object.is_some() || (text.ends_with('}') && serde_json::from_str::<Map<String, Value>>(text).is_ok())
    }

    fn take(&mut self, fragment: Fragment) {
        self.id = self.id.take().or(fragment.id);
        self.index = self.index.or(fragment.index);
        if let Some(name) = fragment.name {
            self.name = name;
        }
        match fragment.arguments {
            Value::Null => {}
            Value::String(text) => self.text.push_str(&text),
            Value::Object(object) => self.object = Some(object),
            Value::Array(_) => self.wrong = Some("an array"),
            Value::Bool(_) | Value::Number(_) => self.wrong = Some("a bare value"),
        }
    }

    fn arguments(self) -> Result<Map<String, Value>, String> {
        let what = |found: &str| format!("The arguments must be one JSON object, but {found}. Nothing was called.");
        if let Some(wrong) = self.wrong {
            return Err(what(&format!("they were {wrong}")));
        }
        if let Some(object) = self.object {
            return Ok(object);
        }
        if self.text.trim().is_empty() {
            return Ok(Map::new());
        }
        match serde_json::from_str(&self.text) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(Value::Null) => Ok(Map::new()),
            Ok(Value::Array(_)) => Err(what("they were an array")),
            Ok(_) => Err(what("they were a bare value")),
            Err(error) => Err(what(&format!("they are not valid JSON ({error})"))),
        }
    }
}

fn is_blank(arguments: &Value) -> bool {
    arguments.is_null() || arguments.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Call ids of one conversation: those a server leaves out, or uses twice, are made up.
#[derive(Debug)]
pub(crate) struct Ids {
    taken: HashSet<String>,
    turn: usize,
}

impl Ids {
    pub(crate) fn of(request: &TurnRequest) -> Self {
        let taken = request.messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.iter().map(|call| call.id.clone()).collect(),
            _ => Vec::new(),
        });
        Self {
            taken: taken.collect(),
            turn: request.messages.len(),
        }
    }

    fn settle(&mut self, given: Option<String>) -> String {
        let made_up = (1..).map(|n| format!("call_{}_{n}", self.turn));
        let id = given
            .into_iter()
            .chain(made_up)
            .find(|id| !self.taken.contains(id))
            .unwrap_or_default();
        self.taken.insert(id.clone());
        id
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Calls, Fragment, Ids};
    use crate::{Message, ModelCall, TurnRequest};

    fn assemble(fragments: &[Value]) -> Vec<(String, String, Result<Value, String>)> {
        let mut calls = Calls::default();
        fragments
            .iter()
            .for_each(|entry| calls.add(Fragment::of_tool_call(entry)));
        let mut ids = Ids::of(&TurnRequest::default());
        calls
            .finish(&mut ids)
            .into_iter()
            .map(|c| (c.id, c.name, c.arguments.map(Value::Object)))
            .collect()
    }

    fn call(id: &str, name: &str, arguments: Value) -> (String, String, Result<Value, String>) {
        (id.into(), name.into(), Ok(arguments))
    }

    #[test]
    fn fragments_join_by_index_and_by_id() {
        let calls = assemble(&[
            json!({"index": 0, "id": "a", "function": {"name": "add", "arguments": "{"}}),
            json!({"index": 1, "id": "b", "function": {"name": "del", "arguments": ""}}),
            json!({"index": 0, "function": {"arguments": "\"n\":1}"}}),
            json!({"id": "b", "function": {"arguments": "{\"n\":2}"}}),
        ]);
        assert_eq!(
            calls,
            [call("a", "add", json!({"n": 1})), call("b", "del", json!({"n": 2}))]
        );
    }

    #[test]
    fn a_differing_id_at_one_index_is_another_call() {
        let calls = assemble(&[
            json!({"index": 0, "id": "a", "function": {"name": "add", "arguments": {"n": 1}}}),
            json!({"index": 0, "id": "b", "function": {"name": "add", "arguments": {"n": 2}}}),
        ]);
        assert_eq!(
            calls,
            [call("a", "add", json!({"n": 1})), call("b", "add", json!({"n": 2}))]
        );
    }

    #[test]
    fn a_second_name_at_one_index_is_another_call() {
        let calls = assemble(&[
            json!({"index": 0, "function": {"name": "add", "arguments": "{}"}}),
            json!({"index": 0, "function": {"name": "del", "arguments": "{}"}}),
        ]);
        assert_eq!(
            calls,
            [call("call_0_1", "add", json!({})), call("call_0_2", "del", json!({}))]
        );
    }

    #[test]
    fn whole_calls_of_one_tool_without_id_or_with_one_index_stay_apart() {
        for index in [json!(null), json!(0)] {
            for (one, two) in [
                (json!({"n": 1}), json!({"n": 2})),
                (json!("{\"n\":1}"), json!("{\"n\":2}")),
            ] {
                let calls = assemble(&[
                    json!({"index": index, "function": {"name": "add", "arguments": one}}),
                    json!({"index": index, "function": {"name": "add", "arguments": two}}),
                ]);
                assert_eq!(
                    calls,
                    [
                        call("call_0_1", "add", json!({"n": 1})),
                        call("call_0_2", "add", json!({"n": 2}))
                    ]
                );
            }
        }
    }

    #[test]
    fn id_and_name_repeated_with_every_fragment_are_not_joined() {
        let fragment = |text: &str| json!({"index": 0, "id": "a", "function": {"name": "add", "arguments": text}});
        let calls = assemble(&[fragment("{\"n\""), fragment(":1"), fragment("}"), fragment("")]);
        assert_eq!(calls, [call("a", "add", json!({"n": 1}))]);
    }

    #[test]
    fn an_id_may_come_late() {
        let calls = assemble(&[
            json!({"index": 0, "function": {"name": "add", "arguments": "{\"n\""}}),
            json!({"index": 0, "id": "a", "function": {"arguments": ":1}"}}),
        ]);
        assert_eq!(calls, [call("a", "add", json!({"n": 1}))]);
    }

    #[test]
    fn missing_null_and_empty_arguments_are_an_empty_object() {
        for arguments in [json!(null), json!(""), json!(" "), json!("null"), json!({})] {
            let calls = assemble(&[json!({"id": "a", "function": {"name": "look", "arguments": arguments}})]);
            assert_eq!(calls, [call("a", "look", json!({}))]);
        }
    }

    #[test]
    fn arrays_scalars_and_broken_text_are_told_to_the_model() {
        let said = [
            json!([1]),
            json!("[1]"),
            json!(3),
            json!("true"),
            json!("\"{}\""),
            json!("{\"n\":"),
            json!("{}{}"),
        ];
        for arguments in said {
            let calls = assemble(&[json!({"id": "a", "function": {"name": "add", "arguments": arguments}})]);
            let message = calls[0].2.as_ref().expect_err("these arguments are no object");
            assert!(
                message.starts_with("The arguments must be one JSON object, but they"),
                "{message}"
            );
        }
    }

    #[test]
    fn ids_are_unique_in_the_conversation() {
        let before = ModelCall {
            id: "call_0".into(),
            name: "look".into(),
            arguments: Ok(serde_json::Map::new()),
        };
        let request = TurnRequest {
            messages: vec![Message::Assistant {
                text: String::new(),
                calls: vec![before],
            }],
            tools: Vec::new(),
        };
        let mut ids = Ids::of(&request);
        let settled: Vec<_> = [Some("call_0"), Some("x"), None]
            .map(|id| ids.settle(id.map(str::to_owned)))
            .into();
        assert_eq!(settled, ["call_1_1", "x", "call_1_2"]);
    }
}
