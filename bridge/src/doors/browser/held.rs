use std::time::Duration;

use countersign_contract::wire::PageDecision;
use countersign_contract::{HeldRef, NetworkRequest, PageRef, Tool, ToolSource};
use serde_json::json;
use tokio::sync::oneshot;

use super::Inner;
use super::page::canonical;
use super::pipe::CommandError;
use super::state::{FormCall, Held, Running, State};
use crate::{DoorEvent, Executed};

/// How long to wait for a page to have heard an answer.
const ANSWERED: Duration = Duration::from_secs(2);
const NOT_HELD: &str = "It is not waiting any more. Nothing was run.";

impl Inner {
    /// Lets a call of the page go.
    pub async fn release_call(&self, held: &HeldRef, tool: &Tool, arguments: &str) -> Executed {
        let (done, ended) = oneshot::channel();
        {
            let mut state = self.state();
            match state.held.get(held) {
                Some(Held::Call { tool: waiting, .. }) if waiting.key == tool.key && waiting.digest == tool.digest => {}
                _ => {
                    return Executed::NotRun {
                        message: NOT_HELD.into(),
                    };
                }
            }
            let Some(Held::Call {
                id,
                tool,
                arguments: asked,
            }) = state.held.remove(held)
            else {
                return Executed::NotRun {
                    message: NOT_HELD.into(),
                };
            };
            if let Err(message) = state.may_run(&tool, &asked, arguments) {
                state.decide(&id, PageDecision::Answer { text: message.clone() }, |_, _| {});
                return Executed::NotRun { message };
            }
            let PageRef {
                tab, document, frame, ..
            } = &tool.page;
            let form = (tool.source == ToolSource::Form).then(|| FormCall {
                frame: frame.clone(),
                name: tool.name.clone(),
            });
            state.begin_write(tab);
            let running = Running {
                tab: tab.clone(),
                document: document.clone(),
                form,
                submitted: false,
                done,
            };
            let answered_for = running.form.as_ref().is_none_or(|form| state.has_call(form));
            state.running.insert(id.clone(), running);
            if !answered_for {
                state.expect_form_answer(id.clone());
            }
            let decision = PageDecision::Run {
                arguments: arguments.to_owned(),
            };
            let tab = tool.page.tab.clone();
            // A guard that cannot be taken off sockets in time does not keep a released call from running.
            state.once_sockets_agree(&tab, move |state, _| {
                state.decide(&id.clone(), decision, move |state, told| {
                    if !told {
                        let message = "The page went away before the call could be let go. Nothing was run.".into();
                        state.settle_running(&id, Executed::NotRun { message });
                    }
                });
            });
        }
        ended.await.unwrap_or_else(|_| Executed::Unknown {
            message: "The door was closed while the call ran.".into(),
        })
    }

    /// Lets a paused request go.
    pub async fn release_request(&self, held: &HeldRef, request: &NetworkRequest) -> Executed {
        let sent = {
            let mut state = self.state();
            match state.held.get(held) {
                Some(Held::Send {
                    id,
                    page,
                    request: waiting,
                }) if **waiting == *request => {
                    let (id, document) = (id.clone(), page.document.clone());
                    let (done, ended) = oneshot::channel();
                    state.held.remove(held);
                    state.release_send(id, document, done);
                    Some(ended)
                }
                _ => None,
            }
        };
        if let Some(ended) = sent {
            return ended.await.unwrap_or_else(|_| Executed::Unknown {
                message: "The door was closed while this was being sent.".into(),
            });
        }
        let waiting = {
            let mut state = self.state();
            let same =
                matches!(state.held.get(held), Some(Held::Request { request: waiting, .. }) if **waiting == *request);
            let taken = if same { state.held.remove(held) } else { None };
            taken.and_then(|held| match held {
                Held::Request { request_id, .. } => Some((request_id, state.pipe()?)),
                Held::Call { .. } | Held::Send { .. } => None,
            })
        };
        let Some((request_id, pipe)) = waiting else {
            return Executed::NotRun {
                message: NOT_HELD.into(),
            };
        };
        match pipe
            .call(None, "Fetch.continueRequest", &json!({ "requestId": request_id }))
            .await
        {
            Ok(_) => Executed::Committed {
                result: "The request was sent. The server's answer was not read.".into(),
            },
            Err(CommandError::Refused(message)) => Executed::NotRun {
                message: format!(
                    "The page had given the request up before it was let go ({message}). It was not sent."
                ),
            },
            Err(CommandError::Gone) => Executed::Unknown {
                message: "The browser ended while the request was being let go.".into(),
            },
        }
    }

    pub async fn answer(&self, held: &HeldRef, text: &str) {
        let ended = {
            let mut state = self.state();
            match state.held.remove(held) {
                Some(Held::Call { id, .. } | Held::Send { id, .. }) => {
                    let (told, heard) = oneshot::channel();
                    state.decide(&id, PageDecision::Answer { text: text.to_owned() }, move |_, _| {
                        let _ = told.send(());
                    });
                    heard
                }
                Some(Held::Request { request_id, .. }) => {
                    let (told, heard) = oneshot::channel();
                    let params = json!({ "requestId": request_id, "errorReason": "BlockedByClient" });
                    state.then(None, "Fetch.failRequest", &params.to_string(), move |_, _| {
                        let _ = told.send(());
                    });
                    heard
                }
                None => return,
            }
        };
        // The decision stands. A page that hangs may hear of it later.
        let _ = tokio::time::timeout(ANSWERED, ended).await;
    }
}

impl State {
    fn may_run(&self, tool: &Tool, asked: &str, arguments: &str) -> Result<(), String> {
        if self.current(&tool.key).is_none_or(|now| now.digest != tool.digest) {
            return Err(
                "The page has replaced or removed this tool since the call was made. It was not run and nothing \
                        changed. List the tools again before you ask again."
                    .into(),
            );
        }
        let same = canonical(asked).is_some_and(|asked| asked == arguments);
        if tool.source == ToolSource::Form && !same {
            return Err(
                "A form that is filled in already cannot be sent with other values. It was not submitted and nothing \
                        changed. Call it again with the values that are wanted."
                    .into(),
            );
        }
        Ok(())
    }

    /// Ends something held whose document is gone: nothing runs, and a paused request does not get out.
    pub fn drop_held(&mut self, held: &HeldRef) {
        match self.held.remove(held) {
            Some(Held::Request { request_id, .. }) => self.send(
                None,
                "Fetch.failRequest",
                &json!({ "requestId": request_id, "errorReason": "BlockedByClient" }),
            ),
            // A worker may outlive the page it was read through.
            Some(Held::Send { id, .. }) => {
                let text = String::new();
                self.decide(&id, PageDecision::Answer { text }, |_, _| {});
            }
            Some(Held::Call { .. }) | None => {}
        }
    }

    /// Whatever is still held when the browser ends.
    pub fn withdraw_all(&mut self) {
        for (held, _) in std::mem::take(&mut self.held) {
            self.report(DoorEvent::Withdrawn { held });
        }
    }
}
