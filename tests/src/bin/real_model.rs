//! A real model, driven through the OpenAI-compatible door: a prompt, a tool call that is held, a release, the effect.
//! `npm run test:model` sets the model up. `COUNTERSIGN_MODEL_URL` is its base address, `COUNTERSIGN_MODEL_NAME` its name; the
//! first model that the server lists when it is not given.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use countersign_contract::{Act, CallState, ChatItem, Proposal};
use countersign_scenarios::{App, Options, until_within};

/// A small model does not get every wording right; a wording counts only if it leads to a held call.
const PROMPTS: [&str; 3] = [
    "Add 2 of the product espresso to the basket. Use the tool add_to_basket.",
    "Call the tool add_to_basket with product \"espresso\" and quantity 2.",
    "add_to_basket product=espresso quantity=2",
];

/// A model on one thread of a small machine needs its time to read a prompt with eight tools.
const THINKING: Duration = Duration::from_secs(300);

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let Ok(url) = std::env::var("COUNTERSIGN_MODEL_URL") else {
        eprintln!("COUNTERSIGN_MODEL_URL is not set. `npm run test:model` starts a model and sets it.");
        return ExitCode::FAILURE;
    };
    let name = match std::env::var("COUNTERSIGN_MODEL_NAME") {
        Ok(name) => name,
        Err(_) => first_model(&url).await,
    };
    let app = App::start(Options::openai(&url, &name)).await;
    app.panel().open_example().await;
    let shop = app.shop().await;
    println!("model     {name} at {url}");

    let Some(held) = ask(&app).await else {
        print_transcript(&app).await;
        eprintln!(
            "The model made no call that had to be held, with none of {} wordings.",
            PROMPTS.len()
        );
        return ExitCode::FAILURE;
    };
    let Act::Tool { tool, canonical, .. } = &held.act else {
        eprintln!("A request is held, not a call: {:?}", held.act);
        return ExitCode::FAILURE;
    };
    println!("held      {} {canonical}, asked by {}", tool.name, held.caller.name);
    assert_eq!(shop.writes(), [], "nothing may be sent while the write is held");

    app.approval().comes_up().await;
    app.approval().release().await;
    println!("released  in the approval window");
    app.panel().call(&tool.name, "Done").await;
    let writes = shop.writes();
    assert_eq!(writes.len(), 1, "exactly one request: {writes:?}");
    println!("sent      {} {} {}", writes[0].method, writes[0].path, writes[0].body);
    println!("basket    {}", shop.state().await["basket"]);

    until_within(THINKING, "the turn should end, or ask for something more", async || {
        let state = app.panel().state().await;
        (!state.conversation.running || state.desk.pending() > 0).then_some(())
    })
    .await;
    let verified = app.record().verify();
    assert!(verified.intact, "the ledger does not verify: {}", verified.said);
    print_transcript(&app).await;
    println!("ledger    {}", verified.said.trim());
    ExitCode::SUCCESS
}

async fn first_model(url: &str) -> String {
    let list: serde_json::Value = async { reqwest::get(format!("{url}/models")).await?.json().await }
        .await
        .unwrap_or_else(|error| panic!("no model's server answers at {url}: {error}"));
    list["data"][0]["id"]
        .as_str()
        .expect("the server lists a model")
        .to_owned()
}

/// Asks until something is held.
async fn ask(app: &App) -> Option<Proposal> {
    for prompt in PROMPTS {
        let begun = Instant::now();
        app.panel().ask(prompt).await;
        let held = until_within(THINKING, "the model should answer", async || {
            let state = app.panel().state().await;
            let open = state
                .desk
                .proposals
                .into_iter()
                .find(|proposal| proposal.state.is_open());
            if open.is_some() {
                Some(open)
            } else {
                (!state.conversation.running).then_some(None)
            }
        })
        .await;
        println!("asked     {prompt}  ({:.1} s)", begun.elapsed().as_secs_f64());
        if held.is_some() {
            return held;
        }
    }
    None
}

async fn print_transcript(app: &App) {
    println!("\ntranscript");
    for entry in app.panel().state().await.conversation.entries {
        match entry.item {
            ChatItem::Prompt { text } => println!("  person   {text}"),
            ChatItem::Text { text, .. } => println!("  model    {}", text.trim().replace('\n', "\n           ")),
            ChatItem::Call(call) => println!(
                "  call     {} {}\n           {}",
                call.tool,
                call.arguments,
                ended(&call.state)
            ),
            ChatItem::Stopped { message } => println!("  stopped  {message}"),
            ChatItem::Failed(error) => println!("  failed   {}", error.message),
        }
    }
    println!();
}

fn ended(state: &CallState) -> String {
    match state {
        CallState::Running => "still running".into(),
        CallState::Read { result } => format!("read: {}", result.chars().take(160).collect::<String>()),
        CallState::Held { proposal } => format!("held as {proposal}"),
        CallState::Decided { answer, .. } => answer.text.clone(),
        CallState::Failed { message } => format!("failed: {message}"),
        CallState::Cancelled => "cancelled".into(),
    }
}
