use std::time::Duration;

use countersign_bridge::{Door, DoorError, DoorEvent, Executed, McpBConfig};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::page::{Page, failure, words};
use crate::rig::{ORIGIN, Rig, end, two_tools};

#[tokio::test]
async fn a_read_is_sent_with_the_very_arguments_and_answered() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let look = rig.tool("look");
    let read = rig.read(&look, &json!({ "b": 1, "a": "ä" }));
    let (call, message) = page.called().await;
    let expected = format!(r#"{{"type":"invoke","callId":"{call}","toolName":"look","args":{{"a":"ä","b":1}}}}"#);
    assert_eq!(message, expected);
    page.answer(&call, words("seen")).await;
    assert_eq!(end(read).await.unwrap(), "seen");
}

#[tokio::test]
async fn a_read_that_the_page_fails_says_the_pages_words() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let look = rig.tool("look");
    let read = rig.read(&look, &json!({}));
    let (call, _) = page.called().await;
    page.answer(&call, failure("closed today")).await;
    assert_eq!(end(read).await, Err(DoorError::Page("closed today".into())));
}

#[tokio::test]
async fn a_cancelled_read_ends_and_its_answer_is_nobody_elses() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let look = rig.tool("look");
    let cancel = CancellationToken::new();
    let read = rig.read_until(&look, &json!({}), cancel.clone());
    let (first, _) = page.called().await;
    cancel.cancel();
    assert_eq!(end(read).await, Err(DoorError::Cancelled));
    let next = rig.read(&look, &json!({}));
    let (second, _) = page.called().await;
    assert_ne!(first, second);
    page.answer(&first, words("old")).await;
    page.answer(&second, words("new")).await;
    assert_eq!(end(next).await.unwrap(), "new");
}

#[tokio::test]
async fn an_answer_counts_only_from_the_page_that_was_asked() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let look = rig.tool("look");
    let mut other = Page::with_tools(&mut rig, "b", json!([])).await;
    let read = rig.read(&look, &json!({}));
    let (call, _) = page.called().await;
    other.answer(&call, words("forged")).await;
    // Heard in order: once its list has changed, the forged answer was heard too.
    other
        .say(&json!({ "type": "tools/changed", "tools": [{ "name": "done" }] }))
        .await;
    rig.tabs_when("the other's list", |tabs| tabs.iter().any(|tab| tab.tools.len() == 1))
        .await;
    page.answer(&call, words("true")).await;
    assert_eq!(end(read).await.unwrap(), "true");
}

#[tokio::test]
async fn a_released_write_is_sent_once_and_settled_by_the_pages_answer() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let buy = rig.tool("buy");
    for (answer, expected) in [
        (
            words("bought"),
            Executed::Committed {
                result: "bought".into(),
            },
        ),
        (
            failure("sold out"),
            Executed::Failed {
                message: "sold out".into(),
            },
        ),
    ] {
        let write = rig.write(&buy, json!({ "sku": "tea" })).await;
        let (call, message) = page.called().await;
        assert!(
            message.ends_with(r#""toolName":"buy","args":{"sku":"tea"}}"#),
            "{message}"
        );
        page.answer(&call, answer).await;
        assert_eq!(end(write).await, expected);
    }
}

#[tokio::test]
async fn a_write_whose_end_the_widget_did_not_see_is_unknown() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let buy = rig.tool("buy");
    for words in [
        "Host response timeout: webmcp.tools.invoke",
        "Tool execution interrupted by navigation",
    ] {
        let write = rig.write(&buy, json!({})).await;
        let (call, _) = page.called().await;
        page.answer(&call, failure(words)).await;
        let Executed::Unknown { message } = end(write).await else {
            panic!("it is not known");
        };
        assert!(message.starts_with(words), "{message}");
    }
}

#[tokio::test]
async fn a_write_that_was_sent_when_its_page_went_is_unknown_and_another_that_was_not_did_not_run() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let buy = rig.tool("buy");
    let write = rig.write(&buy, json!({})).await;
    page.called().await;
    drop(page);
    assert!(matches!(end(write).await, Executed::Unknown { .. }));
    rig.gone(&buy.page.document).await;
    assert_eq!(rig.door.tool(&buy.key).await, None);
    // The same page, come back: nothing tells it from its next load.
    let mut again = Page::with_tools(&mut rig, "a", two_tools()).await;
    let late = rig.write(&buy, json!({})).await;
    assert!(matches!(end(late).await, Executed::NotRun { .. }));
    again.say(&json!({ "type": "tools/changed", "tools": [] })).await;
    rig.tabs_when("the change", |tabs| tabs[0].tools.is_empty()).await;
    assert_eq!(rig.status().pages, 1);
}

#[tokio::test]
async fn a_tool_that_the_page_replaced_is_not_run() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let buy = rig.tool("buy");
    page.say(&json!({ "type": "tools/changed", "tools": [{ "name": "buy", "description": "Sells" }] }))
        .await;
    rig.tabs_when("the change", |tabs| tabs[0].tools.len() == 1).await;
    let write = rig.write(&buy, json!({})).await;
    let Executed::NotRun { message } = end(write).await else {
        panic!("it did not run");
    };
    assert!(message.contains("replaced"), "{message}");
}

#[tokio::test]
async fn a_write_that_is_not_answered_in_time_is_unknown_and_its_late_end_is_told() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let buy = rig.tool("buy");
    let write = rig.write(&buy, json!({})).await;
    let (call, _) = page.called().await;
    rig.clock.go_on(Duration::from_secs(14)).await;
    rig.clock
        .pass_all_but(Duration::from_secs(15), Duration::from_secs(14))
        .await;
    assert!(matches!(end(write).await, Executed::Unknown { .. }));
    page.answer(&call, words("bought after all")).await;
    let ended = rig
        .event("its late end", |event| match event {
            DoorEvent::EndedLate { tool, ended, .. } if tool.name == "buy" => Some(ended.clone()),
            _ => None,
        })
        .await;
    let expected = Executed::Committed {
        result: "bought after all".into(),
    };
    assert_eq!(ended, expected);
}

#[tokio::test]
async fn closing_the_door_ends_what_is_under_way_and_it_can_be_turned_on_again() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let (look, buy) = (rig.tool("look"), rig.tool("buy"));
    let read = rig.read(&look, &json!({}));
    page.called().await;
    let write = rig.write(&buy, json!({})).await;
    page.called().await;
    rig.door.close().await;
    assert!(matches!(end(read).await, Err(DoorError::PageGone(_))));
    assert!(matches!(end(write).await, Executed::Unknown { .. }));
    assert_eq!(page.closed().await.map(|(code, _)| code), Some(1001));
    assert_eq!(rig.status(), countersign_bridge::McpBStatus::default());
    let port = rig.address().port();
    let config = McpBConfig {
        origins: vec![ORIGIN.into()],
        widgets: Vec::new(),
        port,
    };
    rig.on = rig.door.listen(config).await.expect("the port is free again");
    Page::with_tools(&mut rig, "a", two_tools()).await;
}
