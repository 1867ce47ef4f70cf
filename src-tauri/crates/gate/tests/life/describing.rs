use countersign_contract::{NamedBy, Preview, ProposalState, RowKind};
use countersign_gate::{Descriptor, GateError};
use serde_json::{Value, json};

use crate::support::*;

fn labelled(label: &str) -> Vec<(NamedBy, Descriptor)> {
    let said = json!({
        "descriptor": 1, "origin": buy().page.origin, "tool": buy().name, "arguments": {"/sku": {"label": label}},
    });
    vec![(
        NamedBy::Person,
        Descriptor::parse(&said.to_string()).expect("a descriptor"),
    )]
}

fn carrying(name: &str) -> Preview {
    let answer: Value = json!({
        "before": {"teas": 0},
        "after": {"teas": 3},
        "descriptor": {"descriptor": 1, "arguments": {
            "/sku": {"label": "Product", "as": "name", "names": {"tea": name}},
        }},
    });
    let desk = Desk::new();
    countersign_gate::read_preview(&answer.to_string(), &desk.at())
}

#[test]
fn another_descriptor_is_another_card() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.arm(&id);
    let before = desk.card(&id);
    assert_eq!(before.reading, None);

    let at = desk.at();
    desk.gate.describe(labelled("Product"), &at);
    let card = desk.card(&id);
    assert_eq!(card.reading.expect("it is described").members[0].label, "Product");
    assert_ne!(card.digest, before.digest);
    assert!(
        matches!(desk.press(&id), Err(GateError::NotArmed { .. })),
        "what it says now has not been seen"
    );
    desk.gate.describe(labelled("Product"), &at);
    assert_eq!(desk.card(&id).digest, card.digest, "the same words are the same card");
}

#[test]
fn what_is_decided_keeps_the_words_it_was_decided_with() {
    let mut desk = Desk::new();
    let at = desk.at();
    desk.gate.describe(labelled("Product"), &at);
    let id = desk.held();
    let draft = desk.draft(&id);
    assert_eq!(draft.row().data["namedBy"], "person");
    let row = desk.append(draft.row());
    let at = desk.at();
    desk.gate.release(draft, row, [7; 16], &at).expect("its own row");
    desk.gate.describe(Vec::new(), &at);
    assert_eq!(desk.card(&id).state, ProposalState::Released);
    assert!(desk.card(&id).reading.is_some());
}

#[test]
fn a_page_that_describes_otherwise_at_the_release_is_held_again() {
    let mut desk = Desk::new();
    let id = desk.hold_with(call(json!({"sku": "tea"})), carrying("Green tea"));
    let reading = desk.card(&id).reading.expect("the page describes it");
    assert_eq!(
        (reading.by, reading.members[0].shown.as_deref()),
        (NamedBy::Page, Some("Green tea"))
    );

    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    let at = desk.at();
    let held = desk
        .gate
        .recheck(press, Some(&buy()), Some(carrying("A car")), &at)
        .expect_err("the same bytes are called something else");
    assert_eq!(held.row.expect("a row").kind, RowKind::Repriced);
    let card = desk.card(&id);
    assert_eq!(card.moved[0].what, "description");
    assert!(card.moved[0].before.ends_with("Green tea"), "{:?}", card.moved);
    assert!(card.moved[0].after.ends_with("A car"), "{:?}", card.moved);
    assert_eq!(
        card.reading.expect("still described").members[0].shown.as_deref(),
        Some("A car")
    );
}
