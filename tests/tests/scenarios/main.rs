//! What the whole app does, told as scenarios. Each starts an app of its own, in an account of its own.

mod beside;
mod decisions;
mod desk_itself;
mod ends;
mod examples;
mod first_run;
mod keys;
mod library;
mod page_calls;
mod prompts;
mod relay;
mod rules;
mod take_five;

use countersign_contract::{Act, Proposal};
use countersign_scenarios::App;

/// The exact arguments of a held call.
fn arguments(proposal: &Proposal) -> &str {
    match &proposal.act {
        Act::Tool { canonical, .. } => canonical,
        Act::Network { request } => request.body.as_deref().unwrap_or_default(),
    }
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
