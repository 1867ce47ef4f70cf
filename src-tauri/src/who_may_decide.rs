//! Only the approval window may decide: the capability files are enforced here as they are in the real app.

use countersign_contract::{Code, ErrorView};
use serde_json::{Value, json};
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, Manager, WebviewUrl, WebviewWindowBuilder};

use crate::app::Started;
use crate::windows::{APPROVAL, LEDGER, PANEL};

const DECISIONS: [&str; 10] = [
    "approval_shown",
    "approval_release",
    "approval_refuse",
    "approval_edit",
    "approval_set_aside",
    "approval_refuse_all",
    "approval_resume",
    "approval_client_shown",
    "approval_pair",
    "approval_turn_away",
];

fn app() -> App<MockRuntime> {
    let app = crate::with_commands(mock_builder())
        .build(crate::context())
        .expect("the app builds on the mock runtime");
    app.manage(Started::failed(ErrorView::new(Code::Internal, "no core in this test")));
    app
}

fn call(app: &App<MockRuntime>, window: &str, url: &str, command: &str) -> String {
    let webview = app.get_webview_window(window).unwrap_or_else(|| {
        WebviewWindowBuilder::new(app, window, WebviewUrl::default())
            .build()
            .expect("a mock window")
    });
    let request = InvokeRequest {
        cmd: command.into(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: url.parse().expect("an address"),
        body: InvokeBody::Json(json!({ "params": params(command) })),
        headers: Default::default(),
        invoke_key: INVOKE_KEY.into(),
    };
    match get_ipc_response(&webview, request) {
        Ok(body) => format!("allowed: {:?}", body.deserialize::<Value>()),
        Err(error) => error.to_string(),
    }
}

fn params(command: &str) -> Value {
    match command {
        "approval_shown" => json!({ "proposal": "p1", "digest": "d" }),
        "approval_release" => json!({ "proposal": "p1", "digest": "d", "acknowledged": [], "fingerprint": {} }),
        "approval_refuse" => json!({ "proposal": "p1", "digest": "d", "reason": "", "fingerprint": {} }),
        "approval_refuse_all" => json!({ "proposals": ["p1"], "reason": "", "fingerprint": {} }),
        "approval_resume" => json!({ "origin": "http://shop.example", "ingress": "page" }),
        "approval_client_shown" => json!({ "client": "c1", "digest": "d" }),
        "approval_pair" => json!({ "client": "c1", "digest": "d", "fingerprint": {} }),
        "approval_turn_away" => json!({ "client": "c1" }),
        "write_client_setup" => json!({ "client": "codex", "remove": false, "digest": "d" }),
        "write_extension_host" => {
            json!({ "browser": "chromium", "remove": false, "replace": false, "digest": "d" })
        }
        "approval_edit" => json!({ "proposal": "p1", "digest": "d", "arguments": {} }),
        _ => json!({ "proposal": "p1", "aside": true }),
    }
}

#[test]
fn the_approval_window_may_decide() {
    let app = app();
    for command in DECISIONS {
        let answer = call(&app, APPROVAL, "tauri://localhost", command);
        assert!(
            answer.contains("no core in this test"),
            "{command} did not reach the core: {answer}"
        );
    }
}

#[test]
fn no_other_window_may_decide() {
    let app = app();
    for window in [PANEL, LEDGER, "another"] {
        for command in DECISIONS {
            let answer = call(&app, window, "tauri://localhost", command);
            assert!(
                answer.contains("not allowed"),
                "{command} was let through from the window {window}: {answer}"
            );
        }
    }
}

#[test]
fn only_the_panel_may_set_clients_and_browsers_up() {
    let app = app();
    for command in [
        "client_setups",
        "write_client_setup",
        "extension_hosts",
        "write_extension_host",
        "extension_folder",
    ] {
        let answer = call(&app, PANEL, "tauri://localhost", command);
        assert!(
            answer.contains("no core in this test"),
            "{command} did not reach the core: {answer}"
        );
        for (window, url) in [
            (APPROVAL, "tauri://localhost"),
            (LEDGER, "tauri://localhost"),
            ("another", "tauri://localhost"),
            (PANEL, "https://shop.example"),
        ] {
            let answer = call(&app, window, url, command);
            assert!(
                answer.contains("not allowed"),
                "{command} was let through from {url} in the window {window}: {answer}"
            );
        }
    }
}

#[test]
fn a_remote_page_in_the_approval_window_may_not_decide() {
    let app = app();
    for command in DECISIONS {
        let answer = call(&app, APPROVAL, "https://shop.example", command);
        assert!(
            answer.contains("not allowed"),
            "{command} was let through from a remote page: {answer}"
        );
    }
}
