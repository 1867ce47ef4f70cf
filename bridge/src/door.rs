use async_trait::async_trait;
use countersign_contract::wire::Head;
use countersign_contract::{
    DoorKind, DoorState, Fingerprint, HeldRef, NetworkRequest, PageRef, ProposalId, SitePolicy, StorageChange, Tab,
    Tool, ToolKey,
};
use countersign_gate::{ReadPass, Ticket};
use tokio_util::sync::CancellationToken;

/// A way to pages. Reads need a [`ReadPass`] and writes a [`Ticket`]; both are made by the gate alone, so a door cannot run
/// what was not let through.
#[async_trait]
pub trait Door: Send + Sync {
    /// Which door this is.
    fn kind(&self) -> DoorKind;

    /// Runs a read and returns what the page answered, as text. While it runs, and for a guard time after, requests of its
    /// site that are not GET, HEAD or OPTIONS are paused and reported as [`DoorEvent::Network`]; those too where a
    /// [`SitePolicy`] says so. The read itself keeps running while such a request is held. The relay door sees no requests, and
    /// holds none.
    async fn read(&self, pass: ReadPass, cancel: CancellationToken) -> Result<String, DoorError>;

    /// Runs a released write. The ticket is spent by the call itself, however it ends.
    async fn execute(&self, ticket: Ticket) -> Executed;

    /// Ends something held without running it: a page's call resolves with `text`, a paused request fails.
    async fn answer(&self, held: &HeldRef, text: &str);

    /// The tool as it is defined now, or `None` when that registration is gone.
    async fn tool(&self, key: &ToolKey) -> Option<Tool>;

    /// Tells a page in which row its head was recorded; `None` when it was not. A door whose pages never ask has nothing to do.
    fn tell_head(&self, _page: &PageRef, _number: u32, _row: Option<Head>) {}

    /// What is to be done for single sites, from now on. A door that holds no requests has nothing to do.
    fn set_sites(&self, _: &[SitePolicy]) {}

    /// Opens an address in a new tab (the browser is started first when it is not running), brings it to the front, and returns
    /// the tab's id.
    async fn open(&self, url: &str) -> Result<String, DoorError>;

    /// Fails everything held, then closes the door.
    async fn close(&self);
}

/// How a released write ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executed {
    /// The page's function resolved.
    Committed {
        /// What the caller would get, as text.
        result: String,
    },
    /// The page's function threw, or the request failed.
    Failed {
        /// The page's words.
        message: String,
    },
    /// It certainly never started: the page had gone or had replaced the tool before anything was sent.
    NotRun {
        /// Why.
        message: String,
    },
    /// It was sent and nobody saw how it ended.
    Unknown {
        /// What is known.
        message: String,
    },
}

/// What a door reports, in order.
#[derive(Clone, Debug)]
pub enum DoorEvent {
    /// The door opened, closed or broke.
    Status(DoorState),
    /// The tabs and their tools, whole, after any change.
    Tabs(Vec<Tab>),
    /// The page, or another agent in the browser, called a write; it is held in the page.
    Ask {
        /// The door's handle.
        held: HeldRef,
        /// The tool it called.
        tool: Box<Tool>,
        /// The arguments as JSON text, exactly as they would run.
        arguments: String,
        /// What the page saw of input events before.
        fingerprint: Fingerprint,
    },
    /// This was sent while a claimed read ran, or just after; it is paused in the browser.
    Network {
        /// The door's handle.
        held: HeldRef,
        /// Where it comes from, as far as the browser says.
        page: PageRef,
        /// The read it is put down to: it came from that read's own tab, from a tab that one opened, or from a worker of that
        /// read's site, and could change something. Absent when it is held for a read (named in `request.during`) but may be
        /// somebody else's, or only asks for something.
        tool: Option<Box<Tool>>,
        /// The request.
        request: NetworkRequest,
        /// What the frame it comes from saw of a person's click just before. It decides nothing.
        fingerprint: Box<Fingerprint>,
    },
    /// A claimed read tried to open a connection that cannot be paused: it was refused for good, and nothing of it was sent. There
    /// is nothing to let go later; the page may try again when the tool is run as the write it is.
    Refused {
        /// Where it comes from, as far as the browser says.
        page: PageRef,
        /// The tool that was running.
        tool: Box<Tool>,
        /// The attempt; its method is `OPEN`.
        request: NetworkRequest,
    },
    /// What the page keeps in the browser changed while a read of the desk's ran, or just after. It is done already.
    Changed {
        /// The read.
        tool: Box<Tool>,
        /// What changed; never empty.
        changes: Vec<StorageChange>,
        /// It can have been nothing but this read, as far as can be seen.
        certain: bool,
    },
    /// A page that keeps a chain of its own asks for its head to be recorded; [`Door::tell_head`] answers.
    Head {
        /// The page.
        page: PageRef,
        /// The page's number of the ask.
        number: u32,
        /// The head, as the page says it; it has the form of one.
        head: Head,
    },
    /// Whoever made a held call or request no longer wants it.
    Withdrawn {
        /// The door's handle.
        held: HeldRef,
    },
    /// Somebody other than the desk ran a read tool.
    ReadSeen {
        /// The tool.
        tool: Box<Tool>,
        /// The arguments as JSON text.
        arguments: String,
    },
    /// The page has told, after all, how a released write ended that had been given up as unknown. It is not run again, and it
    /// stays recorded as unknown; this says what the page said since.
    EndedLate {
        /// The write.
        proposal: ProposalId,
        /// Its tool.
        tool: Box<Tool>,
        /// What the page says now.
        ended: Executed,
    },
    /// A document is gone (navigated, reloaded, tab closed, browser closed or crashed).
    DocumentGone {
        /// CDP loader id; see [`PageRef::document`].
        document: String,
        /// What happened, in words for a person.
        message: String,
    },
}

/// Why a door could not do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DoorError {
    /// No Chromium-family browser is installed.
    #[error("{0}")]
    NoBrowser(String),
    /// The browser could not be started, or has gone.
    #[error("{0}")]
    BrowserGone(String),
    /// The page that offered the tool is gone, or the tool is.
    #[error("{0}")]
    PageGone(String),
    /// The page's function threw.
    #[error("{0}")]
    Page(String),
    /// What a read must not do could not be held back, so it was not run.
    #[error("{0}")]
    Unguarded(String),
    /// Cancelled by the caller.
    #[error("cancelled")]
    Cancelled,
}
