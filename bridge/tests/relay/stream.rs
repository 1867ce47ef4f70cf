use std::time::Duration;

use serde_json::json;

use crate::rig::{A, Rig, end, two_tools};

const PING: Duration = Duration::from_secs(20);

#[tokio::test]
async fn an_event_stream_begins_with_its_greeting_and_is_pinged_every_twenty_seconds() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    assert_eq!(stream.head.header("content-type"), Some("text/event-stream"));
    assert_eq!(stream.head.header("cache-control"), Some("no-cache"));
    assert_eq!(
        stream.head.header("access-control-allow-origin"),
        Some(crate::rig::ORIGIN)
    );
    for _ in 0..3 {
        rig.clock.pass(PING).await;
        assert_eq!(stream.next().await.as_deref(), Some(": ping"));
    }
    // A moment before its time there is none: what comes next is the call.
    rig.clock.pass_all_but(PING, Duration::from_millis(1)).await;
    let reading = rig.read("read_ledger", &json!({}));
    let call = r#"data: {"id":1,"name":"read_ledger","args":{},"kind":"read"}"#;
    assert_eq!(stream.next().await.as_deref(), Some(call));
    rig.clock.go_on(Duration::from_millis(1)).await;
    assert_eq!(stream.next().await.as_deref(), Some(": ping"));
    reading.abort();
}

#[tokio::test]
async fn the_same_page_may_open_its_stream_again_and_is_told_nothing_twice() {
    let (mut rig, mut first) = Rig::with_page(two_tools()).await;
    let reading = rig.read("read_ledger", &json!({ "limit": 1 }));
    let message = first.message().await;
    // The old connection has not been seen to end: the new one takes its place.
    let mut second = rig.attach(A).await.unwrap();
    assert_eq!(first.next().await, None);
    assert!(rig.status().attached);
    let other = rig.read("read_ledger", &json!({ "limit": 2 }));
    assert_ne!(second.message().await, message, "the first call was sent once");

    // What was asked over the one may be answered over the other.
    rig.result(A, json!({ "id": 1, "ok": true, "text": "one", "error": null }))
        .await;
    rig.result(A, json!({ "id": 2, "ok": true, "text": "two", "error": null }))
        .await;
    assert_eq!(
        (end(reading).await, end(other).await),
        (Ok("one".into()), Ok("two".into()))
    );
}

#[tokio::test]
async fn a_call_outlives_a_lost_connection() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let reading = rig.read("read_ledger", &json!({}));
    stream.message().await;
    drop(stream);
    rig.status_when("the page to be away", |status| !status.attached).await;
    let _again = rig.attach(A).await.unwrap();
    rig.result(A, json!({ "id": 1, "ok": true, "text": "all", "error": null }))
        .await;
    assert_eq!(end(reading).await, Ok("all".into()));
}
