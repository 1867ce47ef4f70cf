use countersign_bridge::RelayError;
use countersign_bridge::{RelayConfig, RelayDoor};
use serde_json::json;

use crate::rig::{A, B, ORIGIN, Rig, TOKEN, of_page, two_tools};
use crate::wire::{Ask, ask_both};

const FORBIDDEN: (u16, &str) = (403, "origin not allowed");
const NO_TOKEN: (u16, &str) = (401, "bridge token missing or wrong");
const SECOND: (u16, &str) = (409, "a page is already attached to this bridge; one at a time");

#[tokio::test]
async fn health_is_open_and_shows_no_more_of_the_token_than_its_fingerprint() {
    let (rig, _stream) = Rig::with_page(two_tools()).await;
    let health = rig.ask("GET", "/health", &[], "").await;
    assert_eq!(health.status, 200);
    assert_eq!(health.header("content-type"), Some("application/json"));
    assert_eq!(
        health.json(),
        json!({ "ok": true, "origin": ORIGIN, "tools": ["commit", "read_ledger"], "pages": 1, "token_fingerprint": &TOKEN[..8] })
    );
    assert!(!format!("{health:?}").contains(TOKEN));
    // Also for another page, and for its own.
    assert_eq!(rig.ask("GET", "/health", &of_page(B), "").await.status, 200);
}

#[tokio::test]
async fn a_foreign_origin_is_refused_before_its_token_is_looked_at() {
    let rig = Rig::start().await;
    for origin in [
        "https://evil.example",
        "null",
        "https://room.example/",
        "https://ROOM.example",
        "http://room.example",
        "",
    ] {
        for (method, target) in [
            ("POST", "/tools"),
            ("POST", "/result"),
            ("GET", "/events"),
            ("GET", "/nothing"),
            ("GET", "/health"),
        ] {
            for token in [TOKEN, "wrong"] {
                let headers = [("origin", origin), ("x-bridge-token", token), ("x-bridge-page", A)];
                let answer = rig.ask(method, target, &headers, "{}").await;
                assert_eq!(answer.says(), FORBIDDEN, "{origin} {method} {target}");
                assert_eq!(answer.header("access-control-allow-origin"), None);
            }
        }
    }
    // Two origins are one too many, whichever is first.
    let mut headers = of_page(A).to_vec();
    headers.push(("origin", "https://evil.example"));
    assert_eq!(
        rig.ask("POST", "/tools", &headers, r#"{"tools":[]}"#).await.says(),
        FORBIDDEN
    );
    assert_eq!(rig.health().await["tools"], json!([]));
}

#[tokio::test]
async fn a_preflight_names_what_the_page_has_to_send_and_only_for_its_origin() {
    let rig = Rig::start().await;
    let asks = |origin| [("origin", origin), ("access-control-request-private-network", "true")];
    let ours = rig.ask("OPTIONS", "/tools", &asks(ORIGIN), "").await;
    assert_eq!(ours.says(), (204, ""));
    let said = |name: &str| ours.header(name);
    assert_eq!(said("access-control-allow-origin"), Some(ORIGIN));
    assert_eq!(said("vary"), Some("Origin"));
    assert_eq!(said("access-control-allow-methods"), Some("GET, POST, OPTIONS"));
    assert_eq!(
        said("access-control-allow-headers"),
        Some("content-type, x-bridge-token, x-bridge-page")
    );
    assert_eq!(said("access-control-allow-private-network"), Some("true"));

    let foreign = rig.ask("OPTIONS", "/tools", &asks("https://evil.example"), "").await;
    assert_eq!(foreign.status, 403);
    assert_eq!(foreign.header("access-control-allow-origin"), None);
    assert_eq!(foreign.header("access-control-allow-private-network"), None);
}

#[tokio::test]
async fn every_route_but_health_needs_the_token() {
    let rig = Rig::start().await;
    for (method, target) in [
        ("POST", "/tools"),
        ("POST", "/result"),
        ("GET", "/events"),
        ("GET", "/nothing"),
    ] {
        for token in [
            None,
            Some(""),
            Some("wrong"),
            Some(&TOKEN[1..]),
            Some(&TOKEN.replace("f90", "f91")),
        ] {
            let mut headers = vec![("origin", ORIGIN), ("x-bridge-page", A)];
            headers.extend(token.map(|token| ("x-bridge-token", token)));
            let answer = rig.ask(method, target, &headers, r#"{"tools":[{"name":"a"}]}"#).await;
            assert_eq!(answer.says(), NO_TOKEN, "{method} {target} {token:?}");
            // The page must be able to read why.
            assert_eq!(answer.header("access-control-allow-origin"), Some(ORIGIN));
        }
    }
    assert_eq!(rig.health().await["tools"], json!([]));
}

#[tokio::test]
async fn the_token_in_the_address_counts_for_the_event_stream_only() {
    let rig = Rig::start().await;
    for path in ["/tools", "/result", "/nothing"] {
        let target = format!("{path}?token={TOKEN}&page={A}");
        let answer = rig.ask("POST", &target, &[("origin", ORIGIN)], r#"{"tools":[]}"#).await;
        assert_eq!(answer.says(), NO_TOKEN, "{path}");
    }
    // Where both are given, the header is the one that counts.
    let target = format!("/events?token={TOKEN}&page={A}");
    let wrong = [("origin", ORIGIN), ("x-bridge-token", "wrong")];
    assert_eq!(rig.ask("GET", &target, &wrong, "").await.says(), NO_TOKEN);
    rig.attach(A).await.unwrap();
}

#[tokio::test]
async fn origin_comes_before_token_before_one_page_before_route() {
    let (rig, _stream) = Rig::with_page(two_tools()).await;
    for (origin, token, page, says) in [
        ("https://evil.example", "wrong", B, FORBIDDEN),
        (ORIGIN, "wrong", B, NO_TOKEN),
        (ORIGIN, TOKEN, B, SECOND),
        (ORIGIN, TOKEN, A, (404, "")),
    ] {
        let headers = [("origin", origin), ("x-bridge-token", token), ("x-bridge-page", page)];
        let answer = rig.ask("POST", "/nothing", &headers, "").await;
        assert_eq!(answer.says(), says);
    }
}

#[tokio::test]
async fn what_is_no_route_is_not_found() {
    let rig = Rig::start().await;
    for (method, target) in [
        ("GET", "/"),
        ("GET", "/tools"),
        ("GET", "/result"),
        ("POST", "/events"),
        ("POST", "/health"),
        ("PUT", "/tools"),
        ("POST", "/tools/"),
        ("POST", "/TOOLS"),
    ] {
        let answer = rig
            .ask(method, target, &of_page(A), r#"{"tools":[{"name":"a"}]}"#)
            .await;
        assert_eq!(answer.status, 404, "{method} {target}");
    }
    assert_eq!(rig.health().await["tools"], json!([]));
}

#[tokio::test]
async fn a_name_of_somebody_elses_that_leads_here_is_refused() {
    let rig = Rig::start().await;
    for (host, status) in [
        ("evil.example", 403),
        ("evil.example:7340", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example:7340", 403),
        ("127.0.0.1:7340", 200),
        ("localhost", 200),
    ] {
        let answer = rig.ask("GET", "/health", &[("host", host)], "").await;
        assert_eq!(answer.status, status, "{host}");
    }
}

#[tokio::test]
async fn what_is_no_list_of_tools_is_refused() {
    let rig = Rig::start().await;
    for body in ["", "{}", "[]", "null", "tools", r#"{"tools":{}}"#, r#"{"tools":[]"#] {
        let answer = rig.post(A, "/tools", body).await;
        assert_eq!(answer.says(), (400, "expected {tools: [...]}"), "{body}");
    }
}

#[tokio::test]
async fn a_body_may_have_a_million_characters_and_no_more() {
    let rig = Rig::start().await;
    // A character of three bytes is one; one beyond the first 65,536 is two.
    for (filling, characters) in [("a", 1), ("€", 1), ("🔏", 2)] {
        let body = |length: usize| {
            let frame = r#"{"tools":[{"name":"a","description":""}]}"#;
            let (begin, rest) = frame.split_at(frame.len() - 4);
            let room = length - frame.len();
            format!(
                "{begin}{}{}{rest}",
                filling.repeat(room / characters),
                "a".repeat(room % characters)
            )
        };
        assert_eq!(
            rig.post(A, "/tools", &body(1_000_000)).await.says(),
            (204, ""),
            "{filling}"
        );
        let too_long = rig
            .ask_or_hang_up("POST", "/tools", &of_page(A), &body(1_000_001))
            .await;
        assert_eq!(too_long, None, "{filling}");
    }
    let endless = "a".repeat(4_000_000);
    assert_eq!(rig.ask_or_hang_up("POST", "/result", &of_page(A), &endless).await, None);
    assert_eq!(rig.health().await["ok"], true);
}

#[tokio::test]
async fn a_refused_request_is_read_to_its_end_so_that_its_page_sees_why() {
    let (rig, _stream) = Rig::with_page(two_tools()).await;
    let body = format!(
        r#"{{"tools":[{{"name":"a","description":"{}"}}]}}"#,
        "a".repeat(900_000)
    );
    let wrong_token = [("origin", ORIGIN), ("x-bridge-token", "wrong"), ("x-bridge-page", A)];
    let foreign = [("origin", "https://evil.example")];
    let refused = [
        ("/tools", foreign.to_vec(), FORBIDDEN),
        ("/tools", wrong_token.to_vec(), NO_TOKEN),
        ("/tools", of_page(B).to_vec(), SECOND),
        ("/nothing", of_page(A).to_vec(), (404, "")),
    ];
    for (target, headers, says) in refused {
        let post = Ask {
            method: "POST",
            target,
            headers,
            body: &body,
        };
        let next = Ask {
            method: "GET",
            target: "/health",
            headers: Vec::new(),
            body: "",
        };
        let [first, second] = ask_both(rig.address(), [post, next]).await;
        assert_eq!(first.unwrap().says(), says);
        assert_eq!(second.map(|answer| answer.status), Some(200), "the connection goes on");
    }
}

#[tokio::test]
async fn the_relay_listens_on_loopback_only_and_gives_the_address_to_open() {
    let rig = Rig::start().await;
    assert!(rig.address().ip().is_loopback() && rig.address().is_ipv4());
    let port = rig.address().port();
    assert_eq!(
        rig.invitation.url(),
        format!("{ORIGIN}/?bridge=http://127.0.0.1:{port}&token={TOKEN}")
    );
    assert_eq!(rig.invitation.on.fingerprint, &TOKEN[..8]);
    assert_eq!(RelayConfig::new(ORIGIN).port, 7340);
}

#[tokio::test]
async fn a_port_that_is_taken_and_an_origin_that_is_none_are_said() {
    let rig = Rig::start().await;
    let (other, _events) = RelayDoor::new();
    let config = |origin: &str, port| RelayConfig {
        port,
        ..RelayConfig::new(origin)
    };
    let taken = other.listen(config(ORIGIN, rig.address().port())).await;
    assert!(matches!(taken, Err(RelayError::Port { .. })));
    let none = other.listen(config("https://room.example/room", 0)).await;
    assert!(matches!(none, Err(RelayError::Origin(_))));
    assert_eq!(*other.status().borrow(), countersign_bridge::RelayStatus::default());
}
