//! What pages send: torn, huge, in the wrong order.

use std::time::Duration;

use countersign_contract::TabState;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::page::{Page, hello, words};
use crate::rig::{ORIGIN, Rig, end, two_tools};

#[tokio::test]
async fn what_is_no_message_is_left_aside_and_the_connection_stays() {
    let mut rig = Rig::start().await;
    let mut page = Page::come(&rig).await;
    for torn in [
        "",
        "{",
        "[]",
        "null",
        "{\"type\":\"hello\"}",
        "{\"type\":\"relay/hello\"}",
        "\u{0}",
    ] {
        page.send(Message::text(torn)).await;
    }
    page.send(Message::binary(vec![0xff, 0xfe])).await;
    page.say(&hello("a", ORIGIN)).await;
    rig.tabs_when("the page", |tabs| tabs.len() == 1).await;
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_connection() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let document = rig.tabs()[0].tools[0].page.document.clone();
    page.send(Message::text("x".repeat(1_000_001))).await;
    page.closed().await;
    rig.gone(&document).await;
}

#[tokio::test]
async fn tools_of_a_page_that_has_not_said_who_it_is_are_left_aside() {
    let mut rig = Rig::start().await;
    let mut page = Page::come(&rig).await;
    page.say(&json!({ "type": "tools/list", "tools": two_tools() })).await;
    page.say(&json!({ "type": "result", "callId": "1", "result": words("hm") }))
        .await;
    page.say(&hello("a", ORIGIN)).await;
    let tabs = rig.tabs_when("the page", |tabs| tabs.len() == 1).await;
    assert_eq!((tabs[0].state, tabs[0].tools.len()), (TabState::Loading, 0));
}

#[tokio::test]
async fn a_list_that_changes_is_the_list_from_then_on() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let look = rig.tool("look");
    assert!(look.annotations.read_only && !rig.tool("buy").annotations.read_only);
    let one = json!([{ "name": "look", "description": "Looks elsewhere" }]);
    page.say(&json!({ "type": "tools/changed", "tools": one })).await;
    let tabs = rig.tabs_when("the change", |tabs| tabs[0].tools.len() == 1).await;
    let now = &tabs[0].tools[0];
    assert_eq!(now.key, look.key);
    assert!(now.digest != look.digest && !now.annotations.read_only);
}

#[tokio::test]
async fn a_page_that_answers_nothing_any_more_is_given_up() {
    let mut rig = Rig::start().await;
    let mut page = Page::with_tools(&mut rig, "a", two_tools()).await;
    let document = rig.tool("look").page.document;
    rig.clock.pass(Duration::from_secs(15)).await;
    assert_eq!(page.hear().await, json!({ "type": "ping" }));
    page.say(&json!({ "type": "pong" })).await;
    // Something it is asked after the pong, so that this was heard before the time goes on.
    let look = rig.tool("look");
    let read = rig.read(&look, &json!({}));
    let (call, _) = page.called().await;
    page.answer(&call, words("seen")).await;
    assert_eq!(end(read).await.unwrap(), "seen");
    rig.clock.pass(Duration::from_secs(15)).await;
    assert_eq!(page.hear().await, json!({ "type": "ping" }));
    rig.clock.pass(Duration::from_secs(15)).await;
    assert_eq!(page.closed().await.unwrap(), (1001, "Heartbeat timeout".into()));
    assert_eq!(rig.gone(&document).await, "The page did not answer any more.");
}
