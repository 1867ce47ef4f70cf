use countersign_contract::{Annotations, DoorKind, NamedChange, NamedMember, PageRef, Tool, ToolKey, ToolSource};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::parse::{MAX_LABEL, MAX_MEMBERS, MAX_NAME, MAX_NAMES, MAX_UNIT};
use super::*;
use crate::{At, read_preview};

const ORIGIN: &str = "https://shop.example";

fn tool(schema: Value) -> Tool {
    Tool {
        key: ToolKey("F1/order/1".into()),
        page: PageRef {
            door: DoorKind::Browser,
            tab: "T1".into(),
            frame: "F1".into(),
            document: "D1".into(),
            origin: ORIGIN.into(),
            url: format!("{ORIGIN}/"),
            title: String::new(),
        },
        name: "order".into(),
        title: String::new(),
        description: String::new(),
        input_schema: schema,
        annotations: Annotations::default(),
        source: ToolSource::Script,
        digest: String::new(),
    }
}

fn order(schema: Value, arguments: &Value) -> Act {
    Act::Tool {
        tool: Box::new(tool(schema)),
        arguments: arguments.clone(),
        canonical: arguments.to_string(),
    }
}

fn descriptor(arguments: Value, preview: Value) -> Value {
    json!({"descriptor": 1, "origin": ORIGIN, "tool": "order", "arguments": arguments, "preview": preview})
}

fn parsed(said: &Value) -> Descriptor {
    Descriptor::parse(&said.to_string()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn faults(said: &Value) -> Vec<String> {
    Descriptor::parse(&said.to_string())
        .expect_err("something is wrong with it")
        .0
}

fn reading(said: &Value, arguments: &Value, preview: &Preview) -> Reading {
    let known = Descriptors::new(vec![(NamedBy::Person, parsed(said))]);
    let reading = known.reading(&order(json!({}), arguments), preview);
    reading.expect("there is a descriptor")
}

fn preview(answer: &Value) -> Preview {
    read_preview(&answer.to_string(), &At::new(0, "2026-01-01T00:00:00.000Z"))
}

fn member(pointer: &str, label: &str, shown: Option<&str>) -> NamedMember {
    NamedMember {
        pointer: pointer.into(),
        label: label.into(),
        shown: shown.map(Into::into),
    }
}

#[test]
fn every_form_is_put_into_words() {
    let said = descriptor(
        json!({
            "/note": {"label": "Note"},
            "/cups": {"label": "Cups", "as": "number", "unit": "pieces"},
            "/share": {"label": "Share", "as": "number", "decimals": 3},
            "/price": {"label": "Price", "as": "money", "unit": "EUR", "decimals": 2},
            "/tip": {"label": "Tip", "as": "money", "unit": "EUR"},
            "/at": {"label": "When", "as": "date"},
            "/day": {"label": "Day", "as": "date", "form": "day"},
            "/since": {"label": "Since", "as": "date", "form": "seconds"},
            "/seen": {"label": "Seen", "as": "date", "form": "milliseconds"},
            "/size": {"label": "Size", "as": "name", "names": {"s": "Small", "true": "Yes", "2": "Two"}},
            "/lines/*/sku": {"label": "Thing", "as": "name", "names": {"tea": "Green tea"}},
            "/a~1b": {"label": "Odd"},
        }),
        json!({}),
    );
    let arguments = json!({
        "note": "ring", "cups": 2, "share": "-5", "price": 1990, "tip": "0.50", "at": "2026-12-01T10:30:00+01:00",
        "day": "2026-02-28", "since": 1_767_225_600, "seen": 1_767_225_600_123_u64, "size": true,
        "lines": [{"sku": "tea"}, {"sku": "tea", "cups": 1}], "a/b": null, "unnamed": 7,
    });
    let expected = [
        member("/note", "Note", None),
        member("/cups", "Cups", Some("2 pieces")),
        member("/share", "Share", Some("-0.005")),
        member("/price", "Price", Some("19.90 EUR")),
        member("/tip", "Tip", Some("0.50 EUR")),
        member("/at", "When", Some("1 December 2026, 09:30:00 UTC")),
        member("/day", "Day", Some("28 February 2026")),
        member("/since", "Since", Some("1 January 2026, 00:00:00 UTC")),
        member("/seen", "Seen", Some("1 January 2026, 00:00:00 UTC")),
        member("/size", "Size", Some("Yes")),
        member("/lines/0/sku", "Thing", Some("Green tea")),
        member("/lines/1/sku", "Thing", Some("Green tea")),
        member("/a~1b", "Odd", None),
    ];
    let read = reading(&said, &arguments, &Preview::Pending);
    assert_eq!(
        (read.members.as_slice(), read.misfits.as_slice()),
        (&expected[..], &[][..])
    );
}

#[test]
fn what_has_the_wrong_type_is_named_and_shown_as_it_is() {
    let cases = [
        (json!({"as": "number"}), json!("many"), "is not a plain decimal number"),
        (json!({"as": "number"}), json!(1e30), "is not a plain decimal number"),
        (json!({"as": "number"}), json!([1]), "is not a number"),
        (
            json!({"as": "money", "unit": "EUR", "decimals": 2}),
            json!("19.9"),
            "is not a whole number",
        ),
        (
            json!({"as": "date"}),
            json!("tomorrow"),
            "is not a date and time with a zone",
        ),
        (
            json!({"as": "date", "form": "day"}),
            json!("2026-02-30"),
            "is not a day such as 2026-12-01",
        ),
        (
            json!({"as": "date", "form": "seconds"}),
            json!("1"),
            "is not a whole number of seconds",
        ),
        (
            json!({"as": "name", "names": {"a": "A"}}),
            json!("b"),
            "is a value without a name",
        ),
        (
            json!({"as": "name", "names": {"a": "A"}}),
            json!(null),
            "is not one value",
        ),
    ];
    for (mut field, value, why) in cases {
        field["label"] = "X".into();
        let said = descriptor(json!({"/x": field}), json!({}));
        let read = reading(&said, &json!({"x": value}), &Preview::Pending);
        assert_eq!(read.members, [member("/x", "X", None)], "{value}");
        assert_eq!(read.misfits, [format!("/x {why}, so it is shown as it is")]);
    }
}

#[test]
fn a_member_that_the_tool_does_not_have_is_named() {
    let said = descriptor(
        json!({"/cups": {"label": "Cups"}, "/colour": {"label": "Colour"}, "/lines/*/sku": {"label": "Thing"}}),
        json!({}),
    );
    let known = Descriptors::new(vec![(NamedBy::Person, parsed(&said))]);
    let schema = json!({"properties": {"cups": {}, "lines": {"items": {"properties": {"sku": {}}}}}});
    let misfits = |schema| {
        let read = known.reading(&order(schema, &json!({})), &Preview::Pending);
        read.expect("there is a descriptor").misfits
    };
    assert_eq!(misfits(schema), ["it names /colour, which the tool does not have"]);
    assert_eq!(
        misfits(json!({"type": "object"})),
        Vec::<String>::new(),
        "such a schema says nothing"
    );
}

#[test]
fn changes_are_named_on_both_sides_and_an_absent_side_stays_absent() {
    let said = descriptor(
        json!({}),
        json!({
            "/balance": {"label": "Balance", "as": "money", "unit": "EUR", "decimals": 2},
            "/lines/*/cups": {"label": "Cups", "as": "number", "unit": "pieces"},
            "/gift": {"label": "Gift"},
        }),
    );
    let shown = preview(&json!({
        "before": {"balance": 6000, "lines": [{"cups": 1}], "same": 1},
        "after": {"balance": 3910, "lines": [{"cups": 1}, {"cups": 0}], "same": 1},
    }));
    let read = reading(&said, &json!({}), &shown);
    let change = |path: &str, label: &str, before: Option<&str>, after: Option<&str>| NamedChange {
        path: path.into(),
        label: label.into(),
        before: before.map(Into::into),
        after: after.map(Into::into),
    };
    assert_eq!(
        read.changes,
        [
            change("balance", "Balance", Some("60.00 EUR"), Some("39.10 EUR")),
            change("lines[1].cups", "Cups", None, Some("0 pieces")),
        ]
    );
    assert_eq!(read.misfits, ["it names /gift, which the preview does not have"]);
}

#[test]
fn the_closest_descriptor_counts() {
    let by = |label: &str| descriptor(json!({"/x": {"label": label}}), json!({}));
    let carried = preview(&json!({
        "before": 1, "after": 2,
        "descriptor": {"descriptor": 1, "arguments": {"/x": {"label": "page"}}},
    }));
    let act = order(json!({}), &json!({"x": 1}));
    let mut known = Vec::new();
    let mut expected = vec![(NamedBy::Page, "page")];
    for (by_whom, label) in [(NamedBy::Countersign, "ours"), (NamedBy::Person, "person")] {
        known.push((by_whom, parsed(&by(label))));
        expected.push((by_whom, label));
    }
    for (count, (by_whom, label)) in expected.into_iter().enumerate() {
        let read = Descriptors::new(known[..count].to_vec()).reading(&act, &carried);
        let read = read.expect("somebody describes it");
        assert_eq!((read.by, read.members[0].label.as_str()), (by_whom, label));
    }
    let other = Descriptors::new(vec![(NamedBy::Person, {
        let mut said = by("other");
        said["tool"] = "other".into();
        parsed(&said)
    })]);
    assert_eq!(other.reading(&act, &Preview::Pending), None, "of another tool");
}

#[test]
fn a_page_describes_no_other_tool_and_its_faults_are_named() {
    let carried = |descriptor: Value| {
        let said = preview(&json!({"before": 1, "after": 2, "descriptor": descriptor}));
        let read = Descriptors::default().reading(&order(json!({}), &json!({"x": 1})), &said);
        read.expect("the page's word is shown")
    };
    let named = json!({"/x": {"label": "X"}});
    let other = carried(json!({"descriptor": 1, "tool": "another", "arguments": named}));
    assert_eq!(other.members, []);
    assert_eq!(other.misfits, ["/tool and /origin are of another tool"]);
    assert_eq!(carried(json!("words")).misfits, ["it must be an object"]);
    let long = json!({"descriptor": 1, "arguments": {"/x": {"label": "X".repeat(20_000)}}});
    assert_eq!(carried(long).misfits, ["it is longer than 16 KiB"]);
}

#[test]
fn every_fault_is_named_by_its_path() {
    let said = json!({
        "descriptor": 2, "origin": "https://shop.example/path", "colour": 1,
        "arguments": {
            "x": {"label": "X"},
            "/a": {"label": "A\u{202e}"},
            "/b": {"label": "B", "as": "text", "unit": "EUR"},
            "/c": {"label": "C", "as": "money"},
            "/d~1e": {"as": "number", "decimals": 40},
            "/f": {"label": "F", "as": "name", "names": {"a/b": ""}},
            "/g": {"label": "G", "as": "date", "form": "week"},
            "/h": {"label": "H", "as": "picture"},
        },
        "preview": [],
    });
    assert_eq!(
        faults(&said),
        [
            "/colour is not a member of a descriptor",
            "/descriptor must be 1",
            "/origin must be an origin such as https://shop.example",
            "/tool is missing",
            "/arguments/x is not a JSON pointer: it must begin with “/”",
            "/arguments/~1a/label has characters that do not show or that turn text around",
            "/arguments/~1b/unit says nothing of a text",
            "/arguments/~1c/unit is missing",
            "/arguments/~1d~01e/label is missing",
            "/arguments/~1d~01e/decimals must be a whole number from 0 to 12",
            "/arguments/~1f/names/a~1b must be a text with something in it",
            "/arguments/~1g/form must be date-time, day, seconds or milliseconds",
            "/arguments/~1h/as must be text, number, money, date or name",
            "/preview must be an object",
        ]
    );
}

#[test]
fn a_descriptor_is_bounded() {
    let fields = |count: usize| -> Value {
        (0..count)
            .map(|at| (format!("/{at}"), json!({"label": "X"})))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    assert!(Descriptor::parse(&descriptor(fields(MAX_MEMBERS), json!({})).to_string()).is_ok());
    assert_eq!(
        faults(&descriptor(fields(MAX_MEMBERS + 1), json!({}))),
        ["/arguments has more than 100 members"]
    );
    let label = |text: String| descriptor(json!({"/x": {"label": text}}), json!({}));
    assert!(Descriptor::parse(&label("ö".repeat(MAX_LABEL)).to_string()).is_ok());
    assert_eq!(
        faults(&label("ö".repeat(MAX_LABEL + 1))),
        ["/arguments/~1x/label is longer than 60 characters"]
    );
    assert_eq!(faults(&descriptor(json!({}), json!({}))), ["it names nothing"]);
    let deep = descriptor(json!({"/1/2/3/4/5/6/7/8/9": {"label": "X"}}), json!({}));
    assert!(faults(&deep)[0].ends_with("goes deeper than 8 members"));
    assert!(Descriptor::parse(&"[".repeat(20_000)).is_err());
    assert!(
        Descriptor::parse(r#"{"descriptor": 1, "descriptor": 1}"#).is_err(),
        "a member given twice"
    );
}

#[test]
fn the_schema_and_the_parser_agree() {
    let schema: Value = serde_json::from_str(include_str!("../../../../../docs/descriptor.schema.json")).unwrap();
    let field = &schema["$defs"]["field"]["properties"];
    assert_eq!(field["label"]["maxLength"], MAX_LABEL);
    assert_eq!(field["unit"]["maxLength"], MAX_UNIT);
    assert_eq!(field["decimals"]["maximum"], form::MAX_DECIMALS);
    assert_eq!(field["names"]["maxProperties"], MAX_NAMES);
    assert_eq!(field["names"]["additionalProperties"]["maxLength"], MAX_NAME);
    assert_eq!(schema["$defs"]["fields"]["maxProperties"], MAX_MEMBERS);
    for kind in field["as"]["enum"].as_array().expect("kinds") {
        let mut said = json!({"label": "X", "as": kind});
        match kind.as_str() {
            Some("money") => said["unit"] = "EUR".into(),
            Some("name") => said["names"] = json!({"a": "A"}),
            _ => {}
        }
        parsed(&descriptor(json!({"/x": said}), json!({})));
    }
    for form in field["form"]["enum"].as_array().expect("forms") {
        parsed(&descriptor(
            json!({"/x": {"label": "X", "as": "date", "form": form}}),
            json!({}),
        ));
    }
    parsed(&schema["examples"][0]);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "[a-c/~*0-1é ]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![
            "/?[a-b~*01/]{0,3}",
            Just("label".into()),
            Just("as".into()),
            Just("names".into())
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key, inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn no_descriptor_breaks_a_card(arguments in any_json(), named in any_json(), value in any_json(), after in any_json()) {
        let carried = json!({"descriptor": 1, "arguments": named, "preview": arguments});
        let said = preview(&json!({"before": value, "after": after, "descriptor": carried}));
        let act = order(json!({"properties": {"a": value}}), &json!({"a": value, "b": [after]}));
        if let Some(read) = Descriptors::default().reading(&act, &said) {
            prop_assert_eq!(read.by, NamedBy::Page);
        }
    }

    #[test]
    fn a_named_member_is_there(key in "[a-c~/ *]{0,3}", value in any::<i32>()) {
        let pattern = format!("/{}", place::escaped(&key));
        let said = descriptor(json!({ pattern.clone(): {"label": "X"} }), json!({}));
        let arguments = json!({ key: value });
        let read = reading(&said, &arguments, &Preview::Pending);
        prop_assert_eq!(read.members.len(), 1);
        prop_assert_eq!(arguments.pointer(&read.members[0].pointer), Some(&json!(value)));
    }
}
