use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use countersign_contract::{
    MarkReadParams, MarkedRead, RelayInvite, RelayOnParams, RelaySettings, RelayState, Settings,
};
use tempfile::TempDir;

use crate::core::{Core, CoreConfig};

const ORIGIN: &str = "https://room.example";

async fn core(settings: Settings) -> (Core, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = CoreConfig {
        ledger: folder.path().join("ledger"),
        version: "test".into(),
        settings,
    };
    (Core::open(config).await.expect("the ledger opens"), folder)
}

/// On any port that is free.
fn params() -> RelayOnParams {
    RelayOnParams {
        origin: ORIGIN.into(),
        port: 0,
    }
}

async fn state(core: &Core) -> RelayState {
    core.panel_state().await.relay
}

async fn invited(core: &Core) -> RelayInvite {
    state(core).await.on.expect("the relay is on")
}

fn token(invite: &RelayInvite) -> &str {
    invite.url.split_once("token=").expect("the address has the token").1
}

/// Pushes a list of tools as the page would, and gives the answer's status.
fn push(invite: &RelayInvite, tools: &str) -> String {
    let mut stream = TcpStream::connect(&invite.address).expect("the relay listens");
    let (host, length, token) = (&invite.address, tools.len(), token(invite));
    write!(
        stream,
        "POST /tools HTTP/1.1\r\nHost: {host}\r\nOrigin: {ORIGIN}\r\nx-bridge-token: {token}\r\nx-bridge-page: one\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{tools}"
    )
    .expect("the request is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the answer is text");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_is_off_until_it_is_turned_on_and_comes_back_with_another_token() {
    let (first, _folder) = core(Settings::default()).await;
    first.restore_relay().await;
    assert_eq!(state(&first).await, RelayState::default());
    let settings = first.turn_relay_on(params()).await.expect("a port is free");
    assert_eq!(
        settings.relay,
        RelaySettings {
            on: true,
            origin: ORIGIN.into(),
            port: 0
        }
    );
    let before = invited(&first).await;
    assert!(
        before
            .url
            .starts_with(&format!("{ORIGIN}/?bridge=http://{}&token=", before.address))
    );
    assert!(token(&before).starts_with(&before.fingerprint));

    let off = first.turn_relay_off().await;
    assert!(!off.relay.on && off.relay.origin == ORIGIN);
    assert_eq!(state(&first).await, RelayState::default());
    TcpStream::connect(&before.address).expect_err("nothing listens any more");

    let (second, _folder) = core(settings).await;
    assert_eq!(state(&second).await.on, None, "nothing listens before it is told to");
    second.restore_relay().await;
    let after = invited(&second).await;
    assert_eq!(after.origin, before.origin);
    assert_ne!(token(&after), token(&before));
    second.close().await;
    TcpStream::connect(&after.address).expect_err("the app has closed it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_origin_is_refused_and_the_relay_stays_as_it_is() {
    let (core, _folder) = core(Settings::default()).await;
    core.turn_relay_on(params()).await.expect("a port is free");
    let before = invited(&core).await;
    let wrong = RelayOnParams {
        origin: format!("{ORIGIN}/room"),
        port: 0,
    };
    let refused = core.turn_relay_on(wrong).await.expect_err("it has a path");
    assert!(
        refused.message.contains("is not an origin as a browser writes it"),
        "{refused}"
    );
    assert_eq!(invited(&core).await, before);
    assert_eq!(core.settings().relay.origin, ORIGIN);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_is_taken_at_the_start_is_said_and_can_be_changed() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
    let port = taken.local_addr().expect("it is bound").port();
    let relay = RelaySettings {
        on: true,
        origin: ORIGIN.into(),
        port,
    };
    let (core, _folder) = core(Settings {
        relay,
        ..Settings::default()
    })
    .await;
    core.restore_relay().await;
    let problem = state(&core).await.problem.expect("it is said");
    assert!(problem.contains(&format!("127.0.0.1:{port}")), "{problem}");
    core.turn_relay_on(params()).await.expect("another port is free");
    assert_eq!(state(&core).await.problem, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_marked_as_a_read_only_when_the_page_lists_it_and_says_nothing_of_it() {
    let (core, _folder) = core(Settings::default()).await;
    core.turn_relay_on(params()).await.expect("a port is free");
    let invite = invited(&core).await;
    let tools = r#"{"tools":[{"name":"list_seats"},{"name":"rule","annotations":{"consequentialHint":true}}]}"#;
    assert!(push(&invite, tools).starts_with("HTTP/1.1 204"));
    let mut changes = core.changes();
    while core.desk().tools().len() < 2 {
        changes.changed().await.expect("the core is there");
    }
    let listed = |name: &str| {
        let tools = core.desk().tools();
        tools.into_iter().find(|tool| tool.name == name).expect("it is listed")
    };
    let mark = |name: &str| MarkedRead {
        origin: ORIGIN.into(),
        tool: name.into(),
        digest: listed(name).digest,
    };
    let unlisted = MarkedRead {
        digest: "0".repeat(64),
        ..mark("list_seats")
    };
    for mark in [mark("rule"), unlisted] {
        let marked = core.mark_read(MarkReadParams { mark, read: true });
        assert!(
            marked
                .expect_err("it cannot be")
                .message
                .contains("cannot be marked as a read")
        );
    }
    assert!(!listed("list_seats").annotations.read_only);

    let seats = mark("list_seats");
    for read in [true, true] {
        let mark = seats.clone();
        let settings = core.mark_read(MarkReadParams { mark, read }).expect("it is listed");
        assert_eq!(settings.marked_reads, std::slice::from_ref(&seats));
    }
    assert!(
        listed("list_seats").annotations.read_only,
        "agents are told that it runs at once"
    );
    // What the settings' own form saves is neither a mark nor a relay.
    let saved = core.set_settings(Settings::default()).expect("they are settings");
    assert_eq!((&saved.marked_reads[..], saved.relay.on), (&[seats.clone()][..], true));

    let back = MarkReadParams {
        mark: seats,
        read: false,
    };
    assert_eq!(core.mark_read(back).expect("it can be taken back").marked_reads, []);
    assert!(!listed("list_seats").annotations.read_only);
}
