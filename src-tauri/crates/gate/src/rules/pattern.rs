use std::collections::HashSet;

use countersign_contract::{ArgumentPattern, MemberPattern, MemberTest};
use serde_json::{Map, Value};

use crate::digest::canonical;

/// Whether a pattern covers these arguments. What is not clear is not covered.
pub(crate) fn matches(pattern: &ArgumentPattern, arguments: &Value, canonical_arguments: &str) -> bool {
    match pattern {
        ArgumentPattern::Any => true,
        ArgumentPattern::Exactly { canonical } => canonical == canonical_arguments,
        ArgumentPattern::Members { members } => arguments.as_object().is_some_and(|found| all_pass(members, found)),
    }
}

fn all_pass(members: &[MemberPattern], found: &Map<String, Value>) -> bool {
    let named: HashSet<_> = members.iter().map(|member| member.name.as_str()).collect();
    let nothing_else = found.keys().all(|name| named.contains(name.as_str()));
    nothing_else
        && members
            .iter()
            .all(|member| passes(&member.test, found.get(&member.name)))
}

fn passes(test: &MemberTest, value: Option<&Value>) -> bool {
    match (test, value) {
        (MemberTest::Any, _) => true,
        (MemberTest::Same { value: wanted }, Some(value)) => canonical(wanted) == canonical(value),
        (MemberTest::AtMost { value: most }, Some(value)) => match (most.as_f64(), value.as_f64()) {
            (Some(most), Some(value)) => (0.0..=most).contains(&value),
            _ => false,
        },
        (_, None) => false,
    }
}

/// Whether a pattern says what it means: every member once, and numbers where numbers belong.
pub(crate) fn is_whole(pattern: &ArgumentPattern) -> bool {
    let ArgumentPattern::Members { members } = pattern else {
        return true;
    };
    let mut names = HashSet::new();
    members.iter().all(|member| {
        let test = match &member.test {
            MemberTest::AtMost { value } => value.as_f64().is_some_and(f64::is_finite),
            MemberTest::Any | MemberTest::Same { .. } => true,
        };
        names.insert(member.name.as_str()) && test
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(tests: &[(&str, MemberTest)]) -> ArgumentPattern {
        let member = |(name, test): &(&str, MemberTest)| MemberPattern {
            name: (*name).into(),
            test: test.clone(),
        };
        ArgumentPattern::Members {
            members: tests.iter().map(member).collect(),
        }
    }

    fn covers(pattern: &ArgumentPattern, arguments: &Value) -> bool {
        matches(pattern, arguments, &canonical(arguments))
    }

    #[test]
    fn a_member_that_is_not_named_makes_it_another_call() {
        let tea = MemberTest::Same { value: json!("tea") };
        let pattern = members(&[("sku", tea), ("note", MemberTest::Any)]);
        assert!(covers(&pattern, &json!({"sku": "tea"})));
        assert!(covers(&pattern, &json!({"sku": "tea", "note": [1]})));
        assert!(!covers(&pattern, &json!({"sku": "tea", "to": "elsewhere"})));
        assert!(!covers(&pattern, &json!({"note": 1})));
        assert!(!covers(&pattern, &json!({"sku": ["tea"]})));
    }

    #[test]
    fn a_number_is_between_zero_and_the_most() {
        let pattern = members(&[("pots", MemberTest::AtMost { value: json!(3) })]);
        for pots in [json!(0), json!(3), json!(2.5)] {
            assert!(covers(&pattern, &json!({ "pots": pots })), "{pots}");
        }
        for pots in [json!(-1), json!(3.01), json!("3"), json!(null), json!([1])] {
            assert!(!covers(&pattern, &json!({ "pots": pots })), "{pots}");
        }
        assert!(!covers(&pattern, &json!({})));
    }

    #[test]
    fn the_same_value_is_the_same_in_any_spelling() {
        let pattern = members(&[(
            "at",
            MemberTest::Same {
                value: json!({"b": 1.0, "a": 2}),
            },
        )]);
        assert!(covers(&pattern, &json!({"at": {"a": 2, "b": 1}})));
        assert!(!covers(&pattern, &json!({"at": {"a": 2}})));
    }

    #[test]
    fn a_pattern_that_names_a_member_twice_is_not_whole() {
        assert!(!is_whole(&members(&[("a", MemberTest::Any), ("a", MemberTest::Any)])));
        assert!(!is_whole(&members(&[("a", MemberTest::AtMost { value: json!("3") })])));
        assert!(is_whole(&members(&[("a", MemberTest::AtMost { value: json!(3) })])));
    }
}
