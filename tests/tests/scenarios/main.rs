//! What the whole app does, told as scenarios. Each starts an app of its own, in an account of its own.

mod access;
mod beside;
mod board;
mod clients;
mod decisions;
mod desk_itself;
mod ends;
mod examples;
mod first_run;
mod keys;
mod library;
mod page_calls;
mod portfolio;
mod prompts;
mod relay;
mod room;
mod rules;
mod take_five;

use countersign_contract::{Act, NamedBy, Preview, Proposal, RiskLevel};
use countersign_scenarios::{App, Hand, Options, until};

/// The exact arguments of a held call.
fn arguments(proposal: &Proposal) -> &str {
    match &proposal.act {
        Act::Tool { canonical, .. } => canonical,
        Act::Network { request } => request.body.as_deref().unwrap_or_default(),
    }
}

/// The app begun on an example, by hand and without a model, and a hand in the example's page.
async fn example(name: &str) -> (App, Hand) {
    let app = App::start(Options::no_model().example(name)).await;
    let tab = app.example().await;
    let hand = app.hand(&tab).await;
    (app, hand)
}

/// Waits until the card of an example that has come up says what would come of it, and returns it. It is readable: the
/// example's own descriptor fits it.
async fn priced(app: &App) -> Proposal {
    app.approval().comes_up().await;
    let held = until("the page should say what would come of it", async || {
        let held = app.approval().holds().await;
        (!matches!(held.preview, Preview::Pending)).then_some(held)
    })
    .await;
    let reading = held
        .reading
        .as_ref()
        .expect("a descriptor comes with every write of an example");
    assert_eq!(reading.by, NamedBy::Countersign);
    assert_eq!(reading.misfits, Vec::<String>::new());
    held
}

/// What a card says is critical, heaviest first.
fn critical(proposal: &Proposal) -> Vec<&str> {
    let risks = proposal.risks.iter();
    risks
        .filter(|risk| risk.level == RiskLevel::Critical)
        .map(|risk| &*risk.text)
        .collect()
}

/// The ledger verifies with the program that anybody can run.
fn ledger_verifies(app: &App) {
    let verified = app.record().verify();
    assert!(verified.intact, "the ledger does not verify: {}", verified.said);
}

/// The library as it is built for a `<script>`.
fn library() -> String {
    let built = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../bridge/page/library/dist/countersign.js"
    );
    std::fs::read_to_string(built).expect("the library is built before the scenarios run")
}
