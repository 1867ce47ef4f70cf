use std::process::Command;

use countersign_contract::KeyStore;
use countersign_scenarios::{App, Options, until};

const KEY: &str = "sk-scenario-6f1d0c2a";

async fn enters_the_key(app: &App) {
    let screen = app.panel().screen();
    screen.press("Settings").await;
    screen.choose("Provider", "OpenAI").await;
    screen.fill("Key", KEY).await;
    screen.press("Store").await;
    until("the key should be kept", async || {
        (!app.panel().state().await.provider.keys_for.is_empty()).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_goes_to_the_keyring_and_into_no_file() {
    let app = App::start(Options {
        keyring: true,
        ..Options::default()
    })
    .await;
    until("the keyring should be opened", async || {
        (app.panel().state().await.provider.keys == KeyStore::Keyring).then_some(())
    })
    .await;

    enters_the_key(&app).await;

    let found = Command::new("secret-tool")
        .args(["lookup", "service", "dev.countersign.desk", "username", "openai"])
        .output();
    let found = found.expect("secret-tool can be run; `npm run test:e2e` installs it");
    assert_eq!(
        String::from_utf8_lossy(&found.stdout).trim(),
        KEY,
        "the session's keyring has it"
    );
    assert_eq!(
        app.home().files_with(KEY),
        Vec::<std::path::PathBuf>::new(),
        "no file of the account has it"
    );
    assert!(!app.log().contains(KEY));
    let home = app.close().await;
    assert_eq!(home.files_with(KEY), Vec::<std::path::PathBuf>::new());

    let app = App::start(Options {
        keyring: true,
        home: Some(home),
        ..Options::default()
    })
    .await;
    until("the key should be found again", async || {
        (!app.panel().state().await.provider.keys_for.is_empty()).then_some(())
    })
    .await;
    let forgotten = Command::new("secret-tool")
        .args(["clear", "service", "dev.countersign.desk", "username", "openai"])
        .status();
    assert!(forgotten.is_ok_and(|status| status.success()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_no_keyring_a_key_is_kept_in_memory_and_the_panel_says_so() {
    let app = App::start(Options::default()).await;
    enters_the_key(&app).await;
    let keys = app.panel().state().await.provider.keys;
    assert!(matches!(keys, KeyStore::Memory { .. }), "{keys:?}");
    app.panel().screen().shows("memory").await;
    assert_eq!(app.home().files_with(KEY), Vec::<std::path::PathBuf>::new());

    let home = app.close().await;
    let app = App::start(Options {
        home: Some(home),
        ..Options::default()
    })
    .await;
    assert!(
        app.panel().state().await.provider.keys_for.is_empty(),
        "it was forgotten with the app"
    );
}
