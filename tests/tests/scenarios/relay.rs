//! Pages that connect by themselves, from a browser that is not Countersign's.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};

use countersign_bridge::find_browser;
use countersign_contract::{DoorKind, Grade, RelayInvite, RowKind};
use countersign_scenarios::{App, Hit, Options, Site, until};
use serde_json::json;

use crate::{arguments, ledger_verifies, library};

/// The page's half of the relay's protocol.
const BRIDGE: &str = include_str!("../../../bridge/tests/relay/bridge.js");

/// A round of positions. The page says of none of its tools whether it reads.
const ROUND: &str = "
    await tool('list_seats', 'Who sits where', {}, () => 'north and south');
    await tool('commit_to_round', 'Commits to a position', { position: { type: 'string' } }, (input) => write('/commit', input));";

/// The same, made with the library, which holds what it is asked where it finds no desk.
const GATED: &str = "
    const page = Countersign.createPage();
    page.propose({
        name: 'commit_to_round',
        description: 'Commits to a position',
        inputSchema: { type: 'object', properties: { position: { type: 'string' } }, required: ['position'], additionalProperties: false },
        preview: ({ position }) => ({ summary: `Commit to ${position}`, before: {}, after: { position } }),
        commit: (input) => write('/commit', input),
    });";

/// A browser with nothing of ours in it.
struct OtherBrowser {
    child: Child,
    _profile: tempfile::TempDir,
}

impl OtherBrowser {
    fn open(url: &str) -> Self {
        let program = find_browser(None).unwrap_or_else(|error| panic!("this needs a real browser. {error}"));
        let profile = tempfile::tempdir().expect("a folder");
        let child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--no-first-run",
                "--enable-features=WebMCP",
            ])
            .arg("--disable-background-networking")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        Self {
            child,
            _profile: profile,
        }
    }
}

impl Drop for OtherBrowser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("this machine has a loopback port to spare");
    listener.local_addr().expect("a bound listener has an address").port()
}

/// Turns the relay on for the site, in the settings.
async fn turned_on(app: &App, site: &Site) -> RelayInvite {
    let screen = app.panel().screen();
    screen.press("Settings").await;
    screen
        .fill("Origin of the page", site.url().trim_end_matches('/'))
        .await;
    screen.fill("Port", &free_port().to_string()).await;
    screen.press("Turn the relay on").await;
    screen.shows("No page is attached").await;
    let invite = app.panel().state().await.relay.on.expect("the relay is on");
    screen.shows(&invite.url).await;
    invite
}

fn commits(site: &Site) -> Vec<Hit> {
    site.writes().into_iter().filter(|hit| hit.path == "/commit").collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_connects_by_itself_has_its_write_held_and_released_once() {
    let site = Site::serve("Round", &format!("{ROUND}\n{BRIDGE}")).await;
    let app = App::start(Options::no_model()).await;
    let (panel, screen) = (app.panel(), app.panel().screen());
    let invite = turned_on(&app, &site).await;
    let _browser = OtherBrowser::open(&invite.url);
    screen.shows("A page is attached").await;

    panel.run_by_hand("commit_to_round", &[("position", "aye")]).await;
    let held = app.approval().comes_up().await;
    assert_eq!(held.page.door, DoorKind::Relay);
    assert_eq!(arguments(&held), r#"{"position":"aye"}"#);
    app.approval().screen().shows("client-asserted").await;
    app.approval()
        .screen()
        .shows("Countersign cannot see what else the page does.")
        .await;
    assert_eq!(commits(&site), []);
    app.approval().release().await;
    panel.call("commit_to_round", "Done").await;
    let sent = commits(&site);
    assert_eq!(
        (sent.len(), sent[0].body.as_str()),
        (1, r#"{"position":"aye"}"#),
        "{sent:?}"
    );
    assert_eq!(
        app.record().life_of(&held.id.0),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    let outcome = app.record().of_kind(RowKind::Outcome).remove(0);
    assert_eq!(outcome.grade, Grade::ClientAsserted);

    // It says nothing of its reads either, so they are held until the person says what they are.
    panel.run_by_hand("list_seats", &[]).await;
    panel.call("list_seats", "Held").await;
    app.approval().comes_up().await;
    app.approval().next().await;
    app.approval().refuse("It only reads.").await;
    screen.press("Tools").await;
    screen.press_in("list_seats", "list_seats only reads").await;
    screen.press_in("list_seats", "Mark list_seats as a read").await;
    screen.shows("read, marked by you").await;
    panel.run_by_hand("list_seats", &[]).await;
    let read = panel.whole_call("list_seats", "Read").await;
    assert!(read.text.contains("north and south"), "{}", read.text);
    assert_eq!(app.record().has(RowKind::Read).await.data["markedRead"], json!(true));

    let second = OtherBrowser::open(&invite.url);
    screen.press("Settings").await;
    screen.shows("A second page was refused").await;
    drop(second);

    screen.press("Turn the relay off").await;
    screen.stops_showing("token=").await;
    assert!(
        !panel
            .state()
            .await
            .desk
            .tabs
            .iter()
            .any(|tab| tab.door == DoorKind::Relay)
    );
    let (_, token) = invite.url.split_once("token=").expect("the address has the token");
    let rows = serde_json::to_string(&app.record().rows()).expect("rows are JSON");
    assert!(
        !app.log().contains(token) && !rows.contains(token),
        "the token is in no log and no row"
    );
    assert_eq!(commits(&site).len(), 1);
    ledger_verifies(&app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_relay_is_the_only_port_and_only_while_it_is_on() {
    let site = Site::serve("Round", ROUND).await;
    let app = App::start(Options::no_model()).await;
    let before = app.process().listens_on();
    let invite = turned_on(&app, &site).await;
    let mut opened = app.process().listens_on();
    opened.retain(|port| !before.contains(port));
    let opened: Vec<_> = opened.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    assert_eq!(opened, [invite.address]);
    app.panel().screen().press("Turn the relay off").await;
    until("nothing should listen any more", async || {
        (app.process().listens_on() == before).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_s_own_gate_is_shown_as_waiting_and_nothing_has_run() {
    let script = format!("{}\n{GATED}\n{BRIDGE}", library());
    let site = Site::serve("Round", &script).await;
    let app = App::start(Options::no_model()).await;
    let invite = turned_on(&app, &site).await;
    let _browser = OtherBrowser::open(&invite.url);
    app.panel().screen().shows("A page is attached").await;
    app.panel().has_tools(&["commit_to_round"]).await;

    app.panel().run_by_hand("commit_to_round", &[("position", "aye")]).await;
    let held = app.approval().comes_up().await;
    app.approval().release().await;

    let call = app.panel().whole_call("commit_to_round", "Waits at the page").await;
    assert!(
        call.text.contains("it has neither succeeded nor failed"),
        "{}",
        call.text
    );
    app.approval().screen().shows("The page’s own gate is waiting").await;
    let outcome = app.record().has(RowKind::Outcome).await;
    assert_eq!(
        (&outcome.data["outcome"], &outcome.data["gate"]["says"]),
        (&json!("page-gate"), &json!("waiting"))
    );
    assert_eq!(
        app.record().life_of(&held.id.0),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    assert_eq!(commits(&site), []);
    ledger_verifies(&app);
}
