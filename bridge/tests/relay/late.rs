use std::time::Duration;

use countersign_bridge::{DoorEvent, Executed};
use serde_json::json;

use crate::rig::{A, B, Rig, end, two_tools};
use crate::wire::EventStream;

const CALL: Duration = Duration::from_secs(15);

impl Rig {
    async fn ended_late(&mut self) -> Executed {
        self.event("a late end", |event| match event {
            DoorEvent::EndedLate { proposal, tool, ended } => {
                assert_eq!((proposal.0.as_str(), tool.name.as_str()), ("p1", "commit"));
                Some(ended.clone())
            }
            _ => None,
        })
        .await
    }
}

/// A released write that the page did not answer in time.
async fn unanswered() -> (Rig, EventStream) {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let writing = rig.write("commit", json!({})).await;
    stream.message().await;
    rig.clock.pass(CALL).await;
    let executed = end(writing).await;
    let words = "the page did not answer call 1 (commit) within 15 s";
    // Never "not run": it was sent.
    assert_eq!(executed, Executed::Unknown { message: words.into() });
    (rig, stream)
}

#[tokio::test]
async fn a_released_write_that_is_not_answered_is_unknown_and_its_late_end_is_told_once() {
    let (mut rig, mut stream) = unanswered().await;
    let result = json!({ "id": 1, "ok": true, "text": "RATIFIED", "error": null });
    assert_eq!(rig.result(A, result.clone()).await.says(), (204, ""));
    let committed = Executed::Committed {
        result: "RATIFIED".into(),
    };
    assert_eq!(rig.ended_late().await, committed);
    assert_eq!(rig.result(A, result).await.status, 404);
    // It was not sent again: what comes next is another call.
    let _reading = rig.read("read_ledger", &json!({}));
    assert!(stream.message().await.starts_with(r#"{"id":2,"name":"read_ledger""#));
}

#[tokio::test]
async fn a_late_end_may_be_a_failure_and_comes_from_the_same_page_only() {
    let (mut rig, stream) = unanswered().await;
    drop(stream);
    rig.status_when("the page to be away", |status| !status.attached).await;
    let failure = json!({ "id": 1, "ok": false, "text": "", "error": "the host declined" });
    assert_eq!(rig.result(B, failure.clone()).await.status, 404);
    assert_eq!(rig.result(A, failure).await.status, 204);
    let failed = Executed::Failed {
        message: "the host declined".into(),
    };
    assert_eq!(rig.ended_late().await, failed);
}

#[tokio::test]
async fn a_write_whose_page_was_replaced_is_unknown() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let writing = rig.write("commit", json!({})).await;
    stream.message().await;
    drop(stream);
    rig.status_when("the page to be away", |status| !status.attached).await;
    rig.push(B, &two_tools()).await;
    let executed = end(writing).await;
    assert!(
        matches!(&executed, Executed::Unknown { message } if message.contains("may or may not have run")),
        "{executed:?}"
    );
}
