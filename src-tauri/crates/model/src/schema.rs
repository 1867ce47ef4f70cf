//! Rewrites a page's JSON Schema to what a model's server understands. Only what is shown to the model changes: arguments
//! are checked against the page's own schema elsewhere.

use serde_json::{Map, Value, json};

const DEEPEST: usize = 16;
const MOST_NODES: usize = 4000;

/// A schema for an object, always: whatever else a page gave becomes an object without properties. Alternatives at the top,
/// which servers refuse there, become one object with the properties of all.
pub fn object(schema: &Value) -> Value {
    let Value::Object(given) = schema else { return empty() };
    let is_object = match given.get("type") {
        None => true,
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(_) => false,
    };
    if !is_object {
        return empty();
    }
    let mut object = resolved(schema, given);
    object.retain(|key, _| {
        !matches!(
            key.as_str(),
            "$schema" | "$id" | "enum" | "const" | "not" | "if" | "then" | "else"
        )
    });
    object.insert("type".into(), "object".into());
    if !object.get("properties").is_some_and(Value::is_object) {
        object.insert("properties".into(), json!({}));
    }
    if !object.get("required").is_none_or(Value::is_array) {
        object.remove("required");
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(parts)) = object.remove(key) {
            parts.iter().for_each(|part| merge(&mut object, part, false));
        }
    }
    Value::Object(object)
}

fn empty() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Adds the properties of `part`, and what it requires if it always holds.
fn merge(object: &mut Map<String, Value>, part: &Value, always: bool) {
    if let (Some(Value::Object(properties)), Some(more)) =
        (object.get_mut("properties"), part["properties"].as_object())
    {
        for (name, schema) in more {
            properties.entry(name.clone()).or_insert_with(|| schema.clone());
        }
    }
    if let (true, Some(more)) = (always, part["required"].as_array()) {
        let required = object.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(required) = required {
            required.extend(more.iter().cloned());
        }
    }
}

/// The same for Ollama, which drops every keyword but `type`, `properties`, `required`, `items`, `enum`, `anyOf` and
/// `description` without a word: references are put in place, `const` and `oneOf` of constants become `enum`, other
/// alternatives `anyOf`, and bounds are told in the description.
pub fn for_ollama(schema: &Value) -> Value {
    let root = object(schema);
    Rewrite { root: schema, nodes: 0 }.schema(&root, 0)
}

struct Rewrite<'a> {
    root: &'a Value,
    nodes: usize,
}

impl Rewrite<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Value {
        self.nodes += 1;
        let Value::Object(given) = schema else { return json!({}) };
        // A schema may refer to itself; beyond this depth a model has lost the thread anyway.
        if depth > DEEPEST || self.nodes > MOST_NODES {
            return json!({});
        }
        let given = resolved(self.root, given);
        let mut out = Map::new();
        let mut told: Vec<String> = given
            .get("description")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .into_iter()
            .collect();

        if let Some(kind) = given.get("type").filter(|kind| kind.is_string() || kind.is_array()) {
            out.insert("type".into(), kind.clone());
        }
        if let Some(Value::Object(properties)) = given.get("properties") {
            let properties = properties
                .iter()
                .map(|(name, inner)| (name.clone(), self.schema(inner, depth + 1)));
            out.insert("properties".into(), Value::Object(properties.collect()));
        }
        if let Some(required) = given
            .get("required")
            .and_then(Value::as_array)
            .filter(|names| !names.is_empty())
        {
            out.insert("required".into(), required.clone().into());
        }
        if let Some(items) = given.get("items").filter(|items| items.is_object()) {
            out.insert("items".into(), self.schema(items, depth + 1));
        }
        if let Some(values) = given.get("enum").and_then(Value::as_array) {
            out.insert("enum".into(), values.clone().into());
        } else if let Some(value) = given.get("const") {
            out.insert("enum".into(), json!([value]));
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(Value::Array(parts)) = given.get(key) {
                self.alternatives(parts, depth, &mut out, &mut told);
            }
        }
        if out.get("type").is_none_or(Value::is_null)
            && let Some(kind) = out.get("enum").and_then(kind_of_all)
        {
            out.insert("type".into(), kind.into());
        }
        told.extend(bounds(&given));
        if !told.is_empty() {
            out.insert("description".into(), told.join(" ").into());
        }
        Value::Object(out)
    }

    fn alternatives(&mut self, parts: &[Value], depth: usize, out: &mut Map<String, Value>, told: &mut Vec<String>) {
        let constants: Option<Vec<Value>> = parts.iter().map(|part| part.get("const").cloned()).collect();
        match constants {
            Some(values) if !out.contains_key("enum") => {
                let meanings = parts.iter().filter_map(|part| {
                    let meaning = part.get("title").or_else(|| part.get("description"))?.as_str()?;
                    Some(format!("{} means {meaning}", part["const"]))
                });
                let meanings: Vec<_> = meanings.collect();
                if !meanings.is_empty() {
                    told.push(format!("({})", meanings.join("; ")));
                }
                out.insert("enum".into(), values.into());
            }
            Some(_) => {}
            None => {
                let parts: Vec<_> = parts.iter().map(|part| self.schema(part, depth + 1)).collect();
                out.entry("anyOf").or_insert(parts.into());
            }
        }
    }
}

/// The schema with a `$ref` into its document and every `allOf` put in place.
fn resolved(root: &Value, given: &Map<String, Value>) -> Map<String, Value> {
    let at = |target: &str| root.pointer(target.strip_prefix('#')?)?.as_object();
    let mut schema = given.clone();
    for _ in 0..DEEPEST {
        let Some(Value::String(target)) = schema.remove("$ref") else {
            break;
        };
        add(&mut schema, at(&target).into_iter().flatten());
    }
    if let Some(Value::Array(parts)) = schema.remove("allOf") {
        for part in parts.iter().filter_map(Value::as_object) {
            let target = part.get("$ref").and_then(Value::as_str);
            let part = target.and_then(at).unwrap_or(part);
            merge(&mut schema, &Value::Object(part.clone()), true);
            add(&mut schema, part.iter());
        }
    }
    schema.remove("$ref");
    schema
}

fn add<'a>(schema: &mut Map<String, Value>, more: impl Iterator<Item = (&'a String, &'a Value)>) {
    for (key, value) in more {
        schema.entry(key.clone()).or_insert_with(|| value.clone());
    }
}

fn kind_of_all(values: &Value) -> Option<&'static str> {
    let values = values.as_array()?;
    let all = |test: fn(&Value) -> bool| !values.is_empty() && values.iter().all(test);
    match () {
        () if all(Value::is_string) => Some("string"),
        () if all(|value| value.is_i64() || value.is_u64()) => Some("integer"),
        () if all(Value::is_number) => Some("number"),
        () if all(Value::is_boolean) => Some("boolean"),
        () => None,
    }
}

/// The bounds of a schema in words, as one sentence in brackets.
fn bounds(schema: &Map<String, Value>) -> Option<String> {
    const WORDS: &[(&str, &str)] = &[
        ("minimum", "at least"),
        ("exclusiveMinimum", "more than"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "less than"),
        ("multipleOf", "a multiple of"),
        ("minLength", "fewest characters:"),
        ("maxLength", "most characters:"),
        ("minItems", "fewest items:"),
        ("maxItems", "most items:"),
        ("pattern", "must match"),
        ("format", "format"),
        ("default", "default"),
        ("examples", "for example"),
    ];
    let mut told: Vec<String> = WORDS
        .iter()
        .filter_map(|(key, words)| {
            let value = match schema.get(*key)? {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            Some(format!("{words} {value}"))
        })
        .collect();
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        told.push("no item twice".into());
    }
    (!told.is_empty()).then(|| format!("({})", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::{for_ollama, object};

    #[test]
    fn an_object_schema_always() {
        let empty = json!({"type": "object", "properties": {}});
        let odd = [
            json!({}),
            json!(null),
            json!(true),
            json!("x"),
            json!([]),
            json!({"type": "string"}),
            json!({"type": ["object", "null"]}),
            json!({"properties": 3, "required": "a", "$schema": "https://json-schema.org/draft/2020-12/schema"}),
        ];
        for schema in odd {
            assert_eq!(object(&schema), empty, "{schema}");
            assert_eq!(for_ollama(&schema), empty, "{schema}");
        }
        let whole = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"], "additionalProperties": false});
        assert_eq!(object(&whole), whole);
    }

    #[test]
    fn alternatives_at_the_top_become_one_object() {
        let schema = json!({
            "oneOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "string"}}}],
            "allOf": [{"properties": {"c": {"type": "number"}}, "required": ["c"]}],
        });
        let expected = json!({
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "number"}},
            "required": ["c"],
        });
        assert_eq!(object(&schema), expected);
    }

    #[test]
    fn what_ollama_drops_is_rewritten() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "$defs": {"money": {"type": "number", "minimum": 0, "description": "In euro."}},
            "properties": {
                "size": {"oneOf": [{"const": "s", "title": "small"}, {"const": "l", "title": "large"}]},
                "kind": {"const": "gift"},
                "count": {"type": "integer", "minimum": 1, "maximum": 5, "description": "How many.", "default": 1},
                "price": {"$ref": "#/$defs/money"},
                "day": {"type": "string", "format": "date"},
                "tags": {"type": "array", "items": {"type": "string", "maxLength": 8}, "uniqueItems": true},
                "who": {"oneOf": [{"type": "string"}, {"type": "null"}]},
            },
            "required": ["size"],
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "size": {"type": "string", "enum": ["s", "l"], "description": "(\"s\" means small; \"l\" means large)"},
                "kind": {"type": "string", "enum": ["gift"]},
                "count": {"type": "integer", "description": "How many. (at least 1, at most 5, default 1)"},
                "price": {"type": "number", "description": "In euro. (at least 0)"},
                "day": {"type": "string", "description": "(format date)"},
                "tags": {"type": "array", "items": {"type": "string", "description": "(most characters: 8)"}, "description": "(no item twice)"},
                "who": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
            "required": ["size"],
        });
        assert_eq!(for_ollama(&schema), expected);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({
            "type": "object",
            "$defs": {"a": {"$ref": "#/$defs/a"}, "tree": {"type": "object", "properties": {
                "left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}},
            "properties": {"tree": {"$ref": "#/$defs/tree"}, "odd": {"$ref": "#/$defs/a"}, "gone": {"$ref": "#/nowhere"}},
        });
        let out = for_ollama(&schema);
        assert_eq!(out["properties"]["tree"]["properties"]["left"]["type"], json!("object"));
        assert_eq!(
            (&out["properties"]["odd"], &out["properties"]["gone"]),
            (&json!({}), &json!({}))
        );
        assert!(!out.to_string().contains("$ref"), "no reference may be left");
    }

    #[test]
    fn every_part_is_made_of_what_ollama_keeps() {
        fn check(schema: &Value) {
            for (key, value) in schema.as_object().expect("an object") {
                match key.as_str() {
                    "properties" => value.as_object().expect("an object").values().for_each(check),
                    "items" => check(value),
                    "anyOf" => value.as_array().expect("an array").iter().for_each(check),
                    "type" | "description" | "enum" | "required" => {}
                    other => panic!("{other} would be dropped"),
                }
            }
        }
        check(&for_ollama(&json!({"title": "T", "properties": {"a": {
            "title": "A", "allOf": [{"type": "string", "pattern": "^x"}], "not": {}, "readOnly": true, "anyOf": [{"minLength": 2}]}}})));
    }

    #[test]
    fn a_reference_at_the_top_is_put_in_place() {
        let schema = json!({"$ref": "#/$defs/item", "$defs": {"item": {"type": "object", "properties": {"n": {"type": "integer"}}}}});
        assert_eq!(object(&schema)["properties"], json!({"n": {"type": "integer"}}));
        assert_eq!(
            for_ollama(&schema),
            json!({"type": "object", "properties": {"n": {"type": "integer"}}})
        );
    }

    fn any_schema() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i8>().prop_map(Value::from),
            prop::sample::select(vec!["object", "string", "#/$defs/a", "#", "a"]).prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let key = prop::sample::select(vec![
                "type",
                "properties",
                "items",
                "enum",
                "const",
                "oneOf",
                "anyOf",
                "allOf",
                "$ref",
                "$defs",
                "a",
                "required",
                "minimum",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..5).prop_map(|members| {
                    Value::Object(
                        members
                            .into_iter()
                            .map(|(key, value)| (key.to_owned(), value))
                            .collect::<Map<_, _>>(),
                    )
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_a_page_gives_becomes_an_object_schema(schema in any_schema()) {
            for out in [object(&schema), for_ollama(&schema)] {
                prop_assert_eq!(&out["type"], &json!("object"));
                prop_assert!(out["properties"].is_object(), "{}", out);
            }
        }
    }
}
