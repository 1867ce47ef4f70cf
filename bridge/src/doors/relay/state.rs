use std::collections::BTreeMap;

use countersign_contract::{DoorKind, DoorState, PageRef, Tab, TabState, Tool, ToolKey};
use tokio::sync::{mpsc, watch};

use super::calls::{Calls, Ended};
use super::pushed::Pushed;
use super::status::{RelayOn, RelayStatus, SecondPage};
use super::token::random_hex;
use crate::DoorEvent;

/// What a second page is told, in the words of the protocol.
pub(super) const ONE_PAGE: &str = "a page is already attached to this bridge; one at a time";

/// The tab and the frame of the one page there can be.
const SEAT: &str = "relay";

/// A page load's nonce; the oldest pages have none.
pub(super) type Nonce = Option<String>;

/// Another page is attached.
#[derive(Debug)]
pub(super) struct Foreign;

/// Everything the door knows. One lock; nothing waits while it is held.
pub(super) struct State {
    events: mpsc::UnboundedSender<DoorEvent>,
    status: watch::Sender<RelayStatus>,
    /// Which run this is, so that what is left of an earlier one does nothing.
    pub run: u64,
    page: Option<Page>,
    pub calls: Calls,
    shown: Vec<Tab>,
    last: u64,
}

/// The page that has the seat, or had it a moment ago.
struct Page {
    nonce: Nonce,
    at: PageRef,
    tools: Vec<Tool>,
    stream: Option<Stream>,
    /// The latest time it was left without a stream.
    absence: u64,
}

struct Stream {
    number: u64,
    to_page: mpsc::UnboundedSender<String>,
}

/// A stream that was opened: its number, and what goes to the page.
pub(super) type Opened = (u64, mpsc::UnboundedReceiver<String>);

/// A page without a stream, to be looked at again.
#[derive(Clone, Debug)]
pub(super) struct Absence {
    document: String,
    number: u64,
}

impl State {
    pub fn new(events: mpsc::UnboundedSender<DoorEvent>, status: watch::Sender<RelayStatus>) -> Self {
        Self {
            events,
            status,
            run: 0,
            page: None,
            calls: Calls::default(),
            shown: Vec::new(),
            last: 0,
        }
    }

    pub fn begin(&mut self, on: RelayOn) {
        let product = format!("the relay on {} for {}", on.address, on.origin);
        self.status.send_replace(RelayStatus {
            on: Some(on),
            ..RelayStatus::default()
        });
        self.report(DoorEvent::Status(DoorState::Open { product }));
    }

    /// The door is closed: whatever is on its way ends here.
    pub fn end(&mut self) {
        self.run += 1;
        self.leave("The relay was closed.");
        self.calls.forget_late();
        self.status.send_replace(RelayStatus::default());
        self.report(DoorEvent::Status(DoorState::Closed));
    }

    fn origin(&self) -> String {
        let status = self.status.borrow();
        status.on.as_ref().map(|on| on.origin.clone()).unwrap_or_default()
    }

    pub fn report(&self, event: DoorEvent) {
        let _ = self.events.send(event);
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub fn is_attached(&self) -> bool {
        self.page.as_ref().is_some_and(|page| page.stream.is_some())
    }

    pub fn tool_names(&self) -> Vec<String> {
        let tools = self.page.iter().flat_map(|page| &page.tools);
        tools.map(|tool| tool.name.clone()).collect()
    }

    /// One page at a time: whether a request of this page is heard.
    pub fn hear(&mut self, nonce: &Nonce) -> Result<(), Foreign> {
        let is_foreign = self.is_attached() && self.page.as_ref().is_some_and(|page| page.nonce != *nonce);
        if is_foreign { Err(self.refuse()) } else { Ok(()) }
    }

    /// A connection has begun to be silent, or has ceased to be.
    pub fn silent(&self, change: impl FnOnce(u32) -> u32) {
        self.status.send_modify(|status| status.silent = change(status.silent));
    }

    fn refuse(&mut self) -> Foreign {
        self.status.send_modify(|status| {
            let times = status.refused.as_ref().map_or(0, |refused| refused.times);
            if times == 0 {
                tracing::warn!("a second page was refused: {ONE_PAGE}");
            }
            status.refused = Some(SecondPage {
                reason: ONE_PAGE.into(),
                times: times.saturating_add(1),
            });
        });
        Foreign
    }

    /// The page says what tools it has.
    pub fn push(&mut self, nonce: &Nonce, pushed: BTreeMap<String, Pushed>) -> Result<Option<Absence>, Foreign> {
        self.hear(nonce)?;
        let page = self.seat(nonce);
        let at = page.at.clone();
        page.tools = pushed.into_values().map(|pushed| pushed.tool(&at)).collect();
        let absence = (!self.is_attached()).then(|| self.absent()).flatten();
        self.show();
        Ok(absence)
    }

    /// The page opens its event stream. The same page may open it again: its old one ends.
    pub fn attach(&mut self, nonce: &Nonce) -> Result<Opened, Foreign> {
        self.hear(nonce)?;
        // Pages without a nonce cannot be told apart.
        if nonce.is_none() && self.is_attached() {
            return Err(self.refuse());
        }
        let was_attached = self.is_attached();
        let number = self.next();
        let (to_page, messages) = mpsc::unbounded_channel();
        self.seat(nonce).stream = Some(Stream { number, to_page });
        self.status.send_modify(|status| {
            status.attached = true;
            if !was_attached {
                status.refused = None;
            }
        });
        self.show();
        Ok((number, messages))
    }

    /// A stream has ended. Its page may come back: what it was asked stays asked.
    pub fn detach(&mut self, number: u64) -> Option<Absence> {
        let page = self.page.as_mut()?;
        page.stream.take_if(|stream| stream.number == number)?;
        let absence = self.absent();
        self.status.send_modify(|status| status.attached = false);
        self.show();
        absence
    }

    fn absent(&mut self) -> Option<Absence> {
        let number = self.next();
        let page = self.page.as_mut()?;
        page.absence = number;
        Some(Absence {
            document: page.at.document.clone(),
            number,
        })
    }

    /// The time for a page to come back is over.
    pub fn give_up(&mut self, absence: &Absence) {
        let is_still_away = self.page.as_ref().is_some_and(|page| {
            page.stream.is_none() && page.absence == absence.number && page.at.document == absence.document
        });
        if is_still_away {
            self.leave("The page closed its connection and did not come back.");
        }
    }

    /// The page with this nonce, in place of whichever had the seat.
    fn seat(&mut self, nonce: &Nonce) -> &mut Page {
        if self.page.as_ref().is_some_and(|page| page.nonce != *nonce) {
            self.leave("Another page took its place at the relay.");
        }
        let origin = self.origin();
        self.page.get_or_insert_with(|| Page {
            nonce: nonce.clone(),
            at: PageRef {
                door: DoorKind::Relay,
                tab: SEAT.into(),
                frame: SEAT.into(),
                document: random_hex(),
                url: format!("{origin}/"),
                title: title(&origin).into(),
                origin,
            },
            tools: Vec::new(),
            stream: None,
            absence: 0,
        })
    }

    fn leave(&mut self, words: &str) {
        let Some(page) = self.page.take() else { return };
        self.calls.end_all(&Ended::Gone(words.into()));
        self.status.send_modify(|status| status.attached = false);
        self.show();
        self.report(DoorEvent::DocumentGone {
            document: page.at.document,
            message: words.into(),
        });
    }

    fn show(&mut self) {
        let tabs = self.page.iter().map(|page| Tab {
            id: page.at.tab.clone(),
            door: DoorKind::Relay,
            title: page.at.title.clone(),
            url: page.at.url.clone(),
            origin: page.at.origin.clone(),
            state: if page.stream.is_some() {
                TabState::Ready
            } else {
                TabState::Loading
            },
            browser: None,
            window: None,
            opener: None,
            tools: page.tools.clone(),
        });
        let tabs = tabs.collect::<Vec<_>>();
        if tabs != self.shown {
            self.shown.clone_from(&tabs);
            self.report(DoorEvent::Tabs(tabs));
        }
    }

    /// The tool as its page lists it now.
    pub fn current(&self, key: &ToolKey) -> Option<&Tool> {
        self.page.as_ref()?.tools.iter().find(|tool| tool.key == *key)
    }

    pub fn tools(&self) -> &[Tool] {
        self.page.as_ref().map_or(&[], |page| &page.tools)
    }

    /// Whose call an answer may be for.
    pub fn nonce(&self) -> Option<&Nonce> {
        self.page.as_ref().map(|page| &page.nonce)
    }

    /// Hands a message to the open stream; `false` when there is none, and then it certainly was not sent.
    pub fn tell(&self, message: String) -> bool {
        let stream = self.page.as_ref().and_then(|page| page.stream.as_ref());
        stream.is_some_and(|stream| stream.to_page.send(message).is_ok())
    }
}

fn title(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}
