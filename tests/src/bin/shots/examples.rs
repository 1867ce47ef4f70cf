use countersign_scenarios::{App, Hand, Options, until};

use crate::album::Album;

/// Each example as a person finds it, the card of one of its writes, and what the page makes of the release.
pub async fn examples(album: &Album) {
    let sale = [("asset", "ORE"), ("amount", "1200"), ("route", "quay")];
    example(album, "portfolio", "sell", &sale).await;
    example(album, "access", "revoke_key", &[("key", "payments")]).await;
    example(album, "board", "request_removal", &[("id", "3")]).await;
    let paper = [("name", "tide-table.txt"), ("text", "High water on Sunday: 10:40.")];
    example(album, "room", "add_artefact", &paper).await;
}

async fn example(album: &Album, name: &str, tool: &str, fields: &[(&str, &str)]) {
    let app = album.start(Options::no_model().example(name)).await;
    let hand = app.hand(&app.example().await).await;
    app.panel().has_tools(&[tool]).await;
    hand.shows("#status", "Countersign is here").await;
    album.page(&hand, &format!("example-{name}")).await;

    app.panel().run_by_hand(tool, fields).await;
    let held = app.approval().comes_up().await;
    album
        .window(&app.approval().screen(), &format!("example-{name}-held"))
        .await;
    if name == "portfolio" {
        moved(album, &app, &hand).await;
    }
    if held.risks.iter().any(|risk| risk.id == "tool.consequential") {
        app.approval().acknowledge().await;
    }
    app.approval().release().await;
    app.panel().call(tool, "Done").await;
    album.page(&hand, &format!("example-{name}-done")).await;
}

/// The card after a price that moved between what was shown and the click.
async fn moved(album: &Album, app: &App, hand: &Hand) {
    hand.press("#jump").await;
    app.approval().acknowledge().await;
    app.approval().press_release().await;
    until("the sale should be held again", async || {
        (!app.approval().holds().await.moved.is_empty()).then_some(())
    })
    .await;
    album.window(&app.approval().screen(), "example-portfolio-moved").await;
}
