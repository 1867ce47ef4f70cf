use std::collections::BTreeMap;

use countersign_contract::{DoorKind, DoorState, PageRef, Tab, TabState, Tool, ToolKey};
use tokio::sync::{mpsc, watch};

use super::super::relay::pushed::Pushed;
use super::super::relay::token::random_hex;
use super::calls::{Calls, Ended};
use super::handshake::Refusal;
use super::message::Hello;
use super::status::{McpBOn, McpBStatus, RefusedOrigin};
use crate::DoorEvent;

/// Everything the door knows. One lock; nothing waits while it is held.
pub(super) struct State {
    events: mpsc::UnboundedSender<DoorEvent>,
    status: watch::Sender<McpBStatus>,
    /// Which run this is, so that what is left of an earlier one does nothing.
    pub run: u64,
    /// By the number of their connection. A page that connects again is another page: nothing tells it from its next load.
    pages: BTreeMap<u64, Page>,
    pub calls: Calls,
    shown: Vec<Tab>,
    last: u64,
}

struct Page {
    at: PageRef,
    tools: Vec<Tool>,
    /// It has said what tools it has.
    is_ready: bool,
    to_page: mpsc::UnboundedSender<String>,
}

impl State {
    pub fn new(events: mpsc::UnboundedSender<DoorEvent>, status: watch::Sender<McpBStatus>) -> Self {
        Self {
            events,
            status,
            run: 0,
            pages: BTreeMap::new(),
            calls: Calls::default(),
            shown: Vec::new(),
            last: 0,
        }
    }

    pub fn begin(&mut self, on: McpBOn) {
        let product = format!("the door for mcp-b pages on {}", on.address);
        self.status.send_replace(McpBStatus {
            on: Some(on),
            ..McpBStatus::default()
        });
        self.report(DoorEvent::Status(DoorState::Open { product }));
    }

    /// The door is closed: whatever is on its way ends here.
    pub fn end(&mut self) {
        self.run += 1;
        while let Some(number) = self.pages.keys().next().copied() {
            self.leave(number, "The door for mcp-b pages was closed.");
        }
        self.calls.forget_late();
        self.status.send_replace(McpBStatus::default());
        self.report(DoorEvent::Status(DoorState::Closed));
    }

    pub fn report(&self, event: DoorEvent) {
        let _ = self.events.send(event);
    }

    pub fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub fn refused(&mut self, Refusal { origin, reason }: Refusal) {
        self.status.send_modify(|status| {
            let last = status.refused.take();
            let times = last.as_ref().map_or(0, |last| last.times);
            if last.is_none_or(|last| last.reason != reason) {
                tracing::warn!("refused at the door for mcp-b pages: {reason}");
            }
            status.refused = Some(RefusedOrigin {
                origin,
                reason,
                times: times.saturating_add(1),
            });
        });
    }

    /// A page introduces itself; `false` when it has done so before, as one of another origin.
    pub fn hello(&mut self, number: u64, origin: &str, hello: &Hello, to_page: &mpsc::UnboundedSender<String>) -> bool {
        if let Some(page) = self.pages.get(&number) {
            // What was shown with its tools is not changed under them.
            return page.at.origin == origin;
        }
        let title = hello.title.chars().take(300).collect::<String>();
        let url = address(origin, &hello.url);
        let tab = self.tab(&hello.tab);
        let at = PageRef {
            door: DoorKind::McpB,
            frame: tab.clone(),
            tab,
            document: random_hex(),
            title: if title.is_empty() { url.clone() } else { title },
            url,
            origin: origin.to_owned(),
        };
        let page = Page {
            at,
            tools: Vec::new(),
            is_ready: false,
            to_page: to_page.clone(),
        };
        self.pages.insert(number, page);
        self.show();
        true
    }

    /// The tab by the name its widget gives it, which outlives a reload, unless another page has that name now.
    fn tab(&self, named: &str) -> String {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let tab = format!("mcp-b:{named}");
        let is_fine = (1..=64).contains(&named.len()) && named.bytes().all(fits);
        if is_fine && self.pages.values().all(|page| page.at.tab != tab) {
            tab
        } else {
            format!("mcp-b:{}", random_hex())
        }
    }

    /// The page says what tools it has. One that has not introduced itself is not heard.
    pub fn tools(&mut self, number: u64, pushed: Vec<Pushed>) {
        let Some(page) = self.pages.get_mut(&number) else {
            tracing::warn!("an mcp-b page listed its tools before it said who it is; they are left aside");
            return;
        };
        page.tools = pushed.into_iter().map(|pushed| pushed.tool(&page.at)).collect();
        page.is_ready = true;
        self.show();
    }

    pub fn leave(&mut self, number: u64, words: &str) {
        let Some(page) = self.pages.remove(&number) else { return };
        self.calls.end_all_of(number, &Ended::Gone(words.into()));
        self.show();
        self.report(DoorEvent::DocumentGone {
            document: page.at.document,
            message: words.into(),
        });
    }

    fn show(&mut self) {
        let tabs = self.pages.values().map(|page| Tab {
            id: page.at.tab.clone(),
            door: DoorKind::McpB,
            title: page.at.title.clone(),
            url: page.at.url.clone(),
            origin: page.at.origin.clone(),
            state: if page.is_ready {
                TabState::Ready
            } else {
                TabState::Loading
            },
            tools: page.tools.clone(),
        });
        let tabs = tabs.collect::<Vec<_>>();
        if tabs != self.shown {
            self.shown.clone_from(&tabs);
            let pages = self.pages.len();
            self.status
                .send_if_modified(|status| std::mem::replace(&mut status.pages, pages) != pages);
            self.report(DoorEvent::Tabs(tabs));
        }
    }

    /// The tool as its page lists it now, and the connection of that page.
    pub fn current(&self, key: &ToolKey) -> Option<(u64, &Tool)> {
        let mut pages = self.pages.iter();
        pages.find_map(|(number, page)| {
            let tool = page.tools.iter().find(|tool| tool.key == *key)?;
            Some((*number, tool))
        })
    }

    /// Every tool of the page that has this document.
    pub fn tools_of(&self, document: &str) -> Option<&[Tool]> {
        let mut pages = self.pages.values();
        pages.find(|page| page.at.document == document).map(|page| &*page.tools)
    }

    /// Hands a message to the page; `false` when it is not connected, and then it certainly was not sent.
    pub fn tell(&self, number: u64, message: String) -> bool {
        let page = self.pages.get(&number);
        page.is_some_and(|page| page.to_page.send(message).is_ok())
    }
}

/// The address that a page gives, if it is one of its origin.
fn address(origin: &str, given: &str) -> String {
    let is_its = given.strip_prefix(origin).is_some_and(|rest| rest.starts_with('/'));
    if is_its && given.len() <= 2000 && !given.contains(char::is_whitespace) {
        given.to_owned()
    } else {
        format!("{origin}/")
    }
}
