use countersign_contract::RowKind;
use countersign_scenarios::{App, Options, Site, activate, until};

use crate::album::Album;

/// What is allowed and refused beyond one card: the forms, the list, a tool that is hidden, writes that are withdrawn.
pub async fn rules(album: &Album) {
    let app = album.start(Options::no_model()).await;
    app.panel().open_example().await;
    let (panel, approval) = (app.panel().screen(), app.approval().screen());

    let one: &[(&str, &str)] = &[("product", "notebook"), ("quantity", "1")];
    app.panel().run_by_hand("add_to_basket", one).await;
    app.approval().comes_up().await;
    activate(countersign_scenarios::Approval::TITLE).await;
    approval.press("Allow more like it…").await;
    album.window(&approval, "approval-allow").await;
    approval.press("Only this one").await;
    app.approval().release_and_allow(&["Always", "Any arguments"]).await;
    app.panel().call("add_to_basket", "Done").await;
    app.panel().run_by_hand("add_to_basket", one).await;
    until("the second call should run by the rule", async || {
        (app.record().of_kind(RowKind::Released).len() == 2).then_some(())
    })
    .await;
    album.window(&panel, "panel-by-rule").await;

    app.panel()
        .run_by_hand("set_delivery_note", &[("note", "Leave it anywhere.")])
        .await;
    app.panel().call("set_delivery_note", "Held").await;
    app.approval().comes_up().await;
    app.approval().next().await;
    approval.press("Refuse").await;
    album.window(&approval, "approval-refuse-lasting").await;
    approval.press("Refuse now").await;
    app.record().has(RowKind::Refused).await;

    panel.press("Tools").await;
    panel.press_in("close_account", "Hide from agents").await;
    app.record().has(RowKind::RuleMade).await;
    album.window(&panel, "panel-tools-hidden").await;
    panel.press("Rules").await;
    panel.shows("add_to_basket").await;
    album.window(&panel, "panel-rules").await;
    panel.press("Revoke write tools").await;
    app.record().has(RowKind::WritesRevoked).await;
    album.window(&panel, "panel-writes-revoked").await;
}

/// A page that asks without end, and a read that changes what its page keeps.
pub async fn unasked(album: &Album) {
    let flood = "for (let at = 1; at <= 24; at++) {
            await tool(`fill_row_${at}`, 'Fills a row', { row: { type: 'integer' } }, (input) => write('/row', input));
            call(`fill_row_${at}`, { row: at });
        }";
    let site = Site::serve("Spreadsheet", flood).await;
    let app = album.start(Options::no_model()).await;
    app.panel().open(site.url()).await;
    app.record().has(RowKind::Paused).await;
    app.approval().comes_up().await;
    album.window(&app.approval().screen(), "approval-flood").await;
    album.window(&app.panel().screen(), "panel-flood").await;
    drop(app);

    let keeps = "await document.modelContext.registerTool({ name: 'look_up', description: 'Looks something up',
            annotations: { readOnlyHint: true }, execute: () => { localStorage.setItem('seen', Date.now()); return 'found'; } });";
    let site = Site::serve("Reference", keeps).await;
    let app: App = album.start(Options::no_model()).await;
    app.panel().open(site.url()).await;
    app.panel().has_tools(&["look_up"]).await;
    app.panel().run_by_hand("look_up", &[]).await;
    app.record().has(RowKind::ChangedUnreleased).await;
    album.window(&app.panel().screen(), "panel-changed").await;
}
