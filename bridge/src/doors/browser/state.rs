use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Weak;
use std::time::Instant;

use countersign_contract::{Fingerprint, HeldRef, NetworkRequest, PageRef, SitePolicy, Tab, Tool};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use super::Inner;
use super::changes::Storage;
use super::guard::{Guard, GuardKey, GuardTimes, Writing};
use super::later::Later;
use super::launch::{Exit, Process};
use super::pipe::{Outcome, Pipe};
use super::protocol::BrowserAnnotations;
use super::scripts::Names;
use super::sends::Sendings;
use super::sent::{Sent, Waited};
use super::sockets::Sockets;
use crate::{DoorEvent, Executed};

/// Everything the door knows. One lock; nothing waits while it is held.
pub(super) struct State {
    pub me: Weak<Inner>,
    pub events: mpsc::UnboundedSender<DoorEvent>,
    pub names: Names,
    pub guard_times: GuardTimes,
    /// What the person wants for single sites.
    pub sites: Vec<SitePolicy>,
    /// Origins one of whose reads was caught sending something.
    pub caught: HashSet<String>,
    pub browser: Option<Browser>,
    /// Tabs in the order they were opened.
    pub tabs: Vec<TabRecord>,
    pub sessions: HashMap<String, Session>,
    /// By frame id.
    pub frames: HashMap<String, Frame>,
    pub held: HashMap<HeldRef, Held>,
    /// Calls the door has made, by their number.
    pub sent: HashMap<u64, Sent>,
    /// Calls of the page that were told to run.
    pub running: HashMap<CallId, Running>,
    /// Reads of the page that were told to run.
    pub reading: HashMap<CallId, ForeignRead>,
    /// Calls seen in the browser while the answer to one of our own is still under way.
    pub unclaimed: Vec<super::protocol::ToolInvoked>,
    /// Reads that were made by the page, by their invocation.
    pub foreign_reads: HashMap<String, ForeignRead>,
    /// Calls of forms that were made in the page, by their invocation.
    pub foreign_forms: HashMap<String, FormCall>,
    /// What sockets were told to send.
    pub sending: Sendings,
    pub sockets: Sockets,
    pub guards: HashMap<GuardKey, Guard>,
    pub storage: Storage,
    /// The released writes that run, by their tab.
    pub writing: HashMap<String, Writing>,
    /// What was reported last.
    pub shown: Vec<Tab>,
    /// A report is on its way.
    pub reporting: bool,
    /// A look at tools that still wait for the interceptor's word is on its way.
    pub awaiting: bool,
    /// How the last browser ended.
    pub last_exit: Option<String>,
    /// How a browser ended that was not yet known to have been started.
    pub exited_early: Option<Exit>,
    /// Pages being opened just now.
    pub opening: usize,
    next: u64,
}

/// The running browser.
pub(super) struct Browser {
    pub pipe: Pipe,
    pub process: Process,
    pub later: Later,
    pub headless: bool,
    /// The door is closing it.
    pub closing: bool,
    pub ended: watch::Sender<bool>,
}

/// A tab.
pub(super) struct TabRecord {
    pub id: String,
    pub session: String,
    pub title: String,
    pub url: String,
    pub opener: Option<String>,
    /// The browser's id of its window, once it has told.
    pub window: Option<i64>,
    /// When it came up.
    pub opened: Instant,
    pub loading: bool,
    pub crashed: bool,
}

/// A connection to one target: a page, a frame in a process of its own, a worker, or our extension.
#[derive(Default)]
pub(super) struct Session {
    /// The tab it belongs to; empty for what belongs to none.
    pub tab: String,
    /// Which frame each isolated context of ours is in.
    pub contexts: HashMap<i64, String>,
    /// A worker that has our wrapper.
    pub worker: Option<WorkerSide>,
    /// The name of the extension whose worker this may be.
    pub extension: Option<String>,
    /// That worker has run its script.
    pub extension_ready: bool,
}

/// A worker's wrapper.
pub(super) struct WorkerSide {
    pub target: String,
    /// The function that hears us, as the browser names it.
    pub hear: Option<String>,
}

/// A frame and the document in it.
pub(super) struct Frame {
    pub session: String,
    pub tab: String,
    pub parent: Option<String>,
    /// The loader's id; empty until the first navigation.
    pub document: String,
    pub url: String,
    pub origin: String,
    /// The interceptor in this document, once it has said hello.
    pub page: Option<PageSide>,
    /// The browser's own list, by name.
    pub listed: BTreeMap<String, Listed>,
    /// The serials of forms, by element and definition: the browser lists a form anew with every change of its document.
    pub forms: HashMap<String, u64>,
}

/// What the interceptor of one document has told.
pub(super) struct PageSide {
    pub context: i64,
    pub webmcp: bool,
    /// Registrations that have not ended, by number.
    pub registrations: BTreeMap<u32, Registration>,
    /// The last click of a person, as the isolated world saw it, and when it was heard of.
    pub click: Option<(Instant, Fingerprint)>,
    /// When it last had a head recorded.
    pub head_told: Option<Instant>,
}

/// A tool as the interceptor saw it.
#[derive(Clone)]
pub(super) struct Registration {
    pub name: String,
    pub title: String,
    pub description: String,
    pub input_schema: Value,
    pub read_only: bool,
    pub consequential: bool,
    pub untrusted_content: bool,
}

/// A tool as the browser lists it.
pub(super) struct Listed {
    pub description: String,
    pub input_schema: Value,
    pub annotations: BrowserAnnotations,
    pub form: bool,
    /// Tells two listings under one name apart.
    pub serial: u64,
    /// The one registration it stands for, as soon as both are known.
    pub registration: Option<u32>,
    pub since: Instant,
}

/// A call in a page: session, isolated context, and the interceptor's own number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CallId {
    pub session: String,
    pub context: i64,
    pub call: u32,
}

/// Something that waits for a decision.
pub(super) enum Held {
    Call {
        id: CallId,
        tool: Box<Tool>,
        arguments: String,
    },
    Request {
        request_id: String,
        page: Box<PageRef>,
        request: Box<NetworkRequest>,
    },
    /// On a socket that was open before; it waits in its realm.
    Send {
        id: CallId,
        page: Box<PageRef>,
        request: Box<NetworkRequest>,
    },
}

impl Held {
    pub fn document(&self) -> &str {
        match self {
            Self::Call { tool, .. } => &tool.page.document,
            Self::Request { page, .. } | Self::Send { page, .. } => &page.document,
        }
    }

    /// The session it waits in, if it waits in a page or worker.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Call { id, .. } | Self::Send { id, .. } => Some(&id.session),
            Self::Request { .. } => None,
        }
    }
}

/// A page's call that was let go.
pub(super) struct Running {
    pub tab: String,
    pub document: String,
    /// The form it submits; the browser tells how that ends.
    pub form: Option<FormCall>,
    /// The interceptor has submitted it.
    pub submitted: bool,
    pub done: oneshot::Sender<Executed>,
}

/// A form's call; one form answers one call at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormCall {
    pub frame: String,
    pub name: String,
}

/// A read the page made by itself.
pub(super) struct ForeignRead {
    pub tool: Box<Tool>,
    /// It counts in its tab's guard.
    pub guarded: bool,
}

impl State {
    pub fn new(me: Weak<Inner>, events: mpsc::UnboundedSender<DoorEvent>, guard_times: GuardTimes) -> Self {
        Self {
            me,
            events,
            names: Names::new(),
            guard_times,
            sites: Vec::new(),
            caught: HashSet::new(),
            browser: None,
            tabs: Vec::new(),
            sessions: HashMap::new(),
            frames: HashMap::new(),
            held: HashMap::new(),
            sent: HashMap::new(),
            running: HashMap::new(),
            reading: HashMap::new(),
            unclaimed: Vec::new(),
            foreign_reads: HashMap::new(),
            foreign_forms: HashMap::new(),
            sending: Sendings::new(),
            sockets: Sockets::default(),
            guards: HashMap::new(),
            storage: Storage::default(),
            writing: HashMap::new(),
            shown: Vec::new(),
            reporting: false,
            awaiting: false,
            last_exit: None,
            exited_early: None,
            opening: 0,
            next: 1,
        }
    }

    /// A number that is never used again.
    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    pub fn report(&self, event: DoorEvent) {
        let _ = self.events.send(event);
    }

    pub fn pipe(&self) -> Option<Pipe> {
        self.browser.as_ref().map(|browser| browser.pipe.clone())
    }

    /// Sends a command whose answer does not matter.
    pub fn send(&self, session: Option<&str>, method: &'static str, params: &Value) {
        if let Some(browser) = &self.browser {
            browser.pipe.send(session, method, params);
        }
    }

    /// Sends a command; `then` gets its answer, in the order of what the browser says.
    pub fn then(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: &str,
        then: impl FnOnce(&mut Self, Outcome) + Send + 'static,
    ) {
        let Some(browser) = &self.browser else { return };
        let me = self.me.clone();
        browser.pipe.then(session, method, params, move |outcome| {
            if let Some(inner) = me.upgrade() {
                then(&mut inner.state(), outcome);
            }
        });
    }

    /// The tab a session belongs to.
    pub fn tab_of(&self, session: &str) -> Option<&str> {
        self.sessions.get(session).map(|session| session.tab.as_str())
    }

    pub fn tab_mut(&mut self, id: &str) -> Option<&mut TabRecord> {
        self.tabs.iter_mut().find(|tab| tab.id == id)
    }

    /// A page's call that was let go has ended. `false` when there is none by this name.
    pub fn settle_running(&mut self, id: &CallId, how: Executed) -> bool {
        let Some(running) = self.running.remove(id) else {
            return false;
        };
        self.end_write(&running.tab);
        let _ = running.done.send(how);
        true
    }

    /// What a call the door made is worth to whoever waits for it, and its guard's end.
    pub fn settle_sent(&mut self, number: u64, how: Waited) {
        if let Some(sent) = self.sent.remove(&number) {
            self.end_guard_of(&sent);
            self.disarm(&sent);
            sent.settle(how);
            self.read_watched(number);
        }
    }
}
