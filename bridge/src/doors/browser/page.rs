//! What the interceptor and the door say to each other.

use std::time::Instant;

use countersign_contract::wire::{FromPage, PageDecision, ToPage};
use countersign_contract::{Fingerprint, HeldRef, Tool, ToolSource};
use serde_json::{Value, json};

use super::calls::REPLACED;
use super::frames::FORM_ANSWER;
use super::pipe::Outcome;
use super::protocol::BindingCalled;
use super::sent::{SentKind, Waited, unknown};
use super::state::{CallId, FormCall, Held, PageSide, Registration, State};
use crate::{DoorEvent, Executed};

const NOT_RELEASED: &str = "This call was not released, so it was not run and nothing changed. The page may have replaced the \
                            tool after it was shown. List the tools again before you ask again.";
const NOT_TRACED: &str = "This call could not be traced to a tool of its page, so it was not run and nothing changed.";

const NO_FORM_ANSWER: &str = "The form was let go, and the browser did not say what became of it.";

/// A write that waits in a page.
pub(super) struct Asking {
    pub id: CallId,
    pub frame: String,
    pub document: String,
    pub registration: u32,
    /// Its arguments in canonical form, if they have one.
    pub canonical: Option<String>,
}

/// The canonical form of a page's JSON text, if it has one.
pub(super) fn canonical(text: &str) -> Option<String> {
    countersign_ledger::canonical(&serde_json::from_str(text).ok()?).ok()
}

impl State {
    pub fn binding_called(&mut self, session: &str, called: BindingCalled) {
        if called.name != self.names.binding {
            return;
        }
        let context = called.execution_context_id;
        let Some(frame) = self
            .sessions
            .get(session)
            .and_then(|session| session.contexts.get(&context))
            .cloned()
        else {
            return;
        };
        let message = match serde_json::from_str::<FromPage>(&called.payload) {
            Ok(message) => message,
            Err(error) => return tracing::warn!(%error, "skipped a message of the interceptor"),
        };
        let of = |call| CallId {
            session: session.to_owned(),
            context,
            call,
        };
        match message {
            FromPage::Hello { webmcp, .. } => {
                // A popup is opened paused, and its interceptor speaks before its frame is known.
                self.frame_attached(session, frame.clone(), None);
                if let Some(frame) = self.frames.get_mut(&frame) {
                    frame.page = Some(PageSide {
                        context,
                        webmcp,
                        registrations: Default::default(),
                        click: None,
                        head_told: None,
                    });
                }
                if let Some(tab) = self.tab_of(session).map(str::to_owned) {
                    self.document_realm((session.to_owned(), context), tab);
                }
                self.changed();
            }
            FromPage::Registered {
                registration,
                name,
                title,
                description,
                input_schema,
                read_only,
                consequential,
                untrusted_content,
            } => {
                let input_schema = serde_json::from_str(&input_schema).unwrap_or(Value::Null);
                let registered = Registration {
                    name: name.clone(),
                    title,
                    description,
                    input_schema,
                    read_only,
                    consequential,
                    untrusted_content,
                };
                if let Some(page) = self.page_side(&frame, context) {
                    page.registrations.insert(registration, registered);
                }
                if let Some(frame) = self.frames.get_mut(&frame) {
                    frame.bind(&name);
                }
                self.changed();
            }
            FromPage::Click { fingerprint } => {
                if let Some(page) = self.page_side(&frame, context) {
                    page.click = Some((Instant::now(), fingerprint));
                }
            }
            FromPage::Cookie { name } => self.cookie_written(session, &frame, &name),
            FromPage::Unregistered { registration } => {
                if let Some(page) = self.page_side(&frame, context) {
                    page.registrations.remove(&registration);
                }
                self.changed();
            }
            FromPage::Ask {
                call,
                registration,
                name,
                arguments,
                ticket,
                fingerprint,
            } => {
                let tool = match registration {
                    // The name is an attribute, which the page may have changed to that of a read.
                    0 => self
                        .listed_tool(&frame, &name)
                        .filter(|tool| tool.source == ToolSource::Form),
                    number => self.registered_tool(&frame, number),
                };
                match ticket {
                    Some(mark) if mark == self.names.read => self.read_met_a_write(&of(call), &frame, &name),
                    Some(nonce) => self.ticket_shown(of(call), frame, registration, &arguments, &nonce),
                    None if tool.is_none() || self.may_be_ours(&of(call), tool.as_ref()) => {
                        self.untraced(&of(call), &name)
                    }
                    None if tool.as_ref().is_some_and(|tool| self.runs_unheld(tool)) => {
                        self.page_reads(of(call), tool, arguments)
                    }
                    None => self.asked(of(call), tool, arguments, fingerprint),
                }
            }
            FromPage::Withdrawn { call } => self.withdrawn(&of(call)),
            FromPage::Armed { ticket } => {
                for sent in self.sent.values_mut() {
                    if let SentKind::Form { nonce, armed, .. } = &mut sent.kind
                        && *nonce == ticket
                    {
                        let _ = armed.take().map(|armed| armed.send(()));
                    }
                }
            }
            FromPage::Ended { call, ok, text } => self.ended(&of(call), ok, text),
            FromPage::Head { number, head } => self.head_told(&frame, context, number, head),
            FromPage::Opened => self.realm_opened(&(session.to_owned(), context)),
            FromPage::Send {
                call,
                method,
                url,
                body,
                bytes,
            } => {
                let sent = super::sends::Frame {
                    method,
                    url,
                    body,
                    bytes,
                };
                self.socket_asks(of(call), Some(&frame), sent);
            }
            // Only workers refuse by themselves.
            FromPage::Refused { .. } => {}
        }
    }

    fn page_side(&mut self, frame: &str, context: i64) -> Option<&mut PageSide> {
        self.frames
            .get_mut(frame)?
            .page
            .as_mut()
            .filter(|page| page.context == context)
    }

    /// A call of a tool that was registered through another document's hands cannot be put down to what the browser lists, so
    /// it is never let go. If it may be one of the door's own, nobody knows how that one ends: the words it is answered with
    /// must not pass for the tool's own answer.
    fn untraced(&mut self, id: &CallId, name: &str) {
        let text = NOT_TRACED.to_owned();
        self.decide(id, PageDecision::Answer { text }, |_, _| {});
        if let Some(number) = self.unwrapped_call(id, name) {
            let words = "The tool was registered through another document, and its call could not be traced.".into();
            self.settle_sent(number, Waited::Gone { words });
        }
    }

    /// A call without a ticket, while the door calls a tool of that name that it never saw registered: in the same frame, or
    /// from a frame that does not list the tool.
    fn may_be_ours(&self, id: &CallId, tool: Option<&Tool>) -> bool {
        tool.is_some_and(|tool| {
            let ours = self
                .unwrapped_call(id, &tool.name)
                .and_then(|number| self.sent.get(&number));
            ours.is_some_and(|ours| ours.tool.page.frame == tool.page.frame || self.current(&tool.key).is_none())
        })
    }

    /// The page calls a read of its own. It runs as soon as its guard is on.
    fn page_reads(&mut self, id: CallId, tool: Option<Tool>, arguments: String) {
        let Some(tool) = tool else { return };
        let read = self.begin_foreign_guard(&tool);
        self.reading.insert(id.clone(), read);
        self.once_sockets_agree(&tool.page.tab, move |state, agreed| {
            let decision = match agreed {
                Ok(()) => PageDecision::Run { arguments },
                Err(text) => PageDecision::Answer { text },
            };
            let runs = matches!(decision, PageDecision::Run { .. });
            state.decide(&id.clone(), decision, move |state, told| {
                if !told || !runs {
                    state.page_read_ended(&id);
                }
            });
        });
    }

    fn page_read_ended(&mut self, id: &CallId) -> bool {
        let read = self.reading.remove(id);
        if let Some(read) = &read {
            self.end_foreign_guard(read);
        }
        read.is_some()
    }

    /// A read of the door's has come to a tool that writes and has taken the name meanwhile.
    fn read_met_a_write(&mut self, id: &CallId, frame: &str, name: &str) {
        let text = NOT_RELEASED.to_owned();
        self.decide(id, PageDecision::Answer { text }, |_, _| {});
        let mine = self.sent.iter().filter(|(_, sent)| {
            matches!(sent.kind, SentKind::Read { .. }) && sent.tool.page.frame == frame && sent.tool.name == name
        });
        if let Some(number) = mine.map(|(number, _)| *number).max() {
            let message = REPLACED.into();
            self.settle_sent(number, Waited::NotRun { message });
        }
    }

    fn unwrapped_call(&self, id: &CallId, name: &str) -> Option<u64> {
        let tab = self.tab_of(&id.session)?;
        let mut sent = self.sent.iter();
        let ours = sent.find(|(_, sent)| {
            matches!(sent.kind, SentKind::Unwrapped { .. }) && sent.tool.name == name && sent.tool.page.tab == tab
        });
        ours.map(|(number, _)| *number)
    }

    /// The page, or another agent, has called a write.
    fn asked(&mut self, id: CallId, tool: Option<Tool>, arguments: String, fingerprint: Fingerprint) {
        let Some(tool) = tool else { return };
        let held = HeldRef(format!("call-{}", self.number()));
        let tool = Box::new(tool);
        let waiting = Held::Call {
            id,
            tool: tool.clone(),
            arguments: arguments.clone(),
        };
        self.held.insert(held.clone(), waiting);
        self.report(DoorEvent::Ask {
            held,
            tool,
            arguments,
            fingerprint,
        });
    }

    /// One of the door's own writes is about to run. It is decided here, on the very bytes that would run.
    fn ticket_shown(&mut self, id: CallId, frame: String, registration: u32, arguments: &str, nonce: &str) {
        let document = self
            .frames
            .get(&frame)
            .map(|frame| frame.document.clone())
            .unwrap_or_default();
        let asking = Asking {
            id: id.clone(),
            frame,
            document,
            registration,
            canonical: canonical(arguments),
        };
        match self.spend(&asking, nonce) {
            Ok(arguments) => self.decide(&id, PageDecision::Run { arguments }, {
                let id = id.clone();
                move |state, told| {
                    if !told && let Some(number) = state.sent_as(&id) {
                        let message = "The page went away before the call could be let go. Nothing was run.".into();
                        state.settle_sent(number, Waited::NotRun { message });
                    }
                }
            }),
            Err(refused) => {
                self.decide(
                    &id,
                    PageDecision::Answer {
                        text: NOT_RELEASED.into(),
                    },
                    |_, _| {},
                );
                if let Some(number) = refused {
                    // The call itself may still be on its way.
                    self.cancel(number);
                    let message =
                        "The page answered with another tool or other arguments than were shown. Nothing was run.";
                    self.settle_sent(
                        number,
                        Waited::NotRun {
                            message: message.into(),
                        },
                    );
                }
            }
        }
    }

    fn sent_as(&self, id: &CallId) -> Option<u64> {
        let mut sent = self.sent.iter();
        sent.find(|(_, sent)| sent.spent().is_some_and(|spent| spent.on.as_ref() == Some(id)))
            .map(|(n, _)| *n)
    }

    pub fn withdrawn(&mut self, id: &CallId) {
        let waits = |held: &Held| match held {
            Held::Call { id: waiting, .. } | Held::Send { id: waiting, .. } => waiting == id,
            Held::Request { .. } => false,
        };
        let held = self.held.iter().find(|(_, held)| waits(held));
        if let Some(held) = held.map(|(held, _)| held.clone()) {
            self.held.remove(&held);
            self.report(DoorEvent::Withdrawn { held });
            return;
        }
        let message = "The connection was closed before this could be let go. It was not sent.".into();
        if self.settle_sending(id, Executed::NotRun { message }) {
            return;
        }
        // The withdrawal and the release met on the way; the page drops a call before it says so.
        let message = "Its caller took it back before it ran. Nothing was run.";
        if self.settle_running(
            id,
            Executed::NotRun {
                message: message.into(),
            },
        ) {
            return;
        }
        if let Some(number) = self.sent_as(id) {
            let message = "The call was cancelled before it ran. Nothing was run.".into();
            self.settle_sent(number, Waited::NotRun { message });
        }
    }

    pub fn ended(&mut self, id: &CallId, ok: bool, text: String) {
        if self.sending.contains_key(id) {
            let executed = match ok {
                true => Executed::Committed { result: text },
                false => Executed::NotRun { message: text },
            };
            self.settle_sending(id, executed);
            return;
        }
        if self.page_read_ended(id) {
            return;
        }
        if let Some(form) = self.running.get(id).map(|running| running.form.clone()) {
            // A form has been submitted when this comes; what becomes of that is the browser's to tell.
            let is_awaited = form.as_ref().is_some_and(|form| self.has_call(form));
            if ok && is_awaited {
                if let Some(running) = self.running.get_mut(id) {
                    running.submitted = true;
                }
                return self.expect_form_answer(id.clone());
            }
            let executed = match (ok, form) {
                (true, _) => Executed::Committed { result: text },
                (false, Some(_)) => Executed::NotRun { message: text },
                (false, None) => Executed::Failed { message: text },
            };
            self.settle_running(id, executed);
        } else if let Some(number) = self.sent_as(id) {
            let is_form = self
                .sent
                .get(&number)
                .is_some_and(|sent| matches!(sent.kind, SentKind::Form { .. }));
            let how = match (ok, is_form) {
                (true, true) => {
                    let words = NO_FORM_ANSWER.into();
                    self.after(FORM_ANSWER, move |state| {
                        state.settle_sent(number, Waited::Gone { words })
                    });
                    return;
                }
                (true, false) => Waited::Completed { text },
                (false, true) => Waited::NotRun { message: text },
                (false, false) => Waited::Failed { message: text },
            };
            self.settle_sent(number, how);
        }
    }

    /// Whether the browser still waits for this form's call.
    pub fn has_call(&self, form: &FormCall) -> bool {
        self.foreign_forms.values().any(|call| call == form)
    }

    /// A form was let go. The browser does not answer for every one: a frame that it leads to is not always heard of.
    pub fn expect_form_answer(&self, id: CallId) {
        self.after(FORM_ANSWER, move |state| {
            let message = unknown(NO_FORM_ANSWER);
            state.settle_running(&id, Executed::Unknown { message });
        });
    }

    /// Tells a page what becomes of a held call. `told` is whether the page heard it.
    pub fn decide(&self, id: &CallId, decision: PageDecision, told: impl FnOnce(&mut State, bool) + Send + 'static) {
        let message = ToPage::Decide {
            call: id.call,
            decision,
        };
        self.tell(&id.session, id.context, &message, |state, answer| {
            told(state, answer == Some(true))
        });
    }

    /// Arms a form for a ticket; the interceptor answers when it is done.
    pub fn arm(&mut self, number: u64, tool: &Tool, nonce: &str) {
        let place = self
            .frames
            .get(&tool.page.frame)
            .and_then(|frame| Some((frame.session.clone(), frame.page.as_ref()?.context)));
        let Some((session, context)) = place else {
            return self.could_not_arm(number);
        };
        let message = ToPage::Arm {
            name: tool.name.clone(),
            ticket: nonce.to_owned(),
        };
        self.tell(&session, context, &message, move |state, told| {
            if told != Some(true) {
                state.could_not_arm(number);
            }
        });
    }

    fn could_not_arm(&mut self, number: u64) {
        let message = "The form's page could not be reached. Nothing was run.".into();
        self.settle_sent(number, Waited::NotRun { message });
    }

    pub fn disarm(&self, sent: &super::sent::Sent) {
        let SentKind::Form { nonce, .. } = &sent.kind else {
            return;
        };
        let frame = self
            .frames
            .get(&sent.tool.page.frame)
            .filter(|frame| frame.document == sent.tool.page.document);
        if let Some((frame, page)) = frame.and_then(|frame| Some((frame, frame.page.as_ref()?))) {
            self.tell(
                &frame.session,
                page.context,
                &ToPage::Disarm { ticket: nonce.clone() },
                |_, _| {},
            );
        }
    }

    /// Says something to a document or worker. `told` gets whether it took it, `None` when it is gone.
    pub fn tell(
        &self,
        session: &str,
        context: i64,
        message: &ToPage,
        told: impl FnOnce(&mut State, Option<bool>) + Send + 'static,
    ) {
        let Ok(message) = serde_json::to_string(message) else {
            return;
        };
        let told = |state: &mut State, outcome: Outcome| {
            told(state, outcome.ok().map(|result| result["result"]["value"] == true));
        };
        let worker = self.sessions.get(session).and_then(|side| side.worker.as_ref());
        if let Some(hear) = worker.and_then(|worker| worker.hear.as_ref()) {
            let function = format!("function(){{return this({message})}}");
            let params = json!({ "objectId": hear, "functionDeclaration": function, "returnByValue": true });
            return self.then(Some(session), "Runtime.callFunctionOn", &params.to_string(), told);
        }
        let expression = format!("{}({message})", self.names.entry);
        let params = json!({ "expression": expression, "contextId": context, "returnByValue": true });
        self.then(Some(session), "Runtime.evaluate", &params.to_string(), told);
    }
}
