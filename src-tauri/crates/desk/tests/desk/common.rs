//! A desk over a real gate and a real ledger, with one door that does as it is told and remembers what it was asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use countersign_bridge::{Door, DoorError, DoorEvent, Executed};
use countersign_contract::wire::Head;
use countersign_contract::*;
use countersign_desk::{Asked, CallAsk, Clock, Desk, DeskConfig};
use countersign_gate::{At, Policy, ReadPass, Target, Ticket, definition_digest};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

pub const DOCUMENT: &str = "document-1";

/// Time that moves only when it is told to.
#[derive(Default)]
pub struct Hand(Mutex<u64>);

impl Hand {
    pub fn forward(&self, ms: u64) {
        *self.0.lock().unwrap() += ms;
    }
}

impl Clock for Hand {
    fn now(&self) -> At {
        At::new(*self.0.lock().unwrap(), "2026-12-01T00:00:00.000Z")
    }
}

#[derive(Default)]
pub struct Script {
    pub executed: Mutex<Vec<Target>>,
    pub answered: Mutex<Vec<(HeldRef, String)>>,
    pub tools: Mutex<Vec<Tool>>,
    pub preview: Mutex<Option<Value>>,
    /// What single reads answer, by name.
    pub reads: Mutex<BTreeMap<String, String>>,
    /// Those of them that were asked, with what.
    pub asked: Mutex<Vec<String>>,
    pub sites: Mutex<Vec<SitePolicy>>,
    pub heads: Mutex<Vec<(u32, Option<Head>)>>,
    /// When set, an execution waits for it and dies if it is dropped.
    pub gate: Mutex<Option<oneshot::Receiver<Executed>>>,
}

pub struct ScriptedDoor(pub Arc<Script>);

#[async_trait]
impl Door for ScriptedDoor {
    fn kind(&self) -> DoorKind {
        DoorKind::Browser
    }

    async fn read(&self, pass: ReadPass, _: CancellationToken) -> Result<String, DoorError> {
        if pass.tool().name.ends_with(".preview") {
            let preview = self.0.preview.lock().unwrap().clone();
            return preview
                .map(|value| value.to_string())
                .ok_or_else(|| DoorError::Page("no preview today".into()));
        }
        if let Some(answer) = self.0.reads.lock().unwrap().get(&pass.tool().name) {
            let asked = format!("{} {}", pass.tool().name, pass.arguments());
            self.0.asked.lock().unwrap().push(asked);
            return Ok(answer.clone());
        }
        Ok(format!("read {} with {}", pass.tool().name, pass.arguments()))
    }

    async fn execute(&self, ticket: Ticket) -> Executed {
        self.0.executed.lock().unwrap().push(ticket.target().clone());
        let waits = self.0.gate.lock().unwrap().take();
        match waits {
            Some(end) => end.await.expect("the test ends the execution"),
            None => Executed::Committed { result: "done".into() },
        }
    }

    async fn answer(&self, held: &HeldRef, text: &str) {
        self.0.answered.lock().unwrap().push((held.clone(), text.to_owned()));
    }

    async fn tool(&self, key: &ToolKey) -> Option<Tool> {
        self.0
            .tools
            .lock()
            .unwrap()
            .iter()
            .find(|tool| tool.key == *key)
            .cloned()
    }

    fn tell_head(&self, _: &PageRef, number: u32, row: Option<Head>) {
        self.0.heads.lock().unwrap().push((number, row));
    }

    fn set_sites(&self, sites: &[SitePolicy]) {
        *self.0.sites.lock().unwrap() = sites.to_vec();
    }

    async fn open(&self, url: &str) -> Result<String, DoorError> {
        Ok(format!("tab of {url}"))
    }

    async fn close(&self) {}
}

pub struct Bench {
    pub desk: Desk,
    pub door: Arc<Script>,
    pub events: UnboundedSender<DoorEvent>,
    pub clock: Arc<Hand>,
    pub folder: TempDir,
}

impl Bench {
    pub async fn new() -> Self {
        Self::over(tempfile::tempdir().unwrap()).await
    }

    pub async fn over(folder: TempDir) -> Self {
        let clock = Arc::new(Hand::default());
        let config = DeskConfig {
            ledger: folder.path().join("ledger"),
            policy: Policy::default(),
            version: "test".into(),
        };
        let desk = Desk::open(config, clock.clone()).await.expect("the ledger opens");
        let door = Arc::new(Script::default());
        let (events, receiver) = unbounded_channel();
        desk.add_door(Arc::new(ScriptedDoor(door.clone())), receiver);
        let bench = Self {
            desk,
            door,
            events,
            clock,
            folder,
        };
        bench.offer(vec![tool("list", true), tool("order", false)]).await;
        let params = ChoosePageParams {
            at: TabRef::from(&tool("list", true).page),
            origin: "http://shop.example".into(),
        };
        bench
            .desk
            .pin_page(&params)
            .await
            .expect("the page is there to be pinned");
        bench
    }

    /// The page publishes these tools.
    pub async fn offer(&self, tools: Vec<Tool>) {
        *self.door.tools.lock().unwrap() = tools.clone();
        let tab = Tab {
            id: "tab-1".into(),
            door: DoorKind::Browser,
            title: "Shop".into(),
            url: "http://shop.example/".into(),
            origin: "http://shop.example".into(),
            state: TabState::Ready,
            browser: None,
            window: None,
            opener: None,
            tools: tools.clone(),
        };
        self.events
            .send(DoorEvent::Status(DoorState::Open {
                product: "Test/1".into(),
            }))
            .unwrap();
        self.events.send(DoorEvent::Tabs(vec![tab])).unwrap();
        self.until("the tools are listed", |state| {
            state.tabs.iter().flat_map(|tab| &tab.tools).eq(&tools)
        })
        .await;
    }

    /// Waits for a state of the desk. A test that waits in vain is ended by its runner.
    pub async fn until(&self, what: &str, holds: impl Fn(&DeskState) -> bool) -> DeskState {
        let mut changes = self.desk.changes();
        loop {
            changes.borrow_and_update();
            let state = self.desk.state();
            if holds(&state) {
                return state;
            }
            let changed = tokio::time::timeout(Duration::from_secs(30), changes.changed()).await;
            assert!(changed.is_ok(), "waited in vain until {what}: {state:#?}");
        }
    }

    pub async fn ask(&self, name: &str, arguments: Value) -> Asked {
        let key = self
            .door
            .tools
            .lock()
            .unwrap()
            .iter()
            .find(|tool| tool.name == name)
            .unwrap()
            .key
            .clone();
        let caller = Caller::new(Ingress::PanelAgent, "a model");
        let ask = CallAsk {
            caller,
            tool: key,
            arguments,
            fingerprint: Fingerprint::default(),
            task: "conversation-1".into(),
        };
        self.desk
            .ask(ask, CancellationToken::new())
            .await
            .expect("the ask is taken")
    }

    pub async fn held(&self, arguments: Value) -> ProposalId {
        let Asked::Held(proposal) = self.ask("order", arguments).await else {
            panic!("a write was not held");
        };
        self.previewed(&proposal).await;
        proposal
    }

    /// Waits until the page has been asked for its preview.
    pub async fn previewed(&self, proposal: &ProposalId) -> Proposal {
        let state = self
            .until("the preview is there", |state| {
                state
                    .proposals
                    .iter()
                    .any(|card| card.id == *proposal && card.preview != Preview::Pending)
            })
            .await;
        state.proposals.into_iter().find(|card| card.id == *proposal).unwrap()
    }

    /// Shows a card for long enough, and presses release.
    pub async fn release(&self, proposal: &ProposalId) -> Result<(), countersign_desk::DeskError> {
        let digest = self.show(proposal);
        self.desk
            .release(ReleaseParams {
                proposal: proposal.clone(),
                digest,
                acknowledged: self.card(proposal).risks.into_iter().map(|risk| risk.id).collect(),
                fingerprint: Fingerprint {
                    is_trusted: Some(true),
                    ..Fingerprint::default()
                },
                rule: None,
            })
            .await
    }

    pub fn show(&self, proposal: &ProposalId) -> String {
        self.desk.window(true, true);
        let digest = self.card(proposal).digest;
        self.desk.shown(&ShownParams {
            proposal: proposal.clone(),
            digest: digest.clone(),
        });
        self.clock.forward(500);
        digest
    }

    pub fn card(&self, proposal: &ProposalId) -> Proposal {
        self.desk
            .state()
            .proposals
            .into_iter()
            .find(|card| card.id == *proposal)
            .expect("the proposal is listed")
    }

    pub fn rows(&self) -> Vec<Row> {
        let params = LedgerRowsParams {
            before: None,
            limit: 500,
            filter: String::new(),
        };
        let mut rows = self.desk.ledger().rows(&params).unwrap().rows;
        rows.reverse();
        rows
    }

    pub fn kinds(&self, proposal: &ProposalId) -> Vec<RowKind> {
        let of = |row: &Row| row.reference.as_deref() == Some(proposal.0.as_str());
        self.rows().into_iter().filter(of).map(|row| row.kind).collect()
    }

    /// What a door was told to answer.
    pub async fn answered(&self, held: &HeldRef) -> String {
        for _ in 0..1000 {
            let answered = self.door.answered.lock().unwrap().clone();
            if let Some((_, text)) = answered.into_iter().find(|(other, _)| other == held) {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{held:?} was not answered")
    }

    /// Another desk over a copy of this one's ledger. The first is as good as dead: its process would hold the lock.
    pub async fn restarted(&self) -> Self {
        let copy = tempfile::tempdir().unwrap();
        let (from, to) = (self.folder.path().join("ledger"), copy.path().join("ledger"));
        std::fs::create_dir(&to).unwrap();
        for file in std::fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
        Self::over(copy).await
    }

    pub fn executed(&self) -> Vec<Target> {
        self.door.executed.lock().unwrap().clone()
    }
}

pub fn tool(name: &str, read_only: bool) -> Tool {
    let annotations = Annotations {
        read_only,
        ..Annotations::default()
    };
    let schema = json!({ "type": "object" });
    Tool {
        key: ToolKey(format!("frame-1/{name}/1")),
        page: PageRef {
            door: DoorKind::Browser,
            tab: "tab-1".into(),
            frame: "frame-1".into(),
            document: DOCUMENT.into(),
            origin: "http://shop.example".into(),
            url: "http://shop.example/".into(),
            title: "Shop".into(),
        },
        name: name.into(),
        title: String::new(),
        description: format!("does {name}"),
        digest: definition_digest(
            name,
            "",
            &format!("does {name}"),
            &schema,
            &annotations,
            "http://shop.example",
        ),
        input_schema: schema,
        annotations,
        source: ToolSource::Script,
    }
}
