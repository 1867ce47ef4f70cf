use countersign_contract::Change;
use serde_json::Value;

const MAX_CHANGES: usize = 200;
const MAX_DEPTH: usize = 12;

/// The leaves that differ between two values.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Diff {
    /// The first of them.
    pub changes: Vec<Change>,
    /// How many more there are.
    pub cut: usize,
}

/// Compares leaf by leaf. A side that is `None` is not there at all.
pub(crate) fn diff(before: Option<&Value>, after: Option<&Value>) -> Diff {
    let mut diff = Diff::default();
    diff.walk("", before, after, 0);
    diff
}

/// Whether two values mean the same to a page: numbers are compared as numbers, not as they are written.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || ((one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}

impl Diff {
    fn walk(&mut self, path: &str, before: Option<&Value>, after: Option<&Value>, depth: usize) {
        let deep = depth >= MAX_DEPTH;
        match (before, after) {
            (None, None) => {}
            (Some(before), Some(after)) if same(before, after) => {}
            (Some(Value::Object(before)), Some(Value::Object(after))) if !deep => {
                for (key, value) in before {
                    self.walk(&member(path, key), Some(value), after.get(key), depth + 1);
                }
                for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                    self.walk(&member(path, key), None, Some(value), depth + 1);
                }
            }
            (Some(Value::Array(before)), Some(Value::Array(after))) if !deep => {
                self.walk_items(path, before, after, depth + 1);
            }
            (Some(Value::Object(members)), None) if !deep && !members.is_empty() => {
                members
                    .iter()
                    .for_each(|(key, value)| self.walk(&member(path, key), Some(value), None, depth + 1));
            }
            (None, Some(Value::Object(members))) if !deep && !members.is_empty() => {
                members
                    .iter()
                    .for_each(|(key, value)| self.walk(&member(path, key), None, Some(value), depth + 1));
            }
            (Some(Value::Array(items)), None) if !deep && !items.is_empty() => {
                self.walk_items(path, items, &[], depth + 1)
            }
            (None, Some(Value::Array(items))) if !deep && !items.is_empty() => {
                self.walk_items(path, &[], items, depth + 1)
            }
            (before, after) => self.push(path, before, after),
        }
    }

    /// A list that grew or shrank keeps what is the same at both ends, so that one removed line shows as one.
    fn walk_items(&mut self, path: &str, before: &[Value], after: &[Value], depth: usize) {
        let (mut head, mut tail) = (0, 0);
        if before.len() != after.len() {
            let shorter = before.len().min(after.len());
            while head < shorter && same(&before[head], &after[head]) {
                head += 1;
            }
            while tail < shorter - head && same(&before[before.len() - 1 - tail], &after[after.len() - 1 - tail]) {
                tail += 1;
            }
        }
        for index in head..(before.len() - tail).max(after.len() - tail) {
            let one = before[..before.len() - tail].get(index);
            let other = after[..after.len() - tail].get(index);
            self.walk(&format!("{path}[{index}]"), one, other, depth);
        }
    }

    fn push(&mut self, path: &str, before: Option<&Value>, after: Option<&Value>) {
        if self.changes.len() == MAX_CHANGES {
            self.cut += 1;
            return;
        }
        let path = if path.is_empty() { "value" } else { path };
        self.changes.push(Change {
            path: path.into(),
            before: before.cloned(),
            after: after.cloned(),
        });
    }
}

pub(crate) fn member(path: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    match (path.is_empty(), plain) {
        (true, true) => key.to_owned(),
        (false, true) => format!("{path}.{key}"),
        (_, false) => format!("{path}[{}]", Value::from(key)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn changes(before: Value, after: Value) -> Vec<Change> {
        diff(Some(&before), Some(&after)).changes
    }

    fn change(path: &str, before: Option<Value>, after: Option<Value>) -> Change {
        Change {
            path: path.into(),
            before,
            after,
        }
    }

    #[test]
    fn paths_lead_to_the_leaf() {
        assert_eq!(
            changes(
                json!({"basket": {"lines": [{"sku": "tea", "quantity": 1}], "open": true}}),
                json!({"basket": {"lines": [{"sku": "tea", "quantity": 3}], "open": true}}),
            ),
            [change("basket.lines[0].quantity", Some(json!(1)), Some(json!(3)))]
        );
    }

    #[test]
    fn added_and_removed_have_one_side_only() {
        assert_eq!(
            changes(json!({"old": 0, "same": null}), json!({"new": 0, "same": null})),
            [change("old", Some(json!(0)), None), change("new", None, Some(json!(0)))]
        );
        assert_eq!(
            changes(json!({}), json!({"line": {"sku": "tea", "tags": []}})),
            [
                change("line.sku", None, Some(json!("tea"))),
                change("line.tags", None, Some(json!([])))
            ]
        );
    }

    #[test]
    fn null_is_a_value_and_not_an_absence() {
        assert_eq!(
            changes(json!({"a": null}), json!({"a": 0})),
            [change("a", Some(json!(null)), Some(json!(0)))]
        );
    }

    #[test]
    fn one_removed_line_is_one_change() {
        assert_eq!(
            changes(json!(["a", "b", "c"]), json!(["b", "c"])),
            [change("[0]", Some(json!("a")), None)]
        );
        assert_eq!(
            changes(json!(["a", "c"]), json!(["a", "b", "c"])),
            [change("[1]", None, Some(json!("b")))]
        );
        assert_eq!(
            changes(json!(["a", "a"]), json!(["a"])),
            [change("[1]", Some(json!("a")), None)]
        );
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let written = serde_json::from_str::<Value>(r#"{"a": 1.0}"#).unwrap();
        assert_eq!(changes(json!({"a": 1}), written), []);
        assert_eq!(
            changes(
                json!({"a": 9_007_199_254_740_993_u64}),
                json!({"a": 9_007_199_254_740_992_u64})
            )
            .len(),
            1
        );
    }

    #[test]
    fn an_odd_key_is_quoted() {
        assert_eq!(
            changes(json!({"a b": {"c.d": 1}}), json!({"a b": {"c.d": 2}}))[0].path,
            r#"["a b"]["c.d"]"#
        );
    }

    #[test]
    fn a_leaf_at_the_root_has_a_name() {
        assert_eq!(
            changes(json!(1), json!("1")),
            [change("value", Some(json!(1)), Some(json!("1")))]
        );
    }

    #[test]
    fn more_than_can_be_listed_is_counted() {
        let after: Vec<_> = (0..MAX_CHANGES + 7).collect();
        let diff = diff(Some(&json!([])), Some(&json!(after)));
        assert_eq!((diff.changes.len(), diff.cut), (MAX_CHANGES, 7));
    }

    #[test]
    fn below_the_depth_limit_a_subtree_is_one_leaf() {
        let nest = |leaf: u32| (0..MAX_DEPTH + 3).fold(json!(leaf), |inner, _| json!({"n": inner}));
        let found = changes(nest(1), nest(2));
        assert_eq!((found.len(), found[0].path.matches('n').count()), (1, MAX_DEPTH));
        assert_eq!(found[0].after, Some(json!({"n": {"n": {"n": 2}}})));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3_i64..3).prop_map(Value::from),
            (-3_i32..3).prop_map(|n| json!(f64::from(n))),
            "[a-c]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[a-c. ]{0,2}", inner, 0..4).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn there_is_a_difference_exactly_where_values_are_not_the_same(one in value(), other in value()) {
            prop_assert_eq!(diff(Some(&one), Some(&other)).changes.is_empty(), same(&one, &other));
            prop_assert_eq!(diff(Some(&one), Some(&one)), Diff::default());
            prop_assert!(!diff(None, Some(&one)).changes.is_empty(), "what is added shows, even when it is empty or null");
            for change in diff(Some(&one), None).changes {
                prop_assert_eq!(change.after, None);
            }
        }
    }
}
