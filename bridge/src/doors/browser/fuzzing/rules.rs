//! What must hold of the door's commands, whatever the browser and its pages say: nothing is sent that runs something which
//! the gate did not let through, and nothing twice. Kept apart from the door's own books, from what went in and out alone.

use std::collections::{HashMap, HashSet};

use countersign_contract::HeldRef;
use countersign_contract::wire::{FromPage, PageDecision, ToPage};
use serde_json::Value;

use super::super::protocol::{BindingCalled, Message, RequestPaused};
use super::wired::Command;
use crate::DoorEvent;

/// Commands that neither run anything in a page nor let anything out of it.
const HARMLESS: &[&str] = &[
    "Browser.close",
    "DOM.resolveNode",
    "DOMStorage.enable",
    "Extensions.loadUnpacked",
    "Page.addScriptToEvaluateOnNewDocument",
    "Page.enable",
    "Page.getFrameTree",
    "Runtime.addBinding",
    "Runtime.callFunctionOn",
    "Runtime.enable",
    "Runtime.runIfWaitingForDebugger",
    "Storage.trackCacheStorageForOrigin",
    "Storage.trackIndexedDBForOrigin",
    "Target.getTargetInfo",
    "Target.setAutoAttach",
    "WebMCP.cancelInvocation",
    "WebMCP.enable",
];

/// A call in a page: session, context, number.
pub(super) type Call = (String, i64, u32);

/// Leave to make one call of a tool, once all that can send is guarded as it should be.
pub(super) struct Leave {
    pub frame: String,
    pub tool: String,
    pub arguments: String,
}

struct Asked {
    registration: u32,
    arguments: String,
    ticket: Option<String>,
    told_to_run: bool,
}

/// What may run once more, and why.
#[derive(Default)]
pub(super) struct Rules {
    /// Registrations that were once told of as reads, by context.
    reads: HashSet<(i64, u32)>,
    asked: HashMap<Call, Vec<Asked>>,
    last_asked: Option<Call>,
    last_paused: Option<String>,
    /// Calls that were reported as held.
    calls: HashMap<HeldRef, Call>,
    /// Requests that were reported as held, and not let go since.
    requests: HashMap<HeldRef, String>,
    /// Calls the door may make.
    pub may_invoke: Vec<Leave>,
    /// Tickets by nonce, with their arguments.
    pub tickets: HashMap<String, String>,
    may_run: Vec<(Call, String)>,
    may_continue: Vec<String>,
    may_arm: Vec<String>,
}

impl Rules {
    /// A form may be armed for this ticket, once.
    pub fn armed_for(&mut self, nonce: &str) {
        self.may_arm.push(nonce.to_owned());
    }

    /// Something held is released by a ticket with these arguments.
    pub fn released(&mut self, held: &HeldRef, arguments: &str) {
        if let Some(call) = self.calls.remove(held) {
            self.may_run.push((call, arguments.to_owned()));
        }
        if let Some(request) = self.requests.remove(held) {
            self.may_continue.push(request);
        }
    }

    pub fn heard(&mut self, message: &Message) {
        self.last_asked = None;
        self.last_paused = None;
        match message.method.as_deref() {
            Some("Fetch.requestPaused") => {
                let paused = serde_json::from_value::<RequestPaused>(message.params.clone());
                self.last_paused = paused.ok().map(|paused| paused.request_id);
            }
            Some("Runtime.bindingCalled") => {
                let Ok(called) = serde_json::from_value::<BindingCalled>(message.params.clone()) else {
                    return;
                };
                let session = message.session_id.clone().unwrap_or_default();
                if let Ok(said) = serde_json::from_str(&called.payload) {
                    self.page_said(session, called.execution_context_id, said);
                }
            }
            _ => {}
        }
    }

    fn page_said(&mut self, session: String, context: i64, said: FromPage) {
        match said {
            FromPage::Registered {
                registration,
                read_only: true,
                consequential: false,
                ..
            } => {
                self.reads.insert((context, registration));
            }
            FromPage::Ask {
                call,
                registration,
                arguments,
                ticket,
                ..
            } => {
                let call = (session, context, call);
                self.asked.entry(call.clone()).or_default().push(Asked {
                    registration,
                    arguments,
                    ticket,
                    told_to_run: false,
                });
                self.last_asked = Some(call);
            }
            FromPage::Send { call, .. } => self.last_asked = Some((session, context, call)),
            _ => {}
        }
    }

    pub fn reported(&mut self, event: &DoorEvent) {
        match event {
            DoorEvent::Ask { held, .. } => {
                let call = self.last_asked.clone().expect("an ask comes from a page's ask");
                self.calls.insert(held.clone(), call);
            }
            DoorEvent::Network { held, .. } if held.0.starts_with("send-") => {
                let call = self
                    .last_asked
                    .clone()
                    .expect("a held message comes from a page's send");
                self.calls.insert(held.clone(), call);
            }
            DoorEvent::Network { held, .. } => {
                let request = self.last_paused.clone().expect("a held request was paused");
                self.requests.insert(held.clone(), request);
            }
            _ => {}
        }
    }

    pub fn sent(&mut self, command: &Command) {
        match command.method.as_str() {
            "WebMCP.invokeTool" => self.invoked(&command.params),
            "Runtime.evaluate" => self.told(command),
            "Fetch.continueRequest" => self.continued(&command.params),
            "Fetch.failRequest" => {
                let failed = command.params["requestId"].as_str().unwrap_or_default();
                self.requests.retain(|_, held| held != failed);
            }
            "Page.handleJavaScriptDialog" => assert_eq!(command.params["accept"], false, "a dialog was accepted"),
            method => assert!(HARMLESS.contains(&method), "{method}: say in the rules what it may run"),
        }
    }

    fn invoked(&mut self, params: &Value) {
        let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        let mut input = params["input"].clone();
        if let Some(members) = input.as_object_mut() {
            members.remove("__countersign");
        }
        let (frame, tool, arguments) = (text("frameId"), text("toolName"), canonical(&input));
        let at = self
            .may_invoke
            .iter()
            .rposition(|may| may.frame == frame && may.tool == tool && may.arguments == arguments);
        let at = at.unwrap_or_else(|| panic!("called without leave: {params}"));
        self.may_invoke.swap_remove(at);
    }

    fn told(&mut self, command: &Command) {
        let expression = command.params["expression"].as_str().unwrap_or_default();
        let message = expression.strip_prefix("E(").and_then(|rest| rest.strip_suffix(')'));
        let message = message.and_then(|message| serde_json::from_str::<ToPage>(message).ok());
        let Some(message) = message else {
            // Workers and the extension are told of guards in words of their own; leave to run has no other form than this.
            assert!(!expression.contains(r#""run""#), "evaluated: {expression}");
            return;
        };
        match message {
            ToPage::Decide {
                call,
                decision: PageDecision::Run { arguments },
            } => {
                let session = command.session.clone().unwrap_or_default();
                let context = command.params["contextId"].as_i64().unwrap_or_default();
                self.runs((session, context, call), &arguments);
            }
            ToPage::Arm { ticket, .. } => {
                let at = self.may_arm.iter().position(|may| *may == ticket);
                self.may_arm.swap_remove(at.expect("a form was armed without leave"));
            }
            ToPage::Decide { .. } | ToPage::Disarm { .. } | ToPage::Guard { .. } | ToPage::Head { .. } => {}
        }
    }

    fn runs(&mut self, call: Call, arguments: &str) {
        let released = |may: &(Call, String)| may.0 == call && may.1 == arguments;
        if let Some(at) = self.may_run.iter().position(released) {
            self.may_run.swap_remove(at);
            return;
        }
        let asked = self.asked.get_mut(&call).map(Vec::as_mut_slice).unwrap_or_default();
        for asked in asked.iter_mut().filter(|asked| !asked.told_to_run) {
            let leave = match &asked.ticket {
                Some(nonce) if self.tickets.get(nonce).is_some_and(|shown| shown == arguments) => {
                    self.tickets.remove(nonce);
                    true
                }
                Some(_) => false,
                None => self.reads.contains(&(call.1, asked.registration)) && asked.arguments == arguments,
            };
            if leave {
                asked.told_to_run = true;
                return;
            }
        }
        panic!("told to run without leave: {call:?} {arguments}");
    }

    fn continued(&mut self, params: &Value) {
        let request = params["requestId"].as_str().unwrap_or_default();
        if let Some(at) = self.may_continue.iter().position(|may| may == request) {
            self.may_continue.swap_remove(at);
            return;
        }
        let held = self.requests.values().any(|held| held == request);
        assert!(!held, "let go while it was held: {request}");
    }
}

/// Arguments as the door got them: canonical text, or plain JSON text for what has none.
pub(super) fn canonical(value: &Value) -> String {
    countersign_ledger::canonical(value).unwrap_or_else(|_| value.to_string())
}
