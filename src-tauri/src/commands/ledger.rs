use countersign_contract::{Code, ErrorView, LedgerRowsParams, RowPage, TakeFiveLedger, TakeFiveParams, VerifyReport};
use countersign_ledger::{Ledger, LedgerError, read_take_five};
use tauri::{AppHandle, Runtime};
use tauri_plugin_opener::OpenerExt;

use super::Answer;
use crate::core;
use crate::core::Core;

#[tauri::command]
pub async fn ledger_rows<R: Runtime>(app: AppHandle<R>, params: LedgerRowsParams) -> Answer<RowPage> {
    off_the_loop(core(&app)?, move |ledger| ledger.rows(&params)).await
}

#[tauri::command]
pub async fn ledger_verify<R: Runtime>(app: AppHandle<R>) -> Answer<VerifyReport> {
    off_the_loop(core(&app)?, Ledger::verify).await
}

#[tauri::command]
pub async fn ledger_reveal<R: Runtime>(app: AppHandle<R>) -> Answer<()> {
    let path = core(&app)?.desk().ledger().path().to_owned();
    let revealed = app.opener().reveal_item_in_dir(&path);
    revealed.map_err(|error| {
        ErrorView::new(
            Code::Internal,
            format!("{} could not be shown: {error}", path.display()),
        )
    })
}

#[tauri::command]
pub async fn ledger_take_five(params: TakeFiveParams) -> Answer<TakeFiveLedger> {
    let read = tauri::async_runtime::spawn_blocking(move || read_take_five(&params.text)).await;
    read.map_err(lost)?.map_err(|error| {
        let message = format!("This is not a ledger of Take Five. {error} Nothing was opened.");
        ErrorView::new(Code::Internal, message)
    })
}

// Reading a long ledger takes its time; nothing else should wait for it.
async fn off_the_loop<T: Send + 'static>(
    core: Core,
    read: impl FnOnce(&Ledger) -> Result<T, LedgerError> + Send + 'static,
) -> Answer<T> {
    let done = tauri::async_runtime::spawn_blocking(move || read(core.desk().ledger())).await;
    done.map_err(lost)?.map_err(unreadable)
}

fn lost(error: tauri::Error) -> ErrorView {
    ErrorView::new(Code::Internal, format!("The ledger could not be read: {error}"))
}

fn unreadable(error: LedgerError) -> ErrorView {
    ErrorView::new(Code::LedgerReadOnly, error.to_string())
}
