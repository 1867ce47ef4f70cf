use countersign_bridge::{Door, RelayConfig};
use serde_json::json;

use crate::logs;
use crate::rig::{A, B, ORIGIN, Rig, TOKEN, end, two_tools};

#[tokio::test]
async fn the_token_is_in_no_log_no_report_and_no_debug_text() {
    let (mut rig, mut stream) = Rig::with_page(two_tools()).await;
    let reading = rig.read("read_ledger", &json!({}));
    stream.message().await;
    rig.result(A, json!({ "id": 1, "ok": true, "text": "all", "error": null }))
        .await;
    end(reading).await.unwrap();
    // What is refused as well, and what is broken.
    rig.attach(B).await.unwrap_err();
    rig.push(A, &json!([{ "name": "no name" }, { "name": "a", "inputSchema": 4 }]))
        .await;
    rig.ask("GET", &format!("/tools?token={TOKEN}"), &[("origin", ORIGIN)], "")
        .await;
    rig.ask(
        "GET",
        &format!("/events?token={TOKEN}&token={TOKEN}%zz"),
        &[("origin", ORIGIN)],
        "",
    )
    .await;
    rig.ask(
        "GET",
        "/health",
        &[("origin", "https://evil.example"), ("x-bridge-token", TOKEN)],
        "",
    )
    .await;
    rig.ask_or_hang_up("POST", "/tools", &crate::rig::of_page(A), &"a".repeat(4_000_000))
        .await;
    rig.door.close().await;
    let mut reports = String::new();
    rig.event("the door to be closed", |event| {
        reports += &format!("{event:?}");
        matches!(
            event,
            countersign_bridge::DoorEvent::Status(countersign_contract::DoorState::Closed)
        )
        .then_some(())
    })
    .await;
    let all = logs::all();
    assert!(all.contains("a second page was refused"), "it listens: {all}");
    assert!(!all.contains(TOKEN) && !all.contains(&TOKEN[8..]), "{all}");
    assert!(reports.contains("read_ledger") && !reports.contains(&TOKEN[8..]));
    let config = RelayConfig {
        token: countersign_bridge::RelayToken::given(TOKEN).unwrap(),
        ..RelayConfig::new(ORIGIN)
    };
    for text in [
        format!("{config:?}"),
        format!("{:?}", rig.invitation),
        format!("{:?}", rig.status()),
    ] {
        assert!(!text.contains(&TOKEN[8..]), "{text}");
    }
}
