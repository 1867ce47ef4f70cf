use std::process::Command;

use countersign_scenarios::model_server::{ModelServer, rule};
use countersign_scenarios::{Approval, Options, Panel, activate, until};
use serde_json::json;

use crate::album::Album;

const SHOP: &str = "Little Harbour";

/// The desktop as a person has it: the shop in the browser, the panel beside it, the approval window in front.
pub async fn desktop(album: &Album) {
    let model = ModelServer::start([
        rule("filter").calls("list_products", json!({})),
        rule("filter")
            .after(1)
            .calls("place_order", json!({ "product": "filter", "quantity": 2 })),
        rule("filter")
            .after(2)
            .says("Two bags of Morning filter are ordered, for 20.70 EUR."),
    ])
    .await;
    let app = album
        .start(Options {
            headed: true,
            ..Options::model(&model)
        })
        .await;
    app.panel().open_example().await;
    place(SHOP, 0, 0, 1010, 870).await;
    activate(Panel::TITLE).await;
    app.panel().screen().settle().await;
    album.desktop("desktop-example");

    app.panel().ask("We are out of filter coffee. Order two bags.").await;
    app.panel().call("place_order", "Held").await;
    app.approval().comes_up().await;
    app.approval().screen().shows("20.70 EUR").await;
    place("Countersign: release or refuse", 250, 60, 740, 800).await;
    activate(Approval::TITLE).await;
    until("Release should come alive", async || {
        app.approval().can_release().await.then_some(())
    })
    .await;
    app.approval().screen().settle().await;
    album.desktop("desktop-held");

    app.approval().release().await;
    app.panel().call("place_order", "Done").await;
    app.panel().rests().await;
    app.approval().close().await;
    app.panel().screen().settle().await;
    album.desktop("desktop-done");
}

/// Puts a window somewhere, and gives it a size.
async fn place(title: &str, left: u32, top: u32, width: u32, height: u32) {
    until(
        &format!("the window `{title}` should be there to be placed"),
        async || {
            let found = Command::new("xdotool")
                .args(["search", "--onlyvisible", "--name", title])
                .output()
                .ok()?;
            let ids = String::from_utf8(found.stdout).ok()?;
            let id = ids.lines().last()?.to_owned();
            let [left, top, width, height] = [left, top, width, height].map(|number| number.to_string());
            let args = ["windowsize", &id, &width, &height, "windowmove", &id, &left, &top];
            Command::new("xdotool")
                .args(args)
                .status()
                .ok()?
                .success()
                .then_some(())
        },
    )
    .await;
}
