use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use countersign_bridge::{Door, DoorEvent, Executed, RelayConfig, RelayDoor, RelayInvitation, RelayStatus, RelayToken};
use countersign_contract::{Tab, Tool};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::clock::HandClock;
use crate::gatehouse::Gatehouse;
use crate::wire::{self, Answer, Ask, EventStream};

pub const ORIGIN: &str = "https://room.example";
pub const TOKEN: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f90";
/// Two page loads.
pub const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

pub async fn within_patience<T>(what: &str, wait: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(Duration::from_secs(60), wait).await;
    waited.unwrap_or_else(|_| panic!("waited for {what}"))
}

/// The door, turned on, with a clock that stands still.
pub struct Rig {
    pub door: RelayDoor,
    pub clock: Arc<HandClock>,
    pub invitation: RelayInvitation,
    pub gatehouse: Gatehouse,
    events: mpsc::UnboundedReceiver<DoorEvent>,
    seen: Vec<DoorEvent>,
}

impl Rig {
    pub async fn start() -> Self {
        Self::serving(ORIGIN).await
    }

    pub async fn serving(origin: &str) -> Self {
        crate::logs::keep();
        let clock = Arc::new(HandClock::new());
        let (door, events) = RelayDoor::with_clock(clock.clone());
        let config = RelayConfig {
            origin: origin.into(),
            port: 0,
            token: RelayToken::given(TOKEN).unwrap(),
        };
        Self {
            invitation: door.listen(config).await.unwrap(),
            door,
            clock,
            gatehouse: Gatehouse::new(),
            events,
            seen: Vec::new(),
        }
    }

    /// A rig with page A attached, and its tools.
    pub async fn with_page(tools: Value) -> (Self, EventStream) {
        let rig = Self::start().await;
        assert_eq!(rig.push(A, &tools).await.says(), (204, ""));
        let stream = rig.attach(A).await.unwrap();
        // It came in time, so nobody gives it up.
        rig.clock.pass(Duration::from_secs(10)).await;
        assert!(rig.status().attached);
        (rig, stream)
    }

    pub fn address(&self) -> SocketAddr {
        self.invitation.on.address
    }

    pub async fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.ask_or_hang_up(method, target, headers, body)
            .await
            .expect("an answer")
    }

    pub async fn ask_or_hang_up(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<Answer> {
        let headers = headers.to_vec();
        let ask = Ask {
            method,
            target,
            headers,
            body,
        };
        wire::ask(self.address(), ask).await
    }

    /// A POST as a page makes it.
    pub async fn post(&self, page: &str, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &of_page(page), body).await
    }

    pub async fn push(&self, page: &str, tools: &Value) -> Answer {
        self.post(page, "/tools", &json!({ "tools": tools }).to_string()).await
    }

    pub async fn result(&self, page: &str, result: Value) -> Answer {
        self.post(page, "/result", &result.to_string()).await
    }

    /// An event stream as `EventSource` opens it, read up to its greeting.
    pub async fn attach(&self, page: &str) -> Result<EventStream, Answer> {
        let target = format!("/events?token={TOKEN}&page={page}");
        let ask = Ask {
            method: "GET",
            target: &target,
            headers: vec![("origin", ORIGIN), ("accept", "text/event-stream")],
            body: "",
        };
        let mut stream = EventStream::open(self.address(), ask).await?;
        assert_eq!(stream.next().await.as_deref(), Some(": attached"));
        Ok(stream)
    }

    pub async fn health(&self) -> Value {
        self.ask("GET", "/health", &[], "").await.json()
    }

    pub fn status(&self) -> RelayStatus {
        self.door.status().borrow().clone()
    }

    pub async fn status_when(&self, what: &str, is_so: impl Fn(&RelayStatus) -> bool) {
        let mut status = self.door.status();
        let _ = within_patience(what, status.wait_for(is_so)).await.unwrap();
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

    pub fn tool(&mut self, name: &str) -> Tool {
        let tabs = self.tabs();
        let mut tools = tabs.into_iter().flat_map(|tab| tab.tools);
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
    pub fn read(&mut self, name: &str, arguments: &Value) -> JoinHandle<Result<String, countersign_bridge::DoorError>> {
        let tool = self.tool(name);
        let pass = self.gatehouse.pass(&tool, arguments);
        let door = self.door.clone();
        tokio::spawn(async move { door.read(pass, CancellationToken::new()).await })
    }

    /// A released write that is under way.
    pub async fn write(&mut self, name: &str, arguments: Value) -> JoinHandle<Executed> {
        let tool = self.tool(name);
        let ticket = self.gatehouse.ticket(&tool, arguments).await;
        let door = self.door.clone();
        tokio::spawn(async move { door.execute(ticket).await })
    }
}

/// What a page sends along with a POST.
pub fn of_page(page: &str) -> [(&str, &str); 4] {
    [
        ("origin", ORIGIN),
        ("content-type", "application/json"),
        ("x-bridge-token", TOKEN),
        ("x-bridge-page", page),
    ]
}

/// One read and one write, as a page of ours lists them.
pub fn two_tools() -> Value {
    json!([
        { "name": "read_ledger", "description": "Reads", "inputSchema": { "type": "object", "properties": {} },
          "annotations": { "readOnlyHint": true } },
        { "name": "commit", "description": "Commits", "inputSchema": { "type": "object", "properties": {} } },
    ])
}

/// The end of something that is under way.
pub async fn end<T>(running: JoinHandle<T>) -> T {
    within_patience("its end", running).await.unwrap()
}
