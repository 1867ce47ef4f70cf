use std::time::Duration;

use countersign_bridge::{Door, SecondPage};
use countersign_contract::TabState;
use serde_json::json;

use crate::rig::{A, B, ORIGIN, Rig, TOKEN, of_page, two_tools};
use crate::wire::Answer;

const SECOND: (u16, &str) = (409, "a page is already attached to this bridge; one at a time");

async fn asks_everything(rig: &Rig, page: &str) -> [Answer; 4] {
    let push = rig.push(page, &json!([{ "name": "x" }])).await;
    let events = rig.attach(page).await.expect_err("no stream");
    let result = rig
        .result(page, json!({ "id": 1, "ok": true, "text": "x", "error": null }))
        .await;
    let nothing = rig.post(page, "/nothing", "").await;
    [push, events, result, nothing]
}

#[tokio::test]
async fn a_second_page_is_refused_on_every_route_and_that_is_kept_for_the_panel() {
    let (mut rig, _stream) = Rig::with_page(two_tools()).await;
    assert_eq!(rig.status().refused, None);
    for answer in asks_everything(&rig, B).await {
        assert_eq!(answer.says(), SECOND);
        assert_eq!(answer.header("access-control-allow-origin"), Some(ORIGIN));
    }
    // A page that gives no nonce is another page as well.
    let without = [("origin", ORIGIN), ("x-bridge-token", TOKEN)];
    assert_eq!(
        rig.ask("POST", "/tools", &without, r#"{"tools":[]}"#).await.says(),
        SECOND
    );
    assert_eq!(
        rig.status().refused,
        Some(SecondPage {
            reason: SECOND.1.into(),
            times: 5
        })
    );
    assert_eq!(rig.health().await["tools"], json!(["commit", "read_ledger"]));
    assert_eq!(rig.tabs()[0].tools.len(), 2);
    // The first goes on as before.
    assert_eq!(rig.push(A, &two_tools()).await.says(), (204, ""));
}

#[tokio::test]
async fn the_seat_is_free_when_the_stream_has_ended() {
    let (mut rig, stream) = Rig::with_page(two_tools()).await;
    let document = rig.tool("commit").page.document;
    let _ = asks_everything(&rig, B).await;
    drop(stream);
    rig.status_when("the page to be away", |status| !status.attached).await;
    assert_eq!(rig.health().await["pages"], 0);
    // What it listed is still there for it to come back to, and nothing can be called.
    assert_eq!(rig.tabs()[0].state, TabState::Loading);

    assert_eq!(rig.push(B, &json!([{ "name": "x" }])).await.says(), (204, ""));
    let _second = rig.attach(B).await.unwrap();
    assert!(rig.gone(&document).await.contains("Another page"));
    assert_eq!(rig.health().await["tools"], json!(["x"]));
    assert_ne!(rig.tool("x").page.document, document);
    assert_eq!(rig.status().refused, None, "who was refused before has it now");
    assert_eq!(rig.push(A, &two_tools()).await.says(), SECOND);
}

#[tokio::test]
async fn a_page_that_does_not_come_back_is_gone() {
    let (mut rig, stream) = Rig::with_page(two_tools()).await;
    let document = rig.tool("commit").page.document;
    drop(stream);
    rig.clock.pass(Duration::from_secs(10)).await;
    assert!(rig.gone(&document).await.contains("did not come back"));
    assert_eq!(rig.tabs(), []);
    assert_eq!(rig.health().await["tools"], json!([]));
}

#[tokio::test]
async fn a_page_that_comes_back_in_time_is_still_the_same() {
    let (mut rig, stream) = Rig::with_page(two_tools()).await;
    let before = rig.tool("commit");
    drop(stream);
    rig.clock
        .pass_all_but(Duration::from_secs(10), Duration::from_millis(1))
        .await;
    let _again = rig.attach(A).await.unwrap();
    rig.clock.go_on(Duration::from_secs(60)).await;
    assert_eq!(rig.push(A, &two_tools()).await.says(), (204, ""));
    assert_eq!(rig.tool("commit"), before);
    assert_eq!(rig.door.tool(&before.key).await, Some(before));
}

#[tokio::test]
async fn a_probe_is_answered_after_the_checks_and_changes_nothing() {
    let rig = Rig::start().await;
    let probe = |page: &str| json!({ "id": format!("probe-{page}") });
    let unknown = (404, "no such pending call");
    assert_eq!(rig.result(A, probe(A)).await.says(), unknown);
    assert_eq!(rig.health().await["pages"], 0, "it takes no seat");
    assert!(!rig.status().attached);

    rig.push(A, &two_tools()).await;
    let _stream = rig.attach(A).await.unwrap();
    assert_eq!(rig.result(A, probe(A)).await.says(), unknown);
    assert_eq!(rig.result(B, probe(B)).await.says(), SECOND);
    let wrong = [("origin", ORIGIN), ("x-bridge-token", "wrong"), ("x-bridge-page", A)];
    assert_eq!(
        rig.ask("POST", "/result", &wrong, &probe(A).to_string()).await.status,
        401
    );
    assert_eq!(rig.health().await["pages"], 1);
    assert_eq!(rig.health().await["tools"], json!(["commit", "read_ledger"]));
}

#[tokio::test]
async fn a_page_from_before_there_were_nonces_is_served_and_is_the_only_one() {
    let mut rig = Rig::start().await;
    let headers = &of_page("")[..3];
    let body = json!({ "tools": two_tools() }).to_string();
    assert_eq!(rig.ask("POST", "/tools", headers, &body).await.status, 204);
    let target = format!("/events?token={TOKEN}");
    let open = async || {
        let ask = crate::wire::Ask {
            method: "GET",
            target: &target,
            headers: vec![("origin", ORIGIN)],
            body: "",
        };
        crate::wire::EventStream::open(rig.address(), ask).await
    };
    let mut stream = open().await.unwrap();
    assert_eq!(stream.next().await.as_deref(), Some(": attached"));
    assert_eq!(open().await.unwrap_err().says(), SECOND);
    assert_eq!(rig.push(A, &json!([])).await.says(), SECOND);

    let reading = rig.read("read_ledger", &json!({}));
    assert!(stream.message().await.contains("read_ledger"));
    let result = json!({ "id": 1, "ok": true, "text": "all", "error": null }).to_string();
    assert_eq!(rig.ask("POST", "/result", headers, &result).await.status, 204);
    assert_eq!(crate::rig::end(reading).await, Ok("all".into()));
}
