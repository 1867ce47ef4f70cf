use std::collections::HashMap;

use countersign_contract::wire::PageDecision;
use countersign_contract::{HeldRef, NetworkRequest};
use tokio::sync::oneshot;

use super::sent::unknown;
use super::state::{CallId, Held, State};
use crate::{DoorEvent, Executed};

/// What waits to be sent on a socket.
pub(super) struct Frame {
    pub method: String,
    pub url: String,
    pub body: Option<String>,
    pub bytes: u64,
}

/// Something a socket was told to send.
pub(super) struct Sending {
    document: String,
    done: oneshot::Sender<Executed>,
}

pub(super) type Sendings = HashMap<CallId, Sending>;

impl State {
    /// A socket that was open before the read has something to send. `frame` is the frame of its document; a worker has none.
    pub fn socket_asks(&mut self, id: CallId, frame: Option<&str>, sent: Frame) {
        let tab = self
            .tab_of(&id.session)
            .filter(|tab| !tab.is_empty())
            .map(str::to_owned);
        let Some(tool) = self.guarding_sockets(tab.as_deref()).cloned() else {
            // The guard has ended while this was on its way.
            let arguments = String::new();
            return self.decide(&id, PageDecision::Run { arguments }, |_, _| {});
        };
        let known = frame.and_then(|id| Some((id, self.frames.get(id)?)));
        let page = known.map_or_else(|| tool.page.clone(), |(id, frame)| self.page_ref(id, frame));
        let request = NetworkRequest {
            method: sent.method,
            url: sent.url,
            body: sent.body,
            body_bytes: sent.bytes,
            resource: "WebSocket".into(),
            during: Some(tool.name.clone()),
        };
        let held = HeldRef(format!("send-{}", self.number()));
        let waiting = Held::Send {
            id,
            page: Box::new(page.clone()),
            request: Box::new(request.clone()),
        };
        self.held.insert(held.clone(), waiting);
        self.report(DoorEvent::Network {
            held,
            page,
            tool: Some(Box::new(tool)),
            request,
            fingerprint: Box::default(),
        });
    }

    /// Lets something go that a socket holds.
    pub fn release_send(&mut self, id: CallId, document: String, done: oneshot::Sender<Executed>) {
        self.sending.insert(id.clone(), Sending { document, done });
        let decision = PageDecision::Run {
            arguments: String::new(),
        };
        self.decide(&id.clone(), decision, move |state, told| {
            if !told {
                let message = "The page went away before this could be let go. It was not sent.".into();
                state.settle_sending(&id, Executed::NotRun { message });
            }
        });
    }

    /// `false` when nothing by this name was told to be sent.
    pub fn settle_sending(&mut self, id: &CallId, how: Executed) -> bool {
        let sending = self.sending.remove(id);
        sending.is_some_and(|sending| {
            let _ = sending.done.send(how);
            true
        })
    }

    /// What had been let go and whose end nobody will tell.
    pub fn lose_sending(&mut self, lost: impl Fn(&CallId, &str) -> bool, words: &str) {
        let lost = self.sending.extract_if(|id, sending| lost(id, &sending.document));
        for (_, sending) in lost.collect::<Vec<_>>() {
            let message = unknown(words);
            let _ = sending.done.send(Executed::Unknown { message });
        }
    }
}
