use std::time::Duration;

use countersign_bridge::{Door, DoorError, DoorEvent, Executed};
use countersign_contract::DoorState;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::rig::{A, B, Rig, end, two_tools, within_patience};

const UNKNOWN_CALL: (u16, &str) = (404, "no such pending call");

#[tokio::test]
async fn a_read_is_answered_with_the_pages_text() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let reading = rig.read("read_ledger", &json!({ "limit": 2 }));
    assert_eq!(
        stream.message().await,
        r#"{"id":1,"name":"read_ledger","args":{"limit":2},"kind":"read"}"#
    );
    let text = r#"{"content":[{"type":"text","text":"Entries 1–3 of 3"}]}"#;
    let result = json!({ "id": 1, "ok": true, "text": text, "error": null });
    assert_eq!(rig.result(A, result.clone()).await.says(), (204, ""));
    assert_eq!(end(reading).await, Ok(text.into()));
    assert_eq!(rig.result(A, result).await.says(), UNKNOWN_CALL, "it has been answered");
}

#[tokio::test]
async fn a_read_that_fails_fails_in_the_pages_words() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    for (number, (result, words)) in [
        (json!({ "ok": false, "text": "", "error": "not now" }), "not now"),
        (
            json!({ "ok": false, "text": "", "error": null }),
            "The page says that the tool failed, and gives no words.",
        ),
        (json!({ "ok": "yes", "text": "all", "error": "odd" }), "odd"),
    ]
    .into_iter()
    .enumerate()
    {
        let reading = rig.read("read_ledger", &json!({}));
        stream.message().await;
        let mut result = result;
        result["id"] = (number + 1).into();
        assert_eq!(rig.result(A, result).await.status, 204);
        assert_eq!(end(reading).await, Err(DoorError::Page(words.into())));
    }
}

#[tokio::test]
async fn a_released_write_is_sent_once_with_the_very_arguments() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let arguments = json!({ "position": "Ja, \u{2028}<b>\"so\"\n", "of": [0.1, -0.0, null, 1e21], "B": 1, "a": {} });
    let writing = rig.write("commit", arguments.clone()).await;
    let canonical = countersign_ledger::canonical(&arguments).unwrap();
    assert_eq!(
        stream.message().await,
        format!(r#"{{"id":1,"name":"commit","args":{canonical},"kind":"write"}}"#)
    );
    assert!(!canonical.contains(['\n', '\r']), "a message is one line");
    let result = json!({ "id": 1, "ok": true, "text": "committed", "error": null });
    assert_eq!(rig.result(A, result.clone()).await.status, 204);
    let committed = Executed::Committed {
        result: "committed".into(),
    };
    assert_eq!(end(writing).await, committed);
    assert_eq!(rig.result(A, result).await.says(), UNKNOWN_CALL);
    // What goes over the stream next is the next call.
    let _reading = rig.read("read_ledger", &json!({}));
    assert!(stream.message().await.starts_with(r#"{"id":2,"name":"read_ledger""#));
}

#[tokio::test]
async fn a_released_write_that_throws_has_failed_in_the_pages_words() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let writing = rig.write("commit", json!({})).await;
    stream.message().await;
    rig.result(A, json!({ "id": 1, "ok": false, "text": "", "error": "Error: closed" }))
        .await;
    let failed = Executed::Failed {
        message: "Error: closed".into(),
    };
    assert_eq!(end(writing).await, failed);
}

#[tokio::test]
async fn the_companion_of_a_write_is_asked_as_a_preview() {
    let reads = json!({ "readOnlyHint": true });
    let tools = json!([
        { "name": "commit" },
        { "name": "commit.preview", "annotations": reads },
        { "name": "other.preview", "annotations": reads },
    ]);
    let (mut rig, mut stream) = Rig::with_page(tools).await;
    for (name, kind) in [("commit.preview", "preview"), ("other.preview", "read")] {
        let reading = rig.read(name, &json!({}));
        let message: Value = serde_json::from_str(&stream.message().await).unwrap();
        assert_eq!(message["kind"], kind);
        reading.abort();
    }
}

#[tokio::test]
async fn what_is_not_attached_is_not_called() {
    let mut rig = Rig::start().await;
    rig.push(A, &two_tools()).await;
    let writing = rig.write("commit", json!({})).await;
    let executed = end(writing).await;
    assert!(
        matches!(&executed, Executed::NotRun { message } if message.contains("not attached")),
        "{executed:?}"
    );
    let reading = rig.read("read_ledger", &json!({}));
    assert!(matches!(end(reading).await, Err(DoorError::PageGone(_))));
    // Nothing was kept for a page that comes later.
    let mut stream = rig.attach(A).await.unwrap();
    let _reading = rig.read("read_ledger", &json!({ "first": true }));
    assert!(stream.message().await.contains("first"));
}

#[tokio::test]
async fn a_tool_that_was_replaced_since_is_not_run() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let shown = rig.tool("commit");
    for tools in [
        json!([{ "name": "commit", "description": "Commits everything" }]),
        json!([]),
    ] {
        let ticket = rig.gatehouse.ticket(&shown, json!({})).await;
        rig.push(A, &tools).await;
        let executed = within_patience("its end", rig.door.execute(ticket)).await;
        assert!(matches!(&executed, Executed::NotRun { .. }), "{executed:?}");
    }
    // The same one, listed again, is the same tool.
    rig.push(A, &two_tools()).await;
    assert_eq!(rig.door.tool(&shown.key).await, Some(shown));
    let _reading = rig.read("read_ledger", &json!({ "first": true }));
    assert!(stream.message().await.contains("first"), "nothing else was sent");
}

#[tokio::test]
async fn nobody_but_the_page_that_was_asked_answers() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let reading = rig.read("read_ledger", &json!({}));
    stream.message().await;
    drop(stream);
    rig.status_when("the page to be away", |status| !status.attached).await;
    let result = json!({ "id": 1, "ok": true, "text": "forged", "error": null });
    assert_eq!(rig.result(B, result).await.says(), UNKNOWN_CALL);
    for id in [
        json!("1"),
        json!(1.5),
        json!(-1),
        json!(0),
        json!(2),
        json!(null),
        json!([1]),
    ] {
        let result = json!({ "id": id, "ok": true, "text": "other", "error": null });
        assert_eq!(rig.result(A, result).await.says(), UNKNOWN_CALL, "{id}");
    }
    assert_eq!(rig.post(A, "/result", "no json").await.says(), UNKNOWN_CALL);
    rig.result(A, json!({ "id": 1, "ok": true, "text": "its own", "error": null }))
        .await;
    assert_eq!(end(reading).await, Ok("its own".into()));
}

#[tokio::test]
async fn a_read_its_caller_gave_up_is_not_waited_for() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let tool = rig.tool("read_ledger");
    let cancel = CancellationToken::new();
    let reading = tokio::spawn({
        let (door, pass, cancel) = (rig.door.clone(), rig.gatehouse.pass(&tool, &json!({})), cancel.clone());
        async move { door.read(pass, cancel).await }
    });
    stream.message().await;
    cancel.cancel();
    assert_eq!(end(reading).await, Err(DoorError::Cancelled));
    let late = json!({ "id": 1, "ok": true, "text": "late", "error": null });
    assert_eq!(rig.result(A, late).await.says(), UNKNOWN_CALL);
}

#[tokio::test]
async fn closing_the_door_ends_everything_and_it_can_be_opened_again() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let document = rig.tool("commit").page.document;
    let writing = rig.write("commit", json!({})).await;
    stream.message().await;
    let address = rig.address();
    rig.door.close().await;
    assert_eq!(stream.next().await, None);
    assert!(matches!(end(writing).await, Executed::Unknown { .. }));
    assert!(rig.gone(&document).await.contains("closed"));
    rig.event("the door to be closed", |event| {
        matches!(event, DoorEvent::Status(DoorState::Closed)).then_some(())
    })
    .await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());

    let config = countersign_bridge::RelayConfig {
        port: 0,
        ..countersign_bridge::RelayConfig::new("https://other.example")
    };
    rig.invitation = rig.door.listen(config).await.unwrap();
    assert_eq!(rig.health().await["origin"], "https://other.example");
    assert_eq!(rig.health().await["tools"], json!([]));
    assert_ne!(rig.health().await["token_fingerprint"], "a1b2c3d4");
}

#[tokio::test]
async fn the_relay_opens_no_page_and_holds_nothing_of_the_pages_own() {
    let (rig, _stream) = Rig::with_page(two_tools()).await;
    let opened = Door::open(&rig.door, "https://room.example").await;
    assert!(matches!(opened, Err(DoorError::Page(words)) if words.contains("your own browser")));
    assert_eq!(rig.door.kind(), countersign_contract::DoorKind::Relay);
}

#[tokio::test]
async fn a_read_that_is_not_answered_in_fifteen_seconds_has_failed() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let reading = rig.read("read_ledger", &json!({}));
    stream.message().await;
    rig.clock.pass(Duration::from_secs(15)).await;
    let words = "the page did not answer call 1 (read_ledger) within 15 s";
    assert_eq!(end(reading).await, Err(DoorError::Page(words.into())));
    let late = json!({ "id": 1, "ok": true, "text": "late", "error": null });
    assert_eq!(rig.result(A, late).await.says(), UNKNOWN_CALL);
}
