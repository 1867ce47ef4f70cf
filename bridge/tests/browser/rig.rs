use std::sync::Arc;
use std::time::Duration;

use countersign_bridge::{BrowserConfig, BrowserDoor, Door, DoorError, DoorEvent, Executed, find_browser};
use countersign_contract::*;
use countersign_gate::{Ask, AskedAct, At, Gate, Policy, ReadPass, Ticket};
use countersign_ledger::Ledger;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::site::Site;

/// A test that waits longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until something outside of the door is so.
pub async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(waited.await.is_ok(), "waited for {what}");
}

/// The door over a real browser, and a real gate and ledger to make its passes and tickets.
pub struct Rig {
    pub door: BrowserDoor,
    pub site: Site,
    events: mpsc::UnboundedReceiver<DoorEvent>,
    seen: Vec<DoorEvent>,
    /// The last report of the tabs.
    tabs: Vec<Tab>,
    gate: Gate,
    ledger: Ledger,
    ms: u64,
    pub folder: tempfile::TempDir,
}

impl Rig {
    pub async fn start() -> Self {
        Self::with(|_| ()).await
    }

    /// A rig whose reads are guarded for this long after their end.
    pub async fn guarding(guard_after_read: Duration) -> Self {
        Self::with(|config| config.guard_after_read = guard_after_read).await
    }

    /// A rig whose browser is set up in another way.
    pub async fn with(set_up: impl FnOnce(&mut BrowserConfig)) -> Self {
        if let Err(error) = find_browser(None) {
            panic!("these tests need a real browser. {error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let mut config = BrowserConfig::new(folder.path().join("profile"));
        // To watch a test, or to check that a window makes no difference.
        config.headless = std::env::var_os("COUNTERSIGN_TEST_WINDOW").is_none();
        set_up(&mut config);
        let (door, events) = BrowserDoor::new(config);
        let clock = Arc::new(|| "2026-01-01T00:00:00.000Z".to_owned());
        let (ledger, opened) = Ledger::open(&folder.path().join("ledger"), clock).unwrap();
        Self {
            door,
            site: Site::start().await,
            events,
            seen: Vec::new(),
            tabs: Vec::new(),
            // How often somebody may ask is the gate's own subject.
            gate: Gate::new(
                Policy {
                    burst: u32::MAX,
                    ..Policy::default()
                },
                opened.last_proposal,
            ),
            ledger,
            ms: 0,
            folder,
        }
    }

    /// A rig with one page open, and its tools.
    pub async fn with_page(html: &str) -> Self {
        let mut rig = Self::start().await;
        rig.site.page("/", html);
        rig.open("/").await;
        rig
    }

    pub async fn open(&mut self, path: &str) {
        self.door.open(&self.site.url(path)).await.unwrap();
    }

    /// The first report, seen already or still to come, that `pick` takes.
    pub async fn event<T>(&mut self, what: &str, mut pick: impl FnMut(&DoorEvent) -> Option<T>) -> T {
        for at in 0..self.seen.len() {
            if let Some(found) = pick(&self.seen[at]) {
                self.seen.remove(at);
                return found;
            }
        }
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                let event = self.events.recv().await.expect("the door is there");
                if let DoorEvent::Tabs(tabs) = &event {
                    self.tabs.clone_from(tabs);
                }
                if let Some(found) = pick(&event) {
                    return found;
                }
                if !matches!(event, DoorEvent::Tabs(_)) {
                    self.seen.push(event);
                }
            }
        });
        match waited.await {
            Ok(found) => found,
            Err(_) => panic!("waited for {what}; seen so far: {:#?} {:#?}", self.seen, self.tabs),
        }
    }

    /// What `pick` looks for, in the tabs as they are now or in the first later report that holds it.
    pub async fn tabs<T>(&mut self, what: &str, mut pick: impl FnMut(&[Tab]) -> Option<T>) -> T {
        if let Some(found) = pick(&self.tabs) {
            return found;
        }
        self.event(what, |event| match event {
            DoorEvent::Tabs(tabs) => pick(tabs),
            _ => None,
        })
        .await
    }

    /// A form's tool, as soon as the whole form is listed: while it is being parsed it is listed as far as it goes.
    pub async fn form(&mut self, name: &str, field: &str) -> Tool {
        self.tabs(name, |tabs| {
            tabs.iter()
                .flat_map(|tab| &tab.tools)
                .find(|tool| tool.name == name && tool.input_schema["properties"][field].is_object())
                .cloned()
        })
        .await
    }

    /// A tool by its name, as soon as it is listed.
    pub async fn tool(&mut self, name: &str) -> Tool {
        self.tabs(name, |tabs| {
            tabs.iter()
                .flat_map(|tab| &tab.tools)
                .find(|tool| tool.name == name)
                .cloned()
        })
        .await
    }

    pub async fn ask(&mut self) -> (HeldRef, Tool, String, Fingerprint) {
        self.event("an ask", |event| match event {
            DoorEvent::Ask {
                held,
                tool,
                arguments,
                fingerprint,
            } => Some((held.clone(), *tool.clone(), arguments.clone(), fingerprint.clone())),
            _ => None,
        })
        .await
    }

    pub async fn network(&mut self) -> (HeldRef, Tool, NetworkRequest) {
        self.event("a held request", |event| match event {
            DoorEvent::Network {
                held,
                tool: Some(tool),
                request,
                ..
            } => Some((held.clone(), *tool.clone(), request.clone())),
            _ => None,
        })
        .await
    }

    /// An opening that was refused.
    pub async fn refused(&mut self) -> (Tool, NetworkRequest) {
        self.event("a refused opening", |event| match event {
            DoorEvent::Refused { tool, request, .. } => Some((*tool.clone(), request.clone())),
            _ => None,
        })
        .await
    }

    /// Whether an opening was refused that nobody has taken yet.
    pub fn has_refused(&mut self) -> bool {
        while let Ok(event) = self.events.try_recv() {
            self.seen.push(event);
        }
        self.seen.iter().any(|event| matches!(event, DoorEvent::Refused { .. }))
    }

    pub async fn status(&mut self, what: &str, pick: impl Fn(&DoorState) -> bool) -> DoorState {
        self.event(what, |event| match event {
            DoorEvent::Status(status) if pick(status) => Some(status.clone()),
            _ => None,
        })
        .await
    }

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

    pub fn pass(&self, tool: &Tool, arguments: Value) -> ReadPass {
        self.gate.read(tool, &arguments).unwrap()
    }

    pub async fn read(&self, tool: &Tool, arguments: Value) -> Result<String, DoorError> {
        let pass = self.pass(tool, arguments);
        let read = self.door.read(pass, CancellationToken::new());
        tokio::time::timeout(PATIENCE, read).await.expect("the read ends")
    }

    /// What the page of this `state` tool says happened in it.
    pub async fn state(&self, tool: &Tool) -> Value {
        serde_json::from_str(&self.read(tool, json!({})).await.unwrap()).unwrap()
    }

    /// The first answer of a `state` tool that `is_so` of.
    pub async fn state_when(&self, tool: &Tool, is_so: impl Fn(&Value) -> bool) -> Value {
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                let state = self.state(tool).await;
                if is_so(&state) {
                    return state;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        waited.await.expect("the page comes to that")
    }

    pub async fn execute(&self, ticket: Ticket) -> Executed {
        tokio::time::timeout(PATIENCE, self.door.execute(ticket))
            .await
            .expect("the write ends")
    }

    pub async fn call_ticket(&mut self, tool: &Tool, arguments: Value) -> Ticket {
        self.ticket(
            tool.page.clone(),
            AskedAct::Call {
                tool: Box::new(tool.clone()),
                arguments,
            },
        )
        .await
    }

    pub async fn held_ticket(&mut self, held: HeldRef, tool: &Tool, arguments: &str) -> Ticket {
        let act = AskedAct::HeldCall {
            held,
            tool: Box::new(tool.clone()),
            arguments: arguments.into(),
        };
        self.ticket(tool.page.clone(), act).await
    }

    pub async fn request_ticket(&mut self, held: HeldRef, tool: &Tool, request: NetworkRequest) -> Ticket {
        let act = AskedAct::HeldRequest {
            held,
            tool: Some(Box::new(tool.clone())),
            request,
        };
        self.ticket(tool.page.clone(), act).await
    }

    /// Proposes, shows, waits the arming time, presses, re-checks and releases.
    async fn ticket(&mut self, page: PageRef, act: AskedAct) -> Ticket {
        let tool = match &act {
            AskedAct::Call { tool, .. } | AskedAct::Grant { tool, .. } | AskedAct::HeldCall { tool, .. } => {
                Some(tool.clone())
            }
            AskedAct::HeldRequest { .. } => None,
        };
        let caller = Caller::new(Ingress::PanelHand, "test");
        let ask = Ask {
            caller,
            page,
            act,
            fingerprint: Fingerprint::default(),
            task: "test".into(),
        };
        let at = self.at();
        let (id, row) = self.gate.propose(ask, &at).unwrap();
        let row = self.ledger.append(row).await.unwrap();
        self.gate.recorded(&id, &row, &at).unwrap();
        if let Some(version) = self.gate.preview_wanted(&id) {
            self.gate
                .set_preview(&id, version, Preview::Unavailable { why: "none".into() }, &at);
        }
        self.gate.window(true, true, &at);
        let card = self.gate.get(&id, &at).unwrap();
        self.gate.shown(&id, &card.digest, &at);
        self.ms += 1000;
        let at = self.at();
        let params = ReleaseParams {
            proposal: id,
            digest: card.digest,
            acknowledged: card.risks.iter().map(|risk| risk.id.clone()).collect(),
            fingerprint: Fingerprint::default(),
            rule: None,
        };
        let press = self.gate.press(&params, &at).unwrap();
        let draft = self.gate.recheck(press, tool.as_deref(), None, &at).unwrap();
        let row = self.ledger.append(draft.row().clone()).await.unwrap();
        self.gate.release(draft, row, [7; 16], &at).unwrap()
    }

    /// From now on the gate takes this tool for a write, whatever it says of itself.
    pub fn caught(&mut self, tool: &Tool) {
        self.gate.caught_lying(&tool.digest, &tool.page.origin);
    }

    /// Whether anything was held since the start that nobody has taken yet.
    pub fn has_held(&mut self) -> bool {
        while let Ok(event) = self.events.try_recv() {
            self.seen.push(event);
        }
        let held = |event: &DoorEvent| matches!(event, DoorEvent::Ask { .. } | DoorEvent::Network { .. });
        self.seen.iter().any(held)
    }

    fn at(&self) -> At {
        At::new(self.ms, "2026-01-01T00:00:00.000Z")
    }
}
