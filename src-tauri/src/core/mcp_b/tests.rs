use std::net::{Ipv4Addr, TcpListener};

use countersign_contract::{McpBOnParams, McpBSettings, Settings};
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

fn params(origin: &str, port: u16) -> McpBOnParams {
    McpBOnParams {
        origins: vec![format!(" {origin} "), String::new()],
        widgets: Vec::new(),
        port,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mcp_b_door_is_off_until_it_is_turned_on_and_is_on_again_after_a_restart() {
    let (first, _folder) = core(Settings::default()).await;
    first.restore_mcp_b().await;
    assert_eq!(first.panel_state().await.mcp_b.on, None);
    let mut kept = first.turn_mcp_b_on(params(ORIGIN, 0)).await.expect("it is turned on");
    assert!(first.panel_state().await.mcp_b.on.is_some());
    let expected = McpBSettings {
        on: true,
        origins: vec![ORIGIN.into()],
        widgets: Vec::new(),
        port: 0,
    };
    assert_eq!(kept.mcp_b, expected);
    kept = first.set_settings(Settings::default()).expect("they are kept");
    assert_eq!(kept.mcp_b, expected, "the form of the settings does not turn it off");
    first.close().await;

    let (second, _folder) = core(kept).await;
    second.restore_mcp_b().await;
    assert!(second.panel_state().await.mcp_b.on.is_some());
    assert!(!second.turn_mcp_b_off().await.mcp_b.on);
    assert_eq!(second.panel_state().await.mcp_b.on, None);
    second.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn why_the_mcp_b_door_could_not_be_turned_on_is_said_and_nothing_is_kept() {
    let (core, _folder) = core(Settings::default()).await;
    for (origin, words) in [("", "at least one page"), ("room.example", "is not an origin")] {
        let error = core.turn_mcp_b_on(params(origin, 0)).await.expect_err("it is refused");
        assert!(error.message.contains(words), "{}", error.message);
    }
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = taken.local_addr().expect("its number").port();
    let error = core.turn_mcp_b_on(params(ORIGIN, port)).await.expect_err("it is taken");
    assert!(error.message.contains("pick another port"), "{}", error.message);
    assert_eq!(core.settings().mcp_b, McpBSettings::default());
    core.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_is_taken_at_the_start_is_said_in_the_settings() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let settings = Settings {
        mcp_b: McpBSettings {
            on: true,
            origins: vec![ORIGIN.into()],
            widgets: Vec::new(),
            port: taken.local_addr().expect("its number").port(),
        },
        ..Settings::default()
    };
    let (core, _folder) = core(settings).await;
    core.restore_mcp_b().await;
    let state = core.panel_state().await.mcp_b;
    assert_eq!(state.on, None);
    assert!(state.problem.expect("it is said").contains("pick another port"));
    core.close().await;
}
