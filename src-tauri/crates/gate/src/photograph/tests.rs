use serde_json::json;

use super::*;
use crate::At;

fn shot(read: &str, before: Value, after: Value) -> Shot {
    Shot {
        read: read.into(),
        before: Ok(before.to_string()),
        after: Ok(after.to_string()),
    }
}

fn promise(before: Value, after: Value) -> Preview {
    let text = json!({ "before": before, "after": after }).to_string();
    crate::read_preview(&text, &At::new(0, "2026-12-01T00:00:00.000Z"))
}

fn change(path: &str, before: Option<Value>, after: Option<Value>) -> Change {
    Change {
        path: path.into(),
        before,
        after,
    }
}

fn founds(shots: &[Shot], promised: &Preview) -> Vec<Found> {
    let promises = measured(shots, promised).promises;
    promises.into_iter().map(|promise| promise.found).collect()
}

#[test]
fn a_promise_that_was_kept_is_told_from_one_that_was_not() {
    let promised = promise(json!({"balance": 20, "orders": 1}), json!({"balance": 8, "orders": 2}));
    let read = shot(
        "account",
        json!({"account": {"balance": 20, "orders": 1}}),
        json!({"account": {"balance": 3, "orders": 2}}),
    );
    assert_eq!(
        founds(&[read], &promised),
        [
            Found::Otherwise {
                read: "account".into(),
                measured: change("account.balance", Some(json!(20)), Some(json!(3))),
            },
            Found::AsPromised { read: "account".into() },
        ]
    );
}

#[test]
fn a_promise_that_nothing_came_of_is_not_taken_for_untold() {
    let promised = promise(json!({"balance": 20}), json!({"balance": 8}));
    let unmoved = shot("account", json!({"balance": 20}), json!({"balance": 20}));
    assert_eq!(
        founds(&[unmoved], &promised),
        [Found::Otherwise {
            read: "account".into(),
            measured: change("balance", Some(json!(20)), Some(json!(20))),
        }]
    );
}

#[test]
fn what_was_to_be_added_or_removed_is_measured_as_there_and_not_there() {
    let promised = promise(json!({"note": "old", "same": 1}), json!({"line": "tea", "same": 1}));
    let read = shot("basket", json!({"note": "old"}), json!({"line": "tea"}));
    assert_eq!(
        founds(&[read], &promised),
        [
            Found::AsPromised { read: "basket".into() },
            Found::AsPromised { read: "basket".into() }
        ]
    );
}

#[test]
fn where_two_places_could_be_meant_none_is() {
    let promised = promise(json!({"balance": 20}), json!({"balance": 8}));
    let two = shot(
        "accounts",
        json!({"mine": {"balance": 20}, "yours": {"balance": 20}}),
        json!({"mine": {"balance": 8}, "yours": {"balance": 20}}),
    );
    let other = shot("clock", json!({"imbalance": 20}), json!({"imbalance": 8}));
    assert_eq!(founds(&[two, other], &promised), [Found::NotTold]);
}

#[test]
fn an_answer_is_taken_out_of_an_mcp_result_and_text_is_compared_as_text() {
    let wrapped = |text: &str| json!({ "content": [{ "type": "text", "text": text }] });
    for (before, after, changes) in [
        (
            wrapped(r#"{"n":1}"#),
            wrapped(r#"{"n":2}"#),
            vec![change("n", Some(json!(1)), Some(json!(2)))],
        ),
        (
            wrapped("one"),
            wrapped("two"),
            vec![change("value", Some(json!("one")), Some(json!("two")))],
        ),
        (json!(3), json!(3), vec![]),
    ] {
        let seen = measured(&[shot("read", before, after)], &Preview::Pending);
        assert!(
            matches!(&seen.photographs[0].shows, Shows::Compared { changes: found, .. } if *found == changes),
            "{seen:?}"
        );
        assert_eq!(seen.promises, []);
    }
}

#[test]
fn a_side_that_is_missing_is_not_measured_and_never_unchanged() {
    let promised = promise(json!({"n": 1}), json!({"n": 2}));
    let fine = Ok::<_, String>(r#"{"n":2}"#.to_owned());
    let shots = [
        (Err("it did not answer".into()), fine.clone()),
        (fine.clone(), Err("the page has gone".into())),
        (fine.clone(), Ok(json!({ "isError": true, "content": [] }).to_string())),
        (fine, Ok("x".repeat(MAX_BYTES + 1))),
    ];
    for (before, after) in shots {
        let shot = Shot {
            read: "read".into(),
            before,
            after,
        };
        let seen = measured(&[shot], &promised);
        assert!(
            matches!(seen.photographs[0].shows, Shows::NotMeasured { .. }),
            "{seen:?}"
        );
        assert_eq!(seen.promises[0].found, Found::NotTold);
    }
}
