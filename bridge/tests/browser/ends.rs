use std::collections::HashMap;
use std::process::Command;

use countersign_bridge::{Door, DoorError, DoorEvent, Executed};
use countersign_contract::{DoorState, TabState};
use serde_json::json;

use crate::rig::Rig;

const PAGE: &str = r#"<script>
tools.registerTool({ name: "buy", description: "Buys", execute: () => new Promise(() => { fetch("/began"); }) });
tools.registerTool({ name: "look", description: "d", annotations: { readOnlyHint: true }, execute: () => "seen" });
tools.registerTool({ name: "leave", description: "d", annotations: { readOnlyHint: true },
  execute: () => { setTimeout(() => { location.href = "/next"; }, 0); return "leaving"; } });
tools.registerTool({ name: "crash", description: "d", annotations: { readOnlyHint: true },
  execute: () => { setTimeout(() => { location.href = "chrome://crash"; }, 0); return "crashing"; } });
</script>"#;

#[tokio::test]
async fn a_document_that_is_left_is_reported_gone_with_what_it_held() {
    let own = r#"<script>tools.registerTool({ name: "mine", description: "d", execute: () => {} })
      .then(() => own("mine", {}))</script>"#;
    let mut rig = Rig::with_page(&format!("{PAGE}{own}")).await;
    rig.site.page("/next", "");
    let (buy, look, leave) = (rig.tool("buy").await, rig.tool("look").await, rig.tool("leave").await);
    let (held, mine, arguments, _) = rig.ask().await;
    let held_ticket = rig.held_ticket(held, &mine, &arguments).await;
    let ticket = rig.call_ticket(&buy, json!({})).await;
    let stale = rig.pass(&look, json!({}));
    rig.read(&leave, json!({})).await.unwrap();
    let message = rig.gone(&buy.page.document).await;
    assert!(!message.is_empty());
    assert_eq!(rig.door.tool(&buy.key).await, None);
    assert!(matches!(rig.execute(ticket).await, Executed::NotRun { .. }));
    assert!(matches!(rig.execute(held_ticket).await, Executed::NotRun { .. }));
    let read = rig.door.read(stale, Default::default()).await;
    assert!(matches!(read, Err(DoorError::PageGone(_))), "{read:?}");
    rig.tabs("the next page", |tabs| {
        tabs.iter()
            .find(|tab| tab.url.ends_with("/next") && tab.state == TabState::Ready)
            .map(|_| ())
    })
    .await;
}

#[tokio::test]
async fn a_write_whose_page_is_left_while_it_runs_is_unknown() {
    let mut rig = Rig::with_page(PAGE).await;
    let (buy, leave) = (rig.tool("buy").await, rig.tool("leave").await);
    let ticket = rig.call_ticket(&buy, json!({})).await;
    let running = tokio::spawn({
        let door = rig.door.clone();
        async move { door.execute(ticket).await }
    });
    while rig.site.gets("/began") == 0 {
        tokio::task::yield_now().await;
    }
    rig.read(&leave, json!({})).await.unwrap();
    assert!(matches!(running.await.unwrap(), Executed::Unknown { .. }));
}

#[tokio::test]
async fn a_browser_that_is_killed_leaves_what_ran_unknown_and_starts_again() {
    let mut rig = Rig::with_page(PAGE).await;
    let buy = rig.tool("buy").await;
    let ticket = rig.call_ticket(&buy, json!({})).await;
    let running = tokio::spawn({
        let door = rig.door.clone();
        async move { door.execute(ticket).await }
    });
    while rig.site.gets("/began") == 0 {
        tokio::task::yield_now().await;
    }
    let id = rig.door.process_id().unwrap();
    assert!(
        Command::new("kill")
            .args(["-KILL", &id.to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert!(matches!(running.await.unwrap(), Executed::Unknown { .. }));
    rig.gone(&buy.page.document).await;
    rig.tabs("no tabs", |tabs| tabs.is_empty().then_some(())).await;
    rig.status("crashed", |status| matches!(status, DoorState::Crashed { .. }))
        .await;
    let stale = rig.pass(&rig_look(), json!({}));
    assert!(matches!(
        rig.door.read(stale, Default::default()).await,
        Err(DoorError::BrowserGone(_))
    ));

    rig.open("/").await;
    let look = rig.tool("look").await;
    assert_eq!(rig.read(&look, json!({})).await, Ok("seen".into()));
}

/// A read of a page that was never there.
fn rig_look() -> countersign_contract::Tool {
    use countersign_contract::*;
    Tool {
        key: ToolKey("F/look/1".into()),
        page: PageRef {
            door: DoorKind::Browser,
            tab: "T".into(),
            frame: "F".into(),
            document: "D".into(),
            origin: "https://gone.example".into(),
            url: "https://gone.example/".into(),
            title: String::new(),
        },
        name: "look".into(),
        title: String::new(),
        description: "d".into(),
        input_schema: serde_json::Value::Null,
        annotations: Annotations {
            read_only: true,
            ..Default::default()
        },
        source: ToolSource::Script,
        digest: String::new(),
    }
}

#[tokio::test]
async fn a_tab_whose_renderer_dies_says_so_and_the_door_stays_open() {
    let mut rig = Rig::with_page(PAGE).await;
    let (look, crash) = (rig.tool("look").await, rig.tool("crash").await);
    let id = rig.door.process_id().unwrap();
    drop(crash);
    kill_renderers(id);
    rig.gone(&look.page.document).await;
    rig.tabs("a crashed tab", |tabs| {
        tabs.iter().find(|tab| tab.state == TabState::Crashed).map(|_| ())
    })
    .await;
    rig.open("/").await;
    let again = rig
        .tabs("the page again", |tabs| {
            tabs.iter()
                .flat_map(|tab| &tab.tools)
                .find(|tool| tool.name == "look" && tool.page.tab != look.page.tab)
                .cloned()
        })
        .await;
    assert_eq!(rig.read(&again, json!({})).await, Ok("seen".into()));
}

/// Ends every renderer of this test's own browser.
fn kill_renderers(browser: u32) {
    let parents = parents();
    let is_of_this_browser = |mut id: u32| {
        while id != browser {
            match parents.get(&id) {
                Some(parent) => id = *parent,
                None => return false,
            }
        }
        true
    };
    for id in parents.keys().filter(|id| is_of_this_browser(**id)) {
        let command = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        if command.contains("--type=renderer") {
            let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
        }
    }
}

/// The parent of each process. The system's own list of a process's children may leave some out while others come and go.
fn parents() -> HashMap<u32, u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let parent = |id: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in parentheses may hold anything.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| Some((id, parent(id)?))).collect()
}

#[tokio::test]
async fn closing_the_last_tab_closes_the_browser() {
    let mut rig = Rig::with_page(
        r#"<script>tools.registerTool({ name: "shut", description: "d", annotations: { readOnlyHint: true },
          execute: () => { setTimeout(() => window.close(), 0); return "closing"; } });</script>"#,
    )
    .await;
    let shut = rig.tool("shut").await;
    rig.read(&shut, json!({})).await.unwrap();
    let words = rig.gone(&shut.page.document).await;
    assert_eq!(words, "The tab was closed.");
    rig.tabs("no tabs", |tabs| tabs.is_empty().then_some(())).await;
    rig.status("exited", |status| matches!(status, DoorState::Exited { .. }))
        .await;
}

#[tokio::test]
async fn a_browser_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = countersign_bridge::BrowserConfig::new(folder.path().join("profile"));
    config.program = Some("/bin/false".into());
    let (door, mut events) = countersign_bridge::BrowserDoor::new(config);
    if std::env::var_os("COUNTERSIGN_BROWSER").is_some() {
        return;
    }
    let opened = door.open("about:blank").await;
    assert!(
        matches!(&opened, Err(DoorError::BrowserGone(message)) if message.contains("exit status: 1")),
        "{opened:?}"
    );
    let mut crashed = false;
    while let Ok(event) = events.try_recv() {
        crashed |= matches!(event, DoorEvent::Status(DoorState::Crashed { .. }));
    }
    assert!(crashed);
}
