use countersign_contract::{Basis, Change, Cost, CostItem, CostTotal};
use proptest::prelude::*;
use serde_json::json;

use super::*;

const NOW: &str = "2026-01-01T00:00:00.000Z";

fn read_value(value: &Value) -> Preview {
    read_preview(&value.to_string(), &At::new(0, NOW))
}

fn changes(value: &Value) -> Changes {
    match read_value(value) {
        Preview::Changes(changes) => *changes,
        other => panic!("expected changes, got {other:?}"),
    }
}

fn why(text: &str) -> String {
    match read_preview(text, &At::new(0, NOW)) {
        Preview::Unavailable { why } => why,
        other => panic!("expected unavailable, got {other:?}"),
    }
}

#[test]
fn a_whole_answer_is_read() {
    let answer = json!({
        "summary": "Two more teas",
        "before": {"quantity": 1},
        "after": {"quantity": 3},
        "cost": {"items": [{"label": "Tea", "amount": "12.00", "unit": "EUR"}], "tolerance": "0.01"},
        "risks": [{"level": "critical", "text": "Cannot be returned"}, {"level": "loud", "text": "Late"}],
        "other": "ignored",
    });
    let risk = |id: &str, level, text: &str| Risk {
        id: id.into(),
        level,
        text: text.into(),
        grade: Grade::ClientAsserted,
    };
    assert_eq!(
        changes(&answer),
        Changes {
            summary: Some("Two more teas".into()),
            before: json!({"quantity": 1}),
            after: json!({"quantity": 3}),
            changes: vec![Change {
                path: "quantity".into(),
                before: Some(json!(1)),
                after: Some(json!(3))
            }],
            cost: Cost {
                items: vec![CostItem {
                    label: "Tea".into(),
                    amount: Some("12.00".into()),
                    unit: "EUR".into(),
                    of: None,
                    basis: Basis::Quoted,
                }],
                totals: vec![CostTotal {
                    amount: "12.00".into(),
                    unit: "EUR".into()
                }],
                not_measured: 0,
                as_of: Some(NOW.into()),
                tolerance: Some("0.01".into()),
            },
            risks: vec![
                risk("page.1", RiskLevel::Critical, "Cannot be returned"),
                risk("page.2", RiskLevel::Caution, "Late"),
            ],
            descriptor: None,
            digest: sha256(&canonical(&answer)),
            at: NOW.into(),
        }
    );
}

#[test]
fn an_mcp_result_and_text_in_text_are_unwrapped() {
    let answer = json!({"before": {"a": 1}, "after": {"a": 2}});
    let envelope = json!({"content": [{"type": "text", "text": answer.to_string()}]});
    for text in [
        envelope.to_string(),
        json!(answer.to_string()).to_string(),
        json!(envelope.to_string()).to_string(),
    ] {
        assert_eq!(read_preview(&text, &At::new(0, NOW)), read_value(&answer), "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_unavailable_and_says_why() {
    for (text, words) in [
        ("", "not JSON"),
        ("it costs nothing", "not JSON"),
        ("null", "not a JSON object"),
        ("[]", "not a JSON object"),
        ("{}", "neither what would change"),
        (r#"{"before": null, "after": null}"#, "neither what would change"),
        (r#"{"before": 1, "after": 2, "risks": "many"}"#, "agreed form"),
        (
            r#"{"content": [{"type": "text", "text": "Error: no such item"}]}"#,
            "no such item",
        ),
        (
            r#"{"isError": true, "content": [{"type": "text", "text": "{}"}]}"#,
            "preview failed",
        ),
    ] {
        assert!(why(text).contains(words), "{text}: {}", why(text));
    }
    assert!(why(&"x".repeat(MAX_BYTES + 1)).contains("too long"));
}

#[test]
fn a_write_that_would_fail_is_its_own_state() {
    let expected = |message: &str| Preview::WouldFail {
        message: message.into(),
        at: NOW.into(),
    };
    assert_eq!(
        read_value(&json!({"fails": "Sold out", "before": {}, "after": {}})),
        expected("Sold out")
    );
    assert_eq!(
        read_value(&json!({"fails": true})),
        expected("The page gave no reason.")
    );
    assert!(matches!(
        read_value(&json!({"fails": "", "before": 1, "after": 2})),
        Preview::Changes(_)
    ));
    assert!(matches!(
        read_value(&json!({"fails": false, "before": 1, "after": 2})),
        Preview::Changes(_)
    ));
}

#[test]
fn equal_sides_are_no_change() {
    let Preview::NoChange { cost, at } = read_value(&json!({
        "before": {"a": 1}, "after": {"a": 1.0},
        "cost": {"items": [{"label": "Fee", "amount": 2, "unit": "EUR"}]},
    })) else {
        panic!("expected no change")
    };
    assert_eq!((cost.totals[0].amount.as_str(), at.as_str()), ("2", NOW));
}

#[test]
fn a_risk_is_not_lost_when_nothing_would_change() {
    let changes =
        changes(&json!({"before": 1, "after": 1, "risks": [{"level": "critical", "text": "Sends a letter"}]}));
    assert_eq!(
        (changes.changes.len(), changes.risks[0].level),
        (0, RiskLevel::Critical)
    );
}

#[test]
fn a_price_without_a_state_does_not_count_as_no_change() {
    let changes = changes(&json!({"cost": {"items": [{"label": "Fee", "amount": "2", "unit": "EUR"}]}}));
    assert_eq!(
        changes.risks.iter().map(|risk| risk.id.as_str()).collect::<Vec<_>>(),
        ["preview.no-state"]
    );
}

#[test]
fn what_begins_to_exist_is_added() {
    let changes = changes(&json!({"before": null, "after": {"order": {"id": "7"}}}));
    assert_eq!(
        changes.changes,
        [Change {
            path: "order.id".into(),
            before: None,
            after: Some(json!("7"))
        }]
    );
}

#[test]
fn amounts_that_are_no_decimal_are_not_measured() {
    let changes = changes(&json!({"before": 0, "after": 1, "cost": {"items": [
        {"label": "A", "amount": 12.5, "unit": "EUR"},
        {"label": "B", "amount": "1e2", "unit": "EUR"},
        {"label": "C", "amount": null, "unit": "EUR"},
    ]}}));
    assert_eq!(
        changes.cost.totals,
        [CostTotal {
            amount: "12.5".into(),
            unit: "EUR".into()
        }]
    );
    assert_eq!(changes.cost.not_measured, 2);
}

#[test]
fn a_long_difference_is_cut_with_a_note() {
    let after: Vec<_> = (0..300).collect();
    let changes = changes(&json!({"before": [], "after": after}));
    let note = changes.risks.last().expect("a note");
    assert_eq!((note.id.as_str(), note.grade), (CUT, Grade::ServerObserved));
    assert!(note.text.starts_with("100 more differences"), "{}", note.text);
}

#[test]
fn too_many_risks_keep_the_weight_of_the_heaviest() {
    let risks: Vec<_> = (0..30)
        .map(|n| json!({"level": if n == 25 { "critical" } else { "note" }, "text": "x".repeat(600)}))
        .collect();
    let changes = changes(&json!({"before": 0, "after": 1, "risks": risks}));
    let last = changes.risks.last().expect("a last risk");
    assert_eq!(
        (changes.risks.len(), last.id.as_str(), last.level),
        (21, "page.more", RiskLevel::Critical)
    );
    assert_eq!(changes.risks[0].text.chars().count(), 501);
}

proptest! {
    #[test]
    fn no_text_of_a_page_reads_as_free_or_harmless_by_accident(text in r#"[\[\]{}":,a-z0-9. ]{0,40}"#) {
        let read = read_preview(&text, &At::new(0, NOW));
        let states = text.contains("before") || text.contains("after");
        let readable = matches!(read, Preview::NoChange { .. } | Preview::Changes(_));
        prop_assert!(states || !readable || text.contains("cost") || text.contains("summary") || text.contains("risks"));
    }
}
