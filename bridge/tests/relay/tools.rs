use countersign_bridge::DoorEvent;
use countersign_contract::{DoorKind, TabState, ToolSource};
use countersign_gate::{Level, level};
use serde_json::{Value, json};

use crate::logs;
use crate::rig::{A, ORIGIN, Rig, two_tools};

#[tokio::test]
async fn what_a_page_lists_is_reported_as_its_tab() {
    let (mut rig, _stream) = Rig::with_page(two_tools()).await;
    let tabs = rig.tabs();
    let [tab] = tabs.as_slice() else { panic!("{tabs:?}") };
    assert_eq!((tab.door, tab.state), (DoorKind::Relay, TabState::Ready));
    assert_eq!((tab.origin.as_str(), tab.title.as_str()), (ORIGIN, "room.example"));
    let tool = rig.tool("commit");
    assert_eq!(tool.page.door, DoorKind::Relay);
    assert_eq!((tool.page.origin.as_str(), tool.source), (ORIGIN, ToolSource::Script));
    assert!(!format!("{tabs:?}").contains(A), "the page's nonce is its own");
    assert!(!format!("{tabs:?}").contains(crate::rig::TOKEN));
}

#[tokio::test]
async fn a_tool_without_annotations_is_a_write() {
    let tools = json!([
        { "name": "current_phase", "description": "Only reads, by its name" },
        { "name": "get", "annotations": { "readOnlyHint": true } },
        { "name": "get-and-pay", "annotations": { "readOnlyHint": true, "consequentialHint": true } },
        { "name": "odd", "annotations": { "readOnlyHint": "true" } },
    ]);
    let (mut rig, _stream) = Rig::with_page(tools).await;
    let mut levels = |name: &str| level(&rig.tool(name));
    assert_eq!(levels("current_phase"), Level::Write);
    assert_eq!(levels("get"), Level::Read);
    assert_eq!(levels("get-and-pay"), Level::Write);
    assert_eq!(levels("odd"), Level::Write);
}

#[tokio::test]
async fn a_schema_that_is_text_is_read_and_one_that_cannot_be_is_said_aloud() {
    let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
    let tools = json!([
        { "name": "as-text", "inputSchema": schema.to_string() },
        { "name": "as-object", "inputSchema": schema },
        { "name": "unusable", "inputSchema": "nope" },
        { "name": "none" },
        { "name": "none", "description": "again" },
    ]);
    let (mut rig, _stream) = Rig::with_page(tools).await;
    let empty = json!({ "type": "object", "properties": {} });
    let mut schema_of = |name: &str| -> Value { rig.tool(name).input_schema };
    assert_eq!(schema_of("as-text"), schema);
    assert_eq!(schema_of("as-object"), schema);
    assert_eq!(schema_of("unusable"), empty);
    assert_eq!(schema_of("none"), empty);
    let warnings = logs::warnings();
    let [unusable, twice] = warnings.as_slice() else {
        panic!("{warnings:?}")
    };
    assert!(
        unusable.contains("unusable") && unusable.contains("schema"),
        "{unusable}"
    );
    assert!(twice.contains("none") && twice.contains("two tools"), "{twice}");
}

#[tokio::test]
async fn a_list_is_reported_when_it_changes_and_only_then() {
    let (mut rig, _stream) = Rig::with_page(two_tools()).await;
    let before = rig.tool("commit");
    rig.push(A, &two_tools()).await;
    rig.push(A, &json!([{ "name": "reveal" }])).await;
    let mut lists = Vec::new();
    while lists.last() != Some(&vec!["reveal".to_owned()]) {
        let list = rig.event("a list", |event| match event {
            DoorEvent::Tabs(tabs) => Some(tabs[0].tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>()),
            _ => None,
        });
        lists.push(list.await);
    }
    let two = vec!["commit".to_owned(), "read_ledger".to_owned()];
    // Listed, attached, and listed anew.
    assert_eq!(lists, [two.clone(), two, vec!["reveal".into()]]);
    assert_eq!(countersign_bridge::Door::tool(&rig.door, &before.key).await, None);
}
