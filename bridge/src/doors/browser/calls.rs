use std::time::Duration;

use countersign_contract::{Tool, ToolSource};
use countersign_gate::{ReadPass, Target, Ticket};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::Inner;
use super::pipe::{CommandError, Outcome};
use super::protocol::{ToolInvoked, ToolResponded};
use super::sent::{Sent, SentKind, Spent, Waited};
use super::state::{ForeignRead, FormCall, State};
use super::submitted::shows;
use super::tools::registration;
use crate::{DoorError, DoorEvent, Executed};

/// The member by which the interceptor knows the door's own calls; it takes it off before anything else sees the input.
const MARK: &str = "__countersign";

/// How long the interceptor may take to report the end of a call after the browser has.
const REPORTED: Duration = Duration::from_secs(2);

const NOT_ASKED: &str = "Something else answered under the tool's name, without asking for the release.";
const SHOWN_AGAIN: &str = "The page showed the release a second time, so its answer may not be the tool's.";
pub(super) const REPLACED: &str = "The page has replaced or removed this tool since it was shown. Nothing was run.";

impl Inner {
    pub async fn read(&self, pass: ReadPass, cancel: CancellationToken) -> Result<String, DoorError> {
        let (done, answered) = oneshot::channel();
        let (number, agreed, input) = {
            let mut state = self.state();
            let session = state.session_for(pass.tool()).map_err(|message| match state.browser {
                Some(_) => DoorError::PageGone(message),
                None => DoorError::BrowserGone("The browser is not running. Open a page first.".into()),
            })?;
            let tool = pass.tool().clone();
            let number = state.number();
            state.begin_guard(&tool);
            state.watch_read(number, &tool);
            let kind = SentKind::Read { done: Some(done) };
            state.sent.insert(
                number,
                Sent {
                    session,
                    tool,
                    invocation: None,
                    kind,
                },
            );
            let arguments = pass.arguments();
            let marked = pass.tool().source == ToolSource::Script && arguments.starts_with('{');
            let input = marked.then(|| with_mark(arguments, &state.names.read));
            let input = input.unwrap_or_else(|| arguments.to_owned());
            let agreed = state.sockets_agree(&pass.tool().page.tab);
            if agreed.is_none() {
                state.invoke(number, &input);
            }
            (number, agreed, input)
        };
        if let Some(agreed) = agreed {
            let agreed = tokio::select! {
                agreed = agreed => agreed.unwrap_or_else(|_| Err("The browser has gone.".into())),
                () = cancel.cancelled() => Err("cancelled".into()),
            };
            let mut state = self.state();
            match agreed {
                Ok(()) => state.invoke(number, &input),
                Err(message) => state.not_begun(number, message, cancel.is_cancelled()),
            }
        }
        tokio::select! {
            result = answered => result.unwrap_or_else(|_| Err(DoorError::BrowserGone("The browser has gone.".into()))),
            () = cancel.cancelled() => {
                self.state().abandon(number);
                Err(DoorError::Cancelled)
            }
        }
    }

    pub async fn execute(&self, ticket: Ticket) -> Executed {
        match ticket.target() {
            Target::Call { tool, arguments } => self.call(tool, arguments, ticket.nonce()).await,
            Target::HeldCall { held, tool, arguments } => self.release_call(held, tool, arguments).await,
            Target::HeldRequest { held, request } => self.release_request(held, request).await,
        }
    }

    async fn call(&self, tool: &Tool, arguments: &str, nonce: &str) -> Executed {
        let (done, ended) = oneshot::channel();
        let (arm, armed) = oneshot::channel();
        let nonce = nonce.to_owned();
        let input;
        let (number, agreed) = {
            let mut state = self.state();
            let session = match state.session_for(tool) {
                Ok(session) if arguments.starts_with('{') => session,
                Ok(_) => {
                    return Executed::NotRun {
                        message: "The arguments are not a JSON object.".into(),
                    };
                }
                Err(message) => return Executed::NotRun { message },
            };
            input = match tool.source {
                ToolSource::Script => with_mark(arguments, &nonce),
                ToolSource::Form | ToolSource::Unwrapped => arguments.to_owned(),
            };
            let kind = match tool.source {
                ToolSource::Script => SentKind::Script {
                    nonce: nonce.clone(),
                    arguments: arguments.to_owned(),
                    spent: Spent::default(),
                    done,
                },
                ToolSource::Form => SentKind::Form {
                    nonce: nonce.clone(),
                    arguments: arguments.to_owned(),
                    armed: Some(arm),
                    spent: Spent::default(),
                    done,
                },
                ToolSource::Unwrapped => SentKind::Unwrapped { done },
            };
            let number = state.number();
            state.begin_write(&tool.page.tab);
            state.sent.insert(
                number,
                Sent {
                    session,
                    tool: tool.clone(),
                    invocation: None,
                    kind,
                },
            );
            let agreed = state.sockets_agree(&tool.page.tab);
            if tool.source == ToolSource::Form {
                state.arm(number, tool, &nonce);
            } else if agreed.is_none() {
                state.invoke(number, &input);
            }
            (number, agreed)
        };
        let waits = agreed.is_some();
        if let Some(agreed) = agreed {
            // A guard that cannot be taken off sockets in time does not keep a released call from running.
            let _ = agreed.await;
        }
        let is_ready = match tool.source {
            ToolSource::Form => armed.await.is_ok(),
            ToolSource::Script | ToolSource::Unwrapped => waits,
        };
        if is_ready {
            self.state().invoke(number, &input);
        }
        ended.await.unwrap_or_else(|_| Executed::Unknown {
            message: "The door was closed while the call ran.".into(),
        })
    }
}

fn with_mark(arguments: &str, mark: &str) -> String {
    let comma = if arguments == "{}" { "" } else { "," };
    format!(
        "{{{}:{}{comma}{}",
        Value::from(MARK),
        Value::from(mark),
        &arguments[1..]
    )
}

impl State {
    /// The session a tool is called through, if it still is what it was.
    fn session_for(&self, tool: &Tool) -> Result<String, String> {
        let current = self.current(&tool.key).filter(|now| now.digest == tool.digest);
        let current = current
            .filter(|now| now.page.document == tool.page.document)
            .ok_or(REPLACED)?;
        let frame = self.frames.get(&current.page.frame).ok_or(REPLACED)?;
        Ok(frame.session.clone())
    }

    /// Sends a call on its way. `input` is JSON text and goes out as it is.
    fn invoke(&mut self, number: u64, input: &str) {
        let Some(sent) = self.sent.get(&number) else { return };
        let frame = Value::from(sent.tool.page.frame.as_str());
        let name = Value::from(sent.tool.name.as_str());
        let params = format!(r#"{{"frameId":{frame},"toolName":{name},"input":{input}}}"#);
        let session = sent.session.clone();
        let of = session.clone();
        self.then(Some(&session), "WebMCP.invokeTool", &params, move |state, outcome| {
            state.invoked(number, &of, outcome)
        });
    }

    fn invoked(&mut self, number: u64, session: &str, outcome: Outcome) {
        let id = match outcome {
            Ok(result) => result["invocationId"].as_str().map(str::to_owned),
            Err(CommandError::Gone) => {
                return self.settle_sent(
                    number,
                    Waited::Gone {
                        words: "The browser has gone.".into(),
                    },
                );
            }
            Err(CommandError::Refused(message)) => {
                let message = format!("The browser could not call the tool: {message}. Nothing was run.");
                return self.settle_sent(number, Waited::NotRun { message });
            }
        };
        if let Some(sent) = self.sent.get_mut(&number) {
            sent.invocation.clone_from(&id);
            if matches!(sent.kind, SentKind::Read { done: None }) {
                self.cancel(number);
            }
        } else if let Some(id) = &id {
            // It was settled before the browser had named it: whatever of it is left is nobody's.
            self.send(Some(session), "WebMCP.cancelInvocation", &json!({ "invocationId": id }));
        }
        let (ours, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.unclaimed)
            .into_iter()
            .partition(|call| Some(&call.invocation_id) == id.as_ref());
        drop(ours);
        for call in others {
            self.tool_invoked(call);
        }
    }

    /// A read that was not sent to the page.
    fn not_begun(&mut self, number: u64, message: String, cancelled: bool) {
        let Some(sent) = self.sent.remove(&number) else { return };
        self.end_guard_of(&sent);
        if let SentKind::Read { done: Some(done) } = sent.kind {
            let _ = done.send(Err(if cancelled {
                DoorError::Cancelled
            } else {
                DoorError::Unguarded(message)
            }));
        }
    }

    /// Whoever waited for a read has given up. Its guard stays until the page has answered.
    fn abandon(&mut self, number: u64) {
        if let Some(Sent {
            kind: SentKind::Read { done },
            ..
        }) = self.sent.get_mut(&number)
        {
            *done = None;
            self.cancel(number);
        }
    }

    pub fn cancel(&self, number: u64) {
        if let Some(Sent {
            session,
            invocation: Some(invocation),
            ..
        }) = self.sent.get(&number)
        {
            self.send(
                Some(session),
                "WebMCP.cancelInvocation",
                &json!({ "invocationId": invocation }),
            );
        }
    }

    /// A call was seen in the browser. Ours are known by their invocation; a read of anybody else's is guarded as well.
    pub fn tool_invoked(&mut self, call: ToolInvoked) {
        if self
            .sent
            .values()
            .any(|sent| sent.invocation.as_ref() == Some(&call.invocation_id))
        {
            return;
        }
        let may_be_ours = self.sent.values().any(|sent| {
            sent.invocation.is_none() && sent.tool.page.frame == call.frame_id && sent.tool.name == call.tool_name
        });
        if may_be_ours {
            self.unclaimed.push(call);
            return;
        }
        let Some(tool) = self.tool_named(&call.frame_id, &call.tool_name) else {
            return;
        };
        if tool.source == ToolSource::Form {
            let form = FormCall {
                frame: call.frame_id,
                name: call.tool_name,
            };
            self.foreign_forms.insert(call.invocation_id, form);
            return;
        }
        if !self.claims_to_read(&tool) {
            return;
        }
        let read = self.begin_foreign_guard(&tool);
        self.foreign_reads.insert(call.invocation_id, read);
        self.report(DoorEvent::ReadSeen {
            tool: Box::new(tool),
            arguments: call.input,
        });
    }

    pub fn tool_responded(&mut self, responded: ToolResponded) {
        let cancelled = responded.status == "Canceled";
        if let Some(read) = self.foreign_reads.remove(&responded.invocation_id) {
            // The interceptor reports the real end of what it has seen begin.
            if cancelled && read.tool.source != ToolSource::Script {
                return self.guard_cancelled(responded.invocation_id, read);
            }
            return self.end_foreign_guard(&read);
        }
        if let Some(form) = self.foreign_forms.remove(&responded.invocation_id) {
            return self.form_responded(&form, &responded);
        }
        let ours = self
            .sent
            .iter()
            .find(|(_, sent)| sent.invocation.as_ref() == Some(&responded.invocation_id));
        let Some((number, sent)) = ours else { return };
        let number = *number;
        if cancelled && matches!(sent.kind, SentKind::Read { .. }) {
            return self.read_cancelled(number, responded);
        }
        let completed = responded.status == "Completed";
        let gone = |words: &str| Waited::Gone { words: words.into() };
        let failed = || Waited::Failed {
            message: responded.failure(),
        };
        let is_same = self.current(&sent.tool.key).is_some();
        let how = match (&sent.kind, sent.spent()) {
            (_, Some(spent)) if spent.shown_again => gone(SHOWN_AGAIN),
            (SentKind::Script { .. }, Some(Spent { on: Some(_), .. })) if completed => {
                Waited::Completed { text: responded.text() }
            }
            (SentKind::Form { .. }, Some(Spent { on: Some(_), .. })) if completed => {
                let text = form_result(&responded);
                return self.settle_sent(number, Waited::Completed { text });
            }
            (_, Some(Spent { on: Some(_), .. })) if cancelled => gone("The call was cancelled while it ran."),
            (_, Some(Spent { on: Some(_), .. })) => failed(),
            // What answered did not ask for the release, so it is not what was released.
            (SentKind::Script { .. }, _) => return self.settle_sent(number, gone(NOT_ASKED)),
            (SentKind::Form { .. }, _) if completed || !is_same => return self.settle_sent(number, gone(NOT_ASKED)),
            (SentKind::Unwrapped { .. }, _) if !is_same => {
                return self.settle_sent(
                    number,
                    gone("The page replaced or removed the tool while the call was on its way."),
                );
            }
            _ if completed => return self.settle_sent(number, Waited::Completed { text: responded.text() }),
            _ => return self.settle_sent(number, failed()),
        };
        // It was let go: the interceptor reports its end, with the text as the caller gets it, unless the page is in its way.
        self.after(REPORTED, move |state| state.settle_sent(number, how));
    }

    fn read_cancelled(&mut self, number: u64, responded: ToolResponded) {
        let Some(sent) = self.sent.remove(&number) else { return };
        let read = ForeignRead {
            tool: Box::new(sent.tool.clone()),
            guarded: true,
        };
        let message = responded.failure();
        self.guard_cancelled(responded.invocation_id, read);
        sent.settle(Waited::Failed { message });
        self.read_watched(number);
    }

    fn form_responded(&mut self, form: &FormCall, responded: &ToolResponded) {
        let running = self
            .running
            .iter()
            .find(|(_, running)| running.form.as_ref() == Some(form));
        let Some(id) = running.map(|(id, _)| id.clone()) else {
            return;
        };
        if responded.status == "Completed" {
            let result = form_result(responded);
            self.settle_running(&id, Executed::Committed { result });
            return;
        }
        // Should it not have been submitted at all, the interceptor says so.
        let message = responded.failure();
        self.after(REPORTED, move |state| {
            state.settle_running(&id, Executed::Failed { message });
        });
    }

    /// The write an ask with this ticket belongs to, if it may run now: same frame, same document, same registration, same
    /// arguments, and not asked before.
    pub fn spend(&mut self, asking: &super::page::Asking, nonce: &str) -> Result<String, Option<u64>> {
        let ours = self.sent.iter_mut().find(|(_, sent)| sent.nonce() == Some(nonce));
        let Some((number, sent)) = ours else { return Err(None) };
        let same_place = sent.tool.page.frame == asking.frame && sent.tool.page.document == asking.document;
        let (same, arguments, spent) = match &mut sent.kind {
            SentKind::Script { arguments, spent, .. } => (
                registration(&sent.tool) == Some(asking.registration) && asking.canonical.as_ref() == Some(arguments),
                arguments,
                spent,
            ),
            SentKind::Form { arguments, spent, .. } => (
                asking.registration == 0 && asking.canonical.as_ref().is_some_and(|filled| shows(arguments, filled)),
                arguments,
                spent,
            ),
            SentKind::Read { .. } | SentKind::Unwrapped { .. } => return Err(None),
        };
        if spent.on.is_some() {
            spent.shown_again = true;
            return Err(None);
        }
        if !(same_place && same) {
            return Err(Some(*number));
        }
        spent.on = Some(asking.id.clone());
        Ok(arguments.clone())
    }
}

/// A form that leads to another page is answered with the data that page embeds, which is often none.
fn form_result(responded: &ToolResponded) -> String {
    match &responded.output {
        None | Some(Value::Null) => "The form was submitted.".into(),
        Some(Value::Array(embedded)) if embedded.is_empty() => "The form was submitted.".into(),
        _ => responded.text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticket_goes_before_the_arguments_and_leaves_them_as_they_are() {
        assert_eq!(with_mark("{}", "ab"), r#"{"__countersign":"ab"}"#);
        assert_eq!(with_mark(r#"{"a":1e+21}"#, "ab"), r#"{"__countersign":"ab","a":1e+21}"#);
    }
}
