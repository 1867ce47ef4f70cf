use countersign_contract::{
    DeskState, EditParams, PairParams, RefuseAllParams, RefuseParams, ReleaseParams, ResumeParams, SetAsideParams,
    ShownClientParams, ShownParams, TurnAwayParams,
};
use tauri::{AppHandle, Runtime};

use super::{Answer, window_failed};
use crate::{automation, core, windows};

#[tauri::command]
pub async fn approval_state<R: Runtime>(app: AppHandle<R>) -> Answer<DeskState> {
    Ok(core(&app)?.desk().state())
}

#[tauri::command]
pub async fn approval_shown<R: Runtime>(app: AppHandle<R>, params: ShownParams) -> Answer<()> {
    core(&app)?.desk().shown(&params);
    Ok(())
}

#[tauri::command]
pub async fn approval_release<R: Runtime>(app: AppHandle<R>, mut params: ReleaseParams) -> Answer<()> {
    automation::noted(&mut params.fingerprint);
    core(&app)?.desk().release(params).await.map_err(|error| error.view())
}

#[tauri::command]
pub async fn approval_refuse<R: Runtime>(app: AppHandle<R>, mut params: RefuseParams) -> Answer<()> {
    automation::noted(&mut params.fingerprint);
    core(&app)?.desk().refuse(params).await.map_err(|error| error.view())
}

#[tauri::command]
pub async fn approval_edit<R: Runtime>(app: AppHandle<R>, params: EditParams) -> Answer<()> {
    core(&app)?.desk().edit(params).await.map_err(|error| error.view())
}

#[tauri::command]
pub async fn approval_set_aside<R: Runtime>(app: AppHandle<R>, params: SetAsideParams) -> Answer<()> {
    core(&app)?.desk().set_aside(params).await.map_err(|error| error.view())
}

#[tauri::command]
pub async fn approval_refuse_all<R: Runtime>(app: AppHandle<R>, mut params: RefuseAllParams) -> Answer<()> {
    automation::noted(&mut params.fingerprint);
    core(&app)?.desk().refuse_all(&params).await;
    Ok(())
}

#[tauri::command]
pub async fn approval_resume<R: Runtime>(app: AppHandle<R>, params: ResumeParams) -> Answer<()> {
    core(&app)?.desk().resume(&params).await;
    Ok(())
}

#[tauri::command]
pub async fn approval_client_shown<R: Runtime>(app: AppHandle<R>, params: ShownClientParams) -> Answer<()> {
    core(&app)?.desk().client_shown(&params);
    Ok(())
}

#[tauri::command]
pub async fn approval_pair<R: Runtime>(app: AppHandle<R>, mut params: PairParams) -> Answer<()> {
    automation::noted(&mut params.fingerprint);
    core(&app)?.desk().pair(params).await.map_err(|error| error.view())
}

#[tauri::command]
pub async fn approval_turn_away<R: Runtime>(app: AppHandle<R>, params: TurnAwayParams) -> Answer<()> {
    let turned = core(&app)?.desk().turn_client_away(&params).await;
    turned.map_err(|error| error.view())
}

#[tauri::command]
pub async fn approval_hide<R: Runtime>(app: AppHandle<R>) -> Answer<()> {
    windows::hide_approval(&app).map_err(window_failed)
}
