//! Sends every change to the windows that draw it, and brings the approval window up when something new is held.

use std::collections::HashSet;
use std::time::Duration;

use countersign_contract::{ClientStanding, DeskState};
use tauri::{AppHandle, Emitter, Runtime};

use crate::core::Core;
use crate::windows::{self, APPROVAL, LEDGER, PANEL};

// Many changes come in bursts (a streaming reply, a page that registers its tools); a screen is drawn at most this often.
const PACE: Duration = Duration::from_millis(16);

/// Starts following the core.
pub fn follow<R: Runtime>(app: AppHandle<R>, core: Core) {
    tauri::async_runtime::spawn(async move {
        let mut changes = core.changes();
        let mut seen = HashSet::new();
        let mut rows = 0;
        loop {
            changes.borrow_and_update();
            let panel = core.panel_state().await;
            if raises(&panel.desk, &mut seen) {
                raise_approval(&app);
            }
            send(&app, APPROVAL, "desk", &panel.desk);
            if panel.desk.ledger.seq != rows {
                rows = panel.desk.ledger.seq;
                send(&app, LEDGER, "ledger", &());
            }
            send(&app, PANEL, "panel", &panel);
            tokio::time::sleep(PACE).await;
            if changes.changed().await.is_err() {
                return;
            }
        }
    });
}

fn send<R: Runtime>(app: &AppHandle<R>, window: &str, event: &str, payload: &(impl serde::Serialize + Clone)) {
    if let Err(error) = app.emit_to(window, event, payload.clone()) {
        tracing::warn!(%error, window, "a window could not be told of a change");
    }
}

fn raises(desk: &DeskState, seen: &mut HashSet<String>) -> bool {
    let before = seen.len();
    // What a rule is about to release needs nobody.
    let open = desk
        .proposals
        .iter()
        .filter(|proposal| proposal.state.is_open() && proposal.by_rule.is_none());
    seen.extend(open.map(|proposal| proposal.id.0.clone()));
    let asking = desk
        .clients
        .iter()
        .filter(|client| matches!(client.standing, ClientStanding::Asking { .. }));
    // One that was unpaired or turned away, and asks again, is as new.
    seen.extend(asking.map(|client| format!("{} {}", client.id, client.digest)));
    seen.len() > before
}

fn raise_approval<R: Runtime>(app: &AppHandle<R>) {
    let handle = app.clone();
    let raised = app.run_on_main_thread(move || {
        if let Err(error) = windows::show_approval(&handle) {
            tracing::error!(%error, "the approval window could not be shown; what is held stays held");
        }
    });
    if let Err(error) = raised {
        tracing::error!(%error, "the approval window could not be shown; what is held stays held");
    }
}
