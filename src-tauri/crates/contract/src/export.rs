use std::path::Path;

use ts_rs::{Config, TS};

use crate::wire::{FromPage, PreviewAnswer, ToPage};
use crate::*;

/// Writes the TypeScript of every exported type below `root` (the repository): `ui/src/gen/contract.ts` for the windows
/// and `bridge/page/interceptor/src/gen/` for the page.
///
/// # Errors
/// The reason, when a type cannot be exported or a file cannot be written.
pub fn export_types(root: &Path) -> Result<(), ts_rs::ExportError> {
    let windows = Config::new().with_out_dir(root.join("ui/src/gen"));
    PanelState::export_all(&windows)?;
    ShownParams::export_all(&windows)?;
    ReleaseParams::export_all(&windows)?;
    RefuseParams::export_all(&windows)?;
    EditParams::export_all(&windows)?;
    SetAsideParams::export_all(&windows)?;
    RefuseAllParams::export_all(&windows)?;
    ResumeParams::export_all(&windows)?;
    RevokeRuleParams::export_all(&windows)?;
    RevokeWritesParams::export_all(&windows)?;
    HideToolParams::export_all(&windows)?;
    GrantOnceParams::export_all(&windows)?;
    RunToolParams::export_all(&windows)?;
    LedgerRowsParams::export_all(&windows)?;
    RowPage::export_all(&windows)?;
    VerifyReport::export_all(&windows)?;
    TakeFiveParams::export_all(&windows)?;
    TakeFiveLedger::export_all(&windows)?;
    ListModelsParams::export_all(&windows)?;
    ModelInfo::export_all(&windows)?;
    SetKeyParams::export_all(&windows)?;
    OpenExampleParams::export_all(&windows)?;
    McpBOnParams::export_all(&windows)?;
    RelayOnParams::export_all(&windows)?;
    MarkReadParams::export_all(&windows)?;
    ShownClientParams::export_all(&windows)?;
    PairParams::export_all(&windows)?;
    TurnAwayParams::export_all(&windows)?;
    UnpairParams::export_all(&windows)?;
    SetClientsParams::export_all(&windows)?;
    ClientTokenParams::export_all(&windows)?;
    NewClientToken::export_all(&windows)?;
    ClientSetup::export_all(&windows)?;
    WriteClientSetupParams::export_all(&windows)?;

    let page = Config::new().with_out_dir(root.join("bridge/page/interceptor/src/gen"));
    FromPage::export_all(&page)?;
    ToPage::export_all(&page)?;
    PreviewAnswer::export_all(&page)
}
