use std::time::Duration;

use super::protocol::{self, Context, NavigatedWithinDocument};
use super::sent::{SentKind, Waited, unknown};
use super::state::{Frame, State};
use crate::{DoorEvent, Executed};

/// How long the browser may take to answer for a form that was sent.
pub(super) const FORM_ANSWER: Duration = Duration::from_secs(8);

impl State {
    /// Another document stands in a frame.
    pub fn frame_navigated(&mut self, session: &str, navigated: protocol::Frame) {
        let Some(tab) = self.tab_of(session).map(str::to_owned) else {
            return;
        };
        let id = navigated.id;
        if self
            .frames
            .get(&id)
            .is_some_and(|frame| frame.document != navigated.loader_id)
        {
            self.document_replaced(&id, "The page was left or loaded again.");
        }
        let origin = match navigated.security_origin.as_str() {
            "" | "://" => "null".to_owned(),
            origin => origin.to_owned(),
        };
        self.tell_of_storage(session, &origin);
        let before = self.frames.remove(&id).filter(|frame| frame.session == session);
        let (page, listed, forms) = before
            .map(|frame| (frame.page, frame.listed, frame.forms))
            .unwrap_or_default();
        if navigated.parent_id.is_none()
            && let Some(record) = self.tab_mut(&tab).filter(|record| record.session == session)
        {
            record.crashed = false;
        }
        self.frames.insert(
            id,
            Frame {
                session: session.to_owned(),
                tab,
                parent: navigated.parent_id,
                document: navigated.loader_id,
                url: navigated.url,
                origin,
                page,
                listed,
                forms,
            },
        );
        self.changed();
    }

    /// The address changed, the document did not.
    pub fn navigated_within(&mut self, navigated: NavigatedWithinDocument) {
        if let Some(frame) = self.frames.get_mut(&navigated.frame_id) {
            frame.url = navigated.url;
            self.changed();
        }
    }

    pub fn frame_attached(&mut self, session: &str, id: String, parent: Option<String>) {
        let Some(tab) = self.tab_of(session).map(str::to_owned) else {
            return;
        };
        self.frames.entry(id).or_insert_with(|| Frame {
            session: session.to_owned(),
            tab,
            parent,
            document: String::new(),
            url: "about:blank".into(),
            origin: "null".into(),
            page: None,
            listed: Default::default(),
            forms: Default::default(),
        });
    }

    /// A frame is gone from a session. With `swap` it goes on in another process, whose session reports it.
    pub fn frame_detached(&mut self, session: &str, id: &str, swap: bool) {
        if self.frames.get(id).is_none_or(|frame| frame.session != session) {
            return;
        }
        if swap {
            self.document_replaced(id, "The page was left or loaded again.");
        } else {
            self.remove_frame(id, "The frame was removed from its page.");
        }
        self.changed();
    }

    pub fn remove_frame(&mut self, id: &str, words: &str) {
        self.document_replaced(id, words);
        self.frames.remove(id);
        self.foreign_forms.retain(|_, call| call.frame != id);
    }

    /// The document in a frame is gone; the frame itself may stay. So may the interceptor: a frame's first, empty document and
    /// the same-origin one that follows share a window, and scripts run in it only once.
    pub fn document_replaced(&mut self, id: &str, words: &str) {
        let Some(frame) = self.frames.get_mut(id) else { return };
        if let Some(page) = &mut frame.page {
            page.registrations.clear();
        }
        frame.listed.clear();
        frame.forms.clear();
        let document = std::mem::take(&mut frame.document);
        if !document.is_empty() {
            self.document_gone(&document, words);
        }
    }

    /// Settles everything that depended on a document, then says that it is gone. A form that leads to another page ends its
    /// call there, and the browser still answers for it.
    fn document_gone(&mut self, document: &str, words: &str) {
        let held = self.held.iter().filter(|(_, held)| held.document() == document);
        for held in held.map(|(held, _)| held.clone()).collect::<Vec<_>>() {
            self.drop_held(&held);
        }
        self.lose_sending(|_, of| of == document, words);
        let running = self.running.iter().filter(|(_, running)| running.document == document);
        for (id, submitted) in running
            .map(|(id, running)| (id.clone(), running.submitted))
            .collect::<Vec<_>>()
        {
            let executed = if submitted {
                Executed::Committed {
                    result: "The form was submitted, and its page was left.".into(),
                }
            } else {
                Executed::Unknown {
                    message: unknown(words),
                }
            };
            self.settle_running(&id, executed);
        }
        let numbers = self.sent.iter().filter(|(_, sent)| sent.tool.page.document == document);
        for (number, form) in numbers
            .map(|(number, sent)| (*number, sent.is_armed_form()))
            .collect::<Vec<_>>()
        {
            if form {
                let words = words.to_owned();
                self.after(FORM_ANSWER, move |state| {
                    state.settle_sent(number, Waited::Gone { words })
                });
            } else {
                self.settle_sent(
                    number,
                    Waited::Gone {
                        words: words.to_owned(),
                    },
                );
            }
        }
        let reads = self
            .foreign_reads
            .extract_if(|_, read| read.tool.page.document == document)
            .map(|(_, read)| read)
            .chain(
                self.reading
                    .extract_if(|_, read| read.tool.page.document == document)
                    .map(|(_, read)| read),
            )
            .collect::<Vec<_>>();
        for read in reads {
            self.end_foreign_guard(&read);
        }
        self.report(DoorEvent::DocumentGone {
            document: document.to_owned(),
            message: words.to_owned(),
        });
    }

    pub fn loading(&mut self, session: &str, frame: Option<&str>, loading: bool) {
        let Some(tab) = self.tabs.iter_mut().find(|tab| tab.session == session) else {
            return;
        };
        if frame.is_some_and(|frame| frame != tab.id) {
            return;
        }
        let changed = std::mem::replace(&mut tab.loading, loading) != loading;
        if !loading {
            let tab = tab.id.clone();
            self.ask_title(&tab);
        }
        if changed {
            self.changed();
        }
    }

    pub fn context_created(&mut self, session: &str, context: Context) {
        let Some(frame) = context.aux_data["frameId"].as_str() else {
            return;
        };
        if context.name == self.names.world
            && let Some(session) = self.sessions.get_mut(session)
        {
            session.contexts.insert(context.id, frame.to_owned());
        }
    }

    pub fn context_destroyed(&mut self, session: &str, context: i64) {
        let Some(frame) = self
            .sessions
            .get_mut(session)
            .and_then(|session| session.contexts.remove(&context))
        else {
            return;
        };
        self.page_side_gone_in(session, &frame, context);
    }

    pub fn contexts_cleared(&mut self, session: &str) {
        let contexts = self
            .sessions
            .get_mut(session)
            .map(|session| std::mem::take(&mut session.contexts));
        for (context, frame) in contexts.unwrap_or_default() {
            self.page_side_gone_in(session, &frame, context);
        }
    }

    fn page_side_gone_in(&mut self, session: &str, frame: &str, context: i64) {
        self.realm_gone(&(session.to_owned(), context));
        self.page_side_gone(frame, context);
    }

    fn page_side_gone(&mut self, frame: &str, context: i64) {
        if let Some(frame) = self.frames.get_mut(frame)
            && frame.page.as_ref().is_some_and(|page| page.context == context)
        {
            frame.page = None;
        }
    }
}

impl super::sent::Sent {
    fn is_armed_form(&self) -> bool {
        matches!(&self.kind, SentKind::Form { .. }) && self.invocation.is_some()
    }
}
