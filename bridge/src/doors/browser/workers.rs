use countersign_contract::wire::FromPage;
use serde_json::json;

use super::protocol::BindingCalled;
use super::state::{CallId, Session, State, WorkerSide};
use crate::DoorEvent;

impl State {
    /// A worker has come up and waits: it gets its wrapper before its own script.
    pub fn worker_attached(&mut self, parent: Option<&str>, session: &str, target: String) {
        let tab = parent
            .and_then(|parent| self.tab_of(parent))
            .filter(|tab| !tab.is_empty())
            .map(str::to_owned);
        // The browser shows a service worker to the pages it serves as well; it is ours through the root alone.
        let known = self
            .sessions
            .values()
            .any(|side| side.worker.as_ref().is_some_and(|of| of.target == target));
        if known {
            return;
        }
        let side = Session {
            tab: tab.clone().unwrap_or_default(),
            worker: Some(WorkerSide { target, hear: None }),
            ..Session::default()
        };
        self.sessions.insert(session.to_owned(), side);
        let guarded = self.worker_realm(session, tab);
        self.send(
            Some(session),
            "Runtime.addBinding",
            &json!({ "name": self.names.binding }),
        );
        let params = json!({ "expression": self.names.worker(guarded) }).to_string();
        let of = session.to_owned();
        self.then(Some(session), "Runtime.evaluate", &params, move |state, outcome| {
            let hear = outcome
                .ok()
                .and_then(|result| result["result"]["objectId"].as_str().map(str::to_owned));
            let Some(side) = state.sessions.get_mut(&of).and_then(|side| side.worker.as_mut()) else {
                return;
            };
            if hear.is_none() {
                // Without its wrapper it cannot confirm anything, and no read runs as long as it is there.
                return tracing::warn!("a worker could not be given its wrapper");
            }
            side.hear = hear;
            state.realm_confirmed(&(of, 0));
        });
    }

    pub fn worker_detached(&mut self, session: &str) {
        let held = self.held.extract_if(|_, held| held.session() == Some(session));
        for (held, _) in held.collect::<Vec<_>>() {
            self.report(DoorEvent::Withdrawn { held });
        }
        self.lose_sending(|id, _| id.session == session, "The worker has ended.");
        self.realm_gone(&(session.to_owned(), 0));
    }

    /// A worker's wrapper says something.
    pub fn worker_said(&mut self, session: &str, called: &BindingCalled) {
        if called.name != self.names.binding {
            return;
        }
        let message = match serde_json::from_str::<FromPage>(&called.payload) {
            Ok(message) => message,
            Err(error) => return tracing::warn!(%error, "skipped a message of a worker"),
        };
        let place = (session.to_owned(), 0);
        let of = |call| CallId {
            session: session.to_owned(),
            context: 0,
            call,
        };
        match message {
            FromPage::Opened => self.realm_opened(&place),
            FromPage::Refused { url } => {
                let tab = self.tab_of(session).filter(|tab| !tab.is_empty()).map(str::to_owned);
                self.opening_refused(tab.as_deref(), url, "websocket");
            }
            FromPage::Send {
                call,
                method,
                url,
                body,
                bytes,
            } => {
                self.socket_asks(
                    of(call),
                    None,
                    super::sends::Frame {
                        method,
                        url,
                        body,
                        bytes,
                    },
                );
            }
            FromPage::Withdrawn { call } => self.withdrawn(&of(call)),
            FromPage::Ended { call, ok, text } => self.ended(&of(call), ok, text),
            _ => {}
        }
    }
}
