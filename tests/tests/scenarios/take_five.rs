//! Ledgers of Take Five rooms, opened to be looked at.

use countersign_scenarios::{App, Options};
use serde_json::json;

const ROOM: &str = include_str!("../../../src-tauri/crates/ledger/tests/take-five/room.json");

/// Gives the window a file as a person's pick of one does.
const PICK: &str = "const given = new DataTransfer();
    given.items.add(new File([arguments[0]], 'room.json', { type: 'application/json' }));
    const input = document.querySelector('input[type=file]');
    input.files = given.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
    return true;";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_take_five_ledger_is_opened_and_verified_in_the_ledger_window() {
    let app = App::start(Options::no_model()).await;
    app.ledger().open().await;
    let screen = app.ledger().screen();
    screen.shows("Open a Take Five ledger").await;
    let before = app.record().rows().len();

    screen.script::<bool>(PICK, json!([ROOM])).await;
    screen.shows("All 10 rows verify").await;
    screen.shows("A ledger of Take Five").await;
    screen.shows("ratification_declined").await;
    screen.press("Close").await;
    screen.stops_showing("ratification_declined").await;

    let edited = ROOM.replacen("Reveal", "Ruling", 1);
    screen.script::<bool>(PICK, json!([edited])).await;
    screen.shows("5 rows verify, then a fault").await;
    screen.press("Close").await;

    screen.script::<bool>(PICK, json!(["a shopping list"])).await;
    screen.shows("This is not a ledger of Take Five").await;
    assert_eq!(
        app.record().rows().len(),
        before,
        "nothing of it goes into the desk's own"
    );
}
