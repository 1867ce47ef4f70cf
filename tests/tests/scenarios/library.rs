//! Pages made with the library for site authors.

use countersign_contract::{CallState, ChatItem, RowKind, ToolCall};
use countersign_scenarios::{App, Options, Site, Verified};
use serde_json::{Value, json};

use crate::{ledger_verifies, library};

/// A ticket office whose one write says what it costs.
const OFFICE: &str = "
    const page = Countersign.createPage();
    page.read({ name: 'chain', description: 'The record of the page', execute: () => page.chain.lines() });
    page.phases({ open: [] });
    page.propose({
        name: 'book_seat',
        description: 'Books one seat',
        inputSchema: { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'], additionalProperties: false },
        preview: ({ seat }) => ({ summary: `Book ${seat}`, before: { free: 4 }, after: { free: 3 },
            cost: { items: [{ label: 'Seat', amount: '18.50', unit: 'EUR' }] } }),
        commit: (input) => write('/book', input),
    });";

/// What a read answered, as it came.
async fn answered(app: &App, tool: &str) -> String {
    let entries = app.panel().state().await.conversation.entries;
    let answer = entries.into_iter().find_map(|entry| match entry.item {
        ChatItem::Call(ToolCall {
            tool: name,
            state: CallState::Read { result },
            ..
        }) if name == tool => Some(result),
        _ => None,
    });
    let answer = answer.expect("it was read");
    serde_json::from_str(&answer).unwrap_or(answer)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_made_with_the_library_is_decided_at_the_desk_alone() {
    let site = Site::serve("Ticket office", &format!("{}\n{OFFICE}", library())).await;
    let app = App::start(Options::no_model()).await;
    app.panel().open(site.url()).await;
    app.panel()
        .has_tools(&["chain", "book_seat", "book_seat.preview"])
        .await;
    let head = app.record().has(RowKind::PageHead).await;

    app.panel().run_by_hand("book_seat", &[("seat", "B4")]).await;
    app.approval().comes_up().await;
    app.approval().screen().shows("18.50 EUR").await;
    assert_eq!(site.writes(), []);
    app.approval().release().await;
    app.panel().call("book_seat", "Done").await;
    let writes = site.writes();
    assert_eq!(
        (writes.len(), serde_json::from_str::<Value>(&writes[0].body).unwrap()),
        (1, json!({ "seat": "B4" }))
    );

    // The page holds nothing itself, and each remembers the other's head.
    app.panel().run_by_hand("chain", &[]).await;
    let card = app.panel().whole_call("chain", "Read").await;
    assert!(card.text.contains(&head.hash), "{}", card.text);
    assert!(
        card.text.contains("committed") && !card.text.contains("proposed"),
        "{}",
        card.text
    );
    // What the page kept is a ledger like ours, in its own kinds as well.
    let chain = answered(&app, "chain").await;
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &chain).expect("it can be written");
    let verified = Verified::of(file.path());
    assert!(
        verified.intact && chain.contains(r#""kind":"phase""#),
        "{}\n{chain}",
        verified.said
    );
    std::fs::write(
        file.path(),
        chain.replace("18.50", "81.50").replace("committed", "commuted"),
    )
    .expect("it can be written");
    assert!(!Verified::of(file.path()).intact, "an edited one does not verify");
    let outcome = app.record().of_kind(RowKind::Outcome).remove(0);
    assert_eq!(outcome.data["outcome"], "committed");
    ledger_verifies(&app);
}
