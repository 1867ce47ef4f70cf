use std::time::Duration;

use countersign_bridge::{Door, DoorError, DoorEvent, Executed};
use countersign_contract::{Tab, Tool};
use countersign_gate::Ticket;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use crate::Transcripts;
use crate::rig::Rig;
use crate::site::{Call, FromPage};

/// How long a page may take.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A desk that releases everything it is asked at once.
pub struct Desk {
    rig: Rig,
    from_pages: UnboundedReceiver<FromPage>,
    pages: usize,
    tabs: Vec<Tab>,
    /// Calls of tools that are not listed yet.
    waiting: Vec<Call>,
    /// Digests of reads that were seen to send something: the gate takes them for writes from then on.
    caught: Vec<String>,
}

enum Heard {
    Report(Box<DoorEvent>),
    Page(FromPage),
}

impl Desk {
    pub async fn start(pages: &[String]) -> Self {
        let rig = Rig::guarding(Duration::from_millis(50)).await;
        let from_pages = rig.site.show(pages);
        rig.door.open("about:blank").await.unwrap();
        Self {
            rig,
            from_pages,
            pages: pages.len(),
            tabs: Vec::new(),
            waiting: Vec::new(),
            caught: Vec::new(),
        }
    }

    /// The process id of its browser.
    pub fn browser(&self) -> u32 {
        self.rig.door.process_id().expect("the browser runs")
    }

    /// Shows every page in turn and gives what they wrote down.
    pub async fn transcripts(mut self) -> Transcripts {
        self.rig.open("/next").await;
        let mut transcripts = Transcripts::new();
        while transcripts.len() < self.pages {
            let heard = tokio::time::timeout(PATIENCE, async {
                tokio::select! {
                    report = self.rig.event("a report", |event| Some(event.clone())) => Heard::Report(Box::new(report)),
                    said = self.from_pages.recv() => Heard::Page(said.expect("the site is there")),
                }
            });
            match heard
                .await
                .unwrap_or_else(|_| panic!("held, after {:?}", transcripts.keys()))
            {
                Heard::Page(FromPage::Transcript { page, lines }) => {
                    transcripts.insert(page, lines);
                    self.waiting.clear();
                }
                Heard::Page(FromPage::Call(call)) => self.waiting.push(call),
                Heard::Report(report) => self.reported(*report).await,
            }
            self.call_what_is_listed().await;
        }
        self.rig.door.close().await;
        transcripts
    }

    async fn reported(&mut self, report: DoorEvent) {
        match report {
            DoorEvent::Tabs(tabs) => self.tabs = tabs,
            DoorEvent::Ask {
                held, tool, arguments, ..
            } => {
                if can_be_shown(&arguments) {
                    let ticket = self.rig.held_ticket(held, &tool, &arguments).await;
                    self.run(ticket);
                } else {
                    let words = "Arguments that are not a JSON object cannot be released.";
                    self.rig.door.answer(&held, words).await;
                }
            }
            DoorEvent::Network {
                held,
                tool: Some(tool),
                request,
                ..
            } => {
                self.caught.push(tool.digest.clone());
                let ticket = self.rig.request_ticket(held, &tool, request).await;
                self.run(ticket);
            }
            _ => {}
        }
    }

    fn run(&self, ticket: Ticket) {
        let door = self.rig.door.clone();
        tokio::spawn(async move { door.execute(ticket).await });
    }

    async fn call_what_is_listed(&mut self) {
        for call in std::mem::take(&mut self.waiting) {
            let mut tools = self.tabs.iter().flat_map(|tab| &tab.tools);
            let tool = tools.find(|tool| tool.name == call.tool && tool.page.url.contains(&call.page));
            match tool.cloned() {
                Some(tool) => self.call(&tool, call).await,
                None => self.waiting.push(call),
            }
        }
    }

    async fn call(&mut self, tool: &Tool, call: Call) {
        let arguments: Value = serde_json::from_str(&call.input).expect("a page asks with JSON");
        let door = self.rig.door.clone();
        let answer = call.answer;
        let reads = tool.annotations.read_only && !tool.annotations.consequential;
        if reads && !self.caught.contains(&tool.digest) {
            let pass = self.rig.pass(tool, arguments);
            tokio::spawn(async move {
                let _ = answer.send(match door.read(pass, CancellationToken::new()).await {
                    Ok(text) => format!("-> {text}"),
                    Err(DoorError::Page(words)) => format!("! {words}"),
                    Err(other) => format!("? {other}"),
                });
            });
        } else {
            let ticket = self.rig.call_ticket(tool, arguments).await;
            tokio::spawn(async move {
                let _ = answer.send(match door.execute(ticket).await {
                    Executed::Committed { result } => format!("-> {result}"),
                    Executed::Failed { message } => format!("! {message}"),
                    Executed::NotRun { message } | Executed::Unknown { message } => format!("? {message}"),
                });
            });
        }
    }
}

fn can_be_shown(arguments: &str) -> bool {
    let value = serde_json::from_str::<Value>(arguments).ok();
    value.is_some_and(|value| value.is_object() && countersign_ledger::canonical(&value).is_ok())
}
