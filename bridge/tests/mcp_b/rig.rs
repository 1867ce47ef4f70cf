use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use countersign_bridge::{Door, DoorError, DoorEvent, Executed, McpBConfig, McpBDoor, McpBOn, McpBStatus};
use countersign_contract::{Tab, Tool};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::clock::HandClock;
use crate::gatehouse::Gatehouse;

pub const ORIGIN: &str = "https://room.example";
pub const CDN: &str = "https://cdn.example";

pub async fn within_patience<T>(what: &str, wait: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(Duration::from_secs(60), wait).await;
    waited.unwrap_or_else(|_| panic!("waited for {what}"))
}

/// The door, turned on, with a clock that stands still.
pub struct Rig {
    pub door: McpBDoor,
    pub clock: Arc<HandClock>,
    pub on: McpBOn,
    gatehouse: Gatehouse,
    events: mpsc::UnboundedReceiver<DoorEvent>,
    seen: Vec<DoorEvent>,
}

impl Rig {
    pub async fn start() -> Self {
        Self::serving(&[ORIGIN], &[CDN]).await
    }

    pub async fn serving(origins: &[&str], widgets: &[&str]) -> Self {
        let clock = Arc::new(HandClock::new());
        let (door, events) = McpBDoor::with_clock(clock.clone());
        let config = McpBConfig {
            origins: origins.iter().map(|&origin| origin.into()).collect(),
            widgets: widgets.iter().map(|&origin| origin.into()).collect(),
            port: 0,
        };
        Self {
            on: door.listen(config).await.unwrap(),
            door,
            clock,
            gatehouse: Gatehouse::new(),
            events,
            seen: Vec::new(),
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.on.address
    }

    pub fn status(&self) -> McpBStatus {
        self.door.status().borrow().clone()
    }

    pub async fn status_when(&self, what: &str, is_so: impl Fn(&McpBStatus) -> bool) -> McpBStatus {
        let mut status = self.door.status();
        within_patience(what, status.wait_for(is_so)).await.unwrap().clone()
    }

    /// The first report, seen already or still to come, that `pick` takes.
    pub async fn event<T>(&mut self, what: &str, mut pick: impl FnMut(&DoorEvent) -> Option<T>) -> T {
        for at in 0..self.seen.len() {
            if let Some(found) = pick(&self.seen[at]) {
                self.seen.remove(at);
                return found;
            }
        }
        within_patience(what, async {
            loop {
                let event = self.events.recv().await.expect("the door is there");
                if let Some(found) = pick(&event) {
                    return found;
                }
                self.seen.push(event);
            }
        })
        .await
    }

    /// What was reported of the tabs last.
    pub fn tabs(&mut self) -> Vec<Tab> {
        while let Ok(event) = self.events.try_recv() {
            self.seen.push(event);
        }
        let last = self.seen.iter().rev().find_map(|event| match event {
            DoorEvent::Tabs(tabs) => Some(tabs.clone()),
            _ => None,
        });
        last.unwrap_or_default()
    }

    pub async fn tabs_when(&mut self, what: &str, is_so: impl Fn(&[Tab]) -> bool) -> Vec<Tab> {
        loop {
            let tabs = self.tabs();
            if is_so(&tabs) {
                return tabs;
            }
            let event = within_patience(what, self.events.recv()).await;
            self.seen.push(event.expect("the door is there"));
        }
    }

    pub fn tool(&mut self, name: &str) -> Tool {
        let mut tools = self.tabs().into_iter().flat_map(|tab| tab.tools);
        tools.find(|tool| tool.name == name).expect("the tool is listed")
    }

    /// A document's end, in words.
    pub async fn gone(&mut self, document: &str) -> String {
        self.event("a document's end", |event| match event {
            DoorEvent::DocumentGone {
                document: gone,
                message,
            } if gone == document => Some(message.clone()),
            _ => None,
        })
        .await
    }

    /// A read that is under way.
    pub fn read(&mut self, tool: &Tool, arguments: &Value) -> JoinHandle<Result<String, DoorError>> {
        self.read_until(tool, arguments, CancellationToken::new())
    }

    pub fn read_until(
        &mut self,
        tool: &Tool,
        arguments: &Value,
        cancel: CancellationToken,
    ) -> JoinHandle<Result<String, DoorError>> {
        let pass = self.gatehouse.pass(tool, arguments);
        let door = self.door.clone();
        tokio::spawn(async move { door.read(pass, cancel).await })
    }

    /// A released write that is under way.
    pub async fn write(&mut self, tool: &Tool, arguments: Value) -> JoinHandle<Executed> {
        let ticket = self.gatehouse.ticket(tool, arguments).await;
        let door = self.door.clone();
        tokio::spawn(async move { door.execute(ticket).await })
    }
}

/// One read and one write.
pub fn two_tools() -> Value {
    json!([
        { "name": "look", "description": "Looks", "inputSchema": { "type": "object", "properties": {} },
          "annotations": { "readOnlyHint": true } },
        { "name": "buy", "description": "Buys", "inputSchema": { "type": "object", "properties": {} } },
    ])
}

/// The end of something that is under way.
pub async fn end<T>(running: JoinHandle<T>) -> T {
    within_patience("its end", running).await.unwrap()
}
