use countersign_contract::{
    Beside, ClientSetup, ClientTokenParams, GrantOnceParams, HideToolParams, Ingress, ListModelsParams, MarkReadParams,
    McpBOnParams, ModelInfo, NewClientToken, OpenExampleParams, PanelState, ProposalId, RelayOnParams,
    RevokeRuleParams, RevokeWritesParams, RunToolParams, SetClientsParams, SetKeyParams, Settings, UnpairParams,
    WriteClientSetupParams,
};
use tauri::{AppHandle, Emitter, Runtime};

use super::{Answer, window_failed};
use crate::{app, core, windows};

#[tauri::command]
pub async fn panel_state<R: Runtime>(app: AppHandle<R>) -> Answer<PanelState> {
    Ok(core(&app)?.panel_state().await)
}

#[tauri::command]
pub async fn send_prompt<R: Runtime>(app: AppHandle<R>, params: SendPromptParams) -> Answer<()> {
    core(&app)?.send_prompt(params.text).await
}

#[tauri::command]
pub async fn cancel_turn<R: Runtime>(app: AppHandle<R>) -> Answer<()> {
    core(&app)?.cancel_turn();
    Ok(())
}

#[tauri::command]
pub async fn new_conversation<R: Runtime>(app: AppHandle<R>) -> Answer<()> {
    core(&app)?.new_conversation();
    Ok(())
}

#[tauri::command]
pub async fn run_tool<R: Runtime>(app: AppHandle<R>, params: RunToolParams) -> Answer<()> {
    core(&app)?.run_tool(params);
    Ok(())
}

#[tauri::command]
pub async fn open_example<R: Runtime>(app: AppHandle<R>, params: OpenExampleParams) -> Answer<()> {
    core(&app)?.open_example(params.example).await
}

#[tauri::command]
pub async fn open_url<R: Runtime>(app: AppHandle<R>, params: OpenUrlParams) -> Answer<()> {
    core(&app)?.open_url(&params.url).await
}

#[tauri::command]
pub async fn close_browser<R: Runtime>(app: AppHandle<R>) -> Answer<()> {
    core(&app)?.close_browser().await
}

#[tauri::command]
pub async fn show_approval<R: Runtime>(app: AppHandle<R>, params: Option<ShowApprovalParams>) -> Answer<()> {
    windows::show_approval(&app).map_err(window_failed)?;
    match params.and_then(|params| params.proposal) {
        Some(proposal) => app
            .emit_to(windows::APPROVAL, "select", proposal)
            .map_err(window_failed),
        None => Ok(()),
    }
}

#[tauri::command]
pub async fn show_ledger<R: Runtime>(app: AppHandle<R>) -> Answer<()> {
    windows::show_ledger(&app).map_err(window_failed)
}

#[tauri::command]
pub async fn save_settings<R: Runtime>(app: AppHandle<R>, params: Settings) -> Answer<()> {
    let stored = core(&app)?.set_settings(params)?;
    app::store_settings(&app, &stored)
}

#[tauri::command]
pub async fn set_beside<R: Runtime>(app: AppHandle<R>, params: Beside) -> Answer<()> {
    let stored = core(&app)?.set_beside(params)?;
    app::store_settings(&app, &stored)
}

#[tauri::command]
pub async fn set_key<R: Runtime>(app: AppHandle<R>, params: SetKeyParams) -> Answer<()> {
    core(&app)?.set_key(params).await
}

#[tauri::command]
pub async fn list_models<R: Runtime>(app: AppHandle<R>, params: ListModelsParams) -> Answer<Vec<ModelInfo>> {
    core(&app)?.list_models(params).await
}

#[tauri::command]
pub async fn withdraw<R: Runtime>(app: AppHandle<R>, params: WithdrawParams) -> Answer<()> {
    core(&app)?.desk().withdraw(&params.proposal, Ingress::PanelHand).await;
    Ok(())
}

#[tauri::command]
pub async fn revoke_rule<R: Runtime>(app: AppHandle<R>, params: RevokeRuleParams) -> Answer<()> {
    let revoked = core(&app)?.desk().revoke_rule(&params).await;
    revoked.map_err(|error| error.view())
}

#[tauri::command]
pub async fn revoke_writes<R: Runtime>(app: AppHandle<R>, params: RevokeWritesParams) -> Answer<()> {
    core(&app)?.desk().revoke_writes(params.revoked).await;
    Ok(())
}

#[tauri::command]
pub async fn hide_tool<R: Runtime>(app: AppHandle<R>, params: HideToolParams) -> Answer<()> {
    let hidden = core(&app)?.desk().hide_tool(&params).await;
    hidden.map_err(|error| error.view())
}

#[tauri::command]
pub async fn grant_once<R: Runtime>(app: AppHandle<R>, params: GrantOnceParams) -> Answer<()> {
    let held = core(&app)?.desk().grant_once(params).await;
    held.map(drop).map_err(|error| error.view())
}

#[tauri::command]
pub async fn turn_relay_on<R: Runtime>(app: AppHandle<R>, params: RelayOnParams) -> Answer<()> {
    let settings = core(&app)?.turn_relay_on(params).await?;
    app::store_settings(&app, &settings)
}

#[tauri::command]
pub async fn turn_relay_off<R: Runtime>(app: AppHandle<R>) -> Answer<()> {
    let settings = core(&app)?.turn_relay_off().await;
    app::store_settings(&app, &settings)
}

#[tauri::command]
pub async fn turn_mcp_b_on<R: Runtime>(app: AppHandle<R>, params: McpBOnParams) -> Answer<()> {
    let settings = core(&app)?.turn_mcp_b_on(params).await?;
    app::store_settings(&app, &settings)
}

#[tauri::command]
pub async fn turn_mcp_b_off<R: Runtime>(app: AppHandle<R>) -> Answer<()> {
    let settings = core(&app)?.turn_mcp_b_off().await;
    app::store_settings(&app, &settings)
}

#[tauri::command]
pub async fn mark_read<R: Runtime>(app: AppHandle<R>, params: MarkReadParams) -> Answer<()> {
    let settings = core(&app)?.mark_read(params)?;
    app::store_settings(&app, &settings)
}

#[tauri::command]
pub async fn unpair_client<R: Runtime>(app: AppHandle<R>, params: UnpairParams) -> Answer<()> {
    let unpaired = core(&app)?.desk().unpair(&params).await;
    unpaired.map_err(|error| error.view())
}

#[tauri::command]
pub async fn set_clients<R: Runtime>(app: AppHandle<R>, params: SetClientsParams) -> Answer<()> {
    let settings = core(&app)?.set_clients(params).await?;
    app::store_settings(&app, &settings)
}

#[tauri::command]
pub async fn make_client_token<R: Runtime>(app: AppHandle<R>, params: ClientTokenParams) -> Answer<NewClientToken> {
    let (settings, token) = core(&app)?.make_client_token(params).await?;
    app::store_settings(&app, &settings)?;
    Ok(token)
}

#[tauri::command]
pub async fn remove_client_token<R: Runtime>(app: AppHandle<R>, params: ClientTokenParams) -> Answer<()> {
    let settings = core(&app)?.remove_client_token(params).await;
    app::store_settings(&app, &settings)
}

#[tauri::command]
pub async fn client_setups<R: Runtime>(app: AppHandle<R>) -> Answer<Vec<ClientSetup>> {
    core(&app)?.client_setups().await
}

#[tauri::command]
pub async fn write_client_setup<R: Runtime>(
    app: AppHandle<R>,
    params: WriteClientSetupParams,
) -> Answer<Vec<ClientSetup>> {
    core(&app)?.write_client_setup(params).await
}

/// `send_prompt`.
#[derive(serde::Deserialize)]
pub struct SendPromptParams {
    text: String,
}

/// `open_url`.
#[derive(serde::Deserialize)]
pub struct OpenUrlParams {
    url: String,
}

/// `withdraw`.
#[derive(serde::Deserialize)]
pub struct WithdrawParams {
    proposal: ProposalId,
}

/// `show_approval`: brings the window up, with this card in front if one is named.
#[derive(serde::Deserialize)]
pub struct ShowApprovalParams {
    proposal: Option<ProposalId>,
}
