//! What each window may ask for. A command only unpacks its parameters and calls the core; which window may call it stands in
//! `src-tauri/capabilities`.

mod approval;
mod ledger;
mod panel;

use countersign_contract::ErrorView;
use tauri::{AppHandle, Runtime};

type Answer<T> = Result<T, ErrorView>;

/// Every command, for the builder.
pub fn handler<R: Runtime>() -> impl Fn(tauri::ipc::Invoke<R>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        window_painted,
        panel::panel_state,
        panel::send_prompt,
        panel::cancel_turn,
        panel::new_conversation,
        panel::run_tool,
        panel::open_example,
        panel::open_url,
        panel::close_browser,
        panel::show_approval,
        panel::show_ledger,
        panel::save_settings,
        panel::set_beside,
        panel::set_key,
        panel::list_models,
        panel::withdraw,
        panel::revoke_rule,
        panel::revoke_writes,
        panel::hide_tool,
        panel::grant_once,
        panel::turn_relay_on,
        panel::turn_relay_off,
        panel::turn_mcp_b_on,
        panel::turn_mcp_b_off,
        panel::mark_read,
        panel::unpair_client,
        panel::set_clients,
        panel::make_client_token,
        panel::remove_client_token,
        panel::client_setups,
        panel::write_client_setup,
        approval::approval_state,
        approval::approval_shown,
        approval::approval_release,
        approval::approval_refuse,
        approval::approval_edit,
        approval::approval_set_aside,
        approval::approval_refuse_all,
        approval::approval_resume,
        approval::approval_client_shown,
        approval::approval_pair,
        approval::approval_turn_away,
        approval::approval_hide,
        ledger::ledger_rows,
        ledger::ledger_verify,
        ledger::ledger_take_five,
        ledger::ledger_reveal,
    ]
}

fn window_failed(error: tauri::Error) -> ErrorView {
    ErrorView::new(
        countersign_contract::Code::Internal,
        format!("The window could not be opened: {error}"),
    )
}

/// A window has painted for the first time. The panel's paint makes the approval window, out of the way of the start.
#[tauri::command]
async fn window_painted<R: Runtime>(app: AppHandle<R>, params: PaintedParams) -> Answer<()> {
    tracing::info!(window = params.window, "painted");
    if params.window == crate::windows::PANEL {
        crate::windows::prepare_approval(&app).map_err(window_failed)?;
    }
    Ok(())
}

/// `window_painted`.
#[derive(serde::Deserialize)]
struct PaintedParams {
    window: String,
}
