use countersign_contract::{Tool, ToolSource};
use countersign_gate::{ReadPass, Target, Ticket};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::Inner;
use super::pipe::{CommandError, Outcome};
use super::protocol::{ToolInvoked, ToolResponded};
use super::sent::{Sent, SentKind, Waited};
use super::state::{ForeignRead, FormCall, State};
use super::tools::registration;
use crate::{DoorError, DoorEvent, Executed};

/// The member by which the interceptor knows the door's own calls; it takes it off before anything else sees the input.
const TICKET: &str = "__countersign";

const REPLACED: &str = "The page has replaced or removed this tool since it was shown. Nothing was run.";

impl Inner {
    pub async fn read(&self, pass: ReadPass, cancel: CancellationToken) -> Result<String, DoorError> {
        let (done, answered) = oneshot::channel();
        let number = {
            let mut state = self.state();
            let session = state.session_for(pass.tool()).map_err(|message| match state.browser {
                Some(_) => DoorError::PageGone(message),
                None => DoorError::BrowserGone("The browser is not running. Open a page first.".into()),
            })?;
            let tool = pass.tool().clone();
            let number = state.number();
            state.begin_guard(&tool);
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
            state.invoke(number, pass.arguments());
            number
        };
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
        let number = {
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
                ToolSource::Script => with_ticket(arguments, &nonce),
                ToolSource::Form | ToolSource::Unwrapped => arguments.to_owned(),
            };
            let kind = match tool.source {
                ToolSource::Script => SentKind::Script {
                    nonce: nonce.clone(),
                    arguments: arguments.to_owned(),
                    asked: None,
                    done,
                },
                ToolSource::Form => SentKind::Form {
                    nonce: nonce.clone(),
                    armed: Some(arm),
                    done,
                },
                ToolSource::Unwrapped => SentKind::Unwrapped { done },
            };
            let number = state.number();
            state.lift_guard(&tool.page.tab);
            state.sent.insert(
                number,
                Sent {
                    session,
                    tool: tool.clone(),
                    invocation: None,
                    kind,
                },
            );
            if tool.source == ToolSource::Form {
                state.arm(number, tool, &nonce);
            } else {
                state.invoke(number, &input);
            }
            number
        };
        if tool.source == ToolSource::Form && armed.await.is_ok() {
            self.state().invoke(number, &input);
        }
        ended.await.unwrap_or_else(|_| Executed::Unknown {
            message: "The door was closed while the call ran.".into(),
        })
    }
}

fn with_ticket(arguments: &str, nonce: &str) -> String {
    let comma = if arguments == "{}" { "" } else { "," };
    format!(
        "{{{}:{}{comma}{}",
        Value::from(TICKET),
        Value::from(nonce),
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
        self.then(Some(&session), "WebMCP.invokeTool", &params, move |state, outcome| {
            state.invoked(number, outcome)
        });
    }

    fn invoked(&mut self, number: u64, outcome: Outcome) {
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
        }
        let (ours, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.unclaimed)
            .into_iter()
            .partition(|call| Some(&call.invocation_id) == id.as_ref());
        drop(ours);
        for call in others {
            self.tool_invoked(call);
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

    fn cancel(&self, number: u64) {
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
        self.begin_guard(&tool);
        let read = ForeignRead {
            tab: tool.page.tab.clone(),
            document: tool.page.document.clone(),
        };
        self.foreign_reads.insert(call.invocation_id, read);
        self.report(DoorEvent::ReadSeen {
            tool: Box::new(tool),
            arguments: call.input,
        });
    }

    pub fn tool_responded(&mut self, responded: ToolResponded) {
        if let Some(read) = self.foreign_reads.remove(&responded.invocation_id) {
            return self.end_guard(&read.tab);
        }
        if let Some(form) = self.foreign_forms.remove(&responded.invocation_id) {
            return self.form_responded(&form, &responded);
        }
        let ours = self
            .sent
            .iter()
            .find(|(_, sent)| sent.invocation.as_ref() == Some(&responded.invocation_id));
        let Some((number, sent)) = ours else { return };
        let completed = responded.status == "Completed";
        let how = match &sent.kind {
            // It was let go: the interceptor reports its end, with the text as the caller gets it.
            SentKind::Script { asked: Some(_), .. } => return,
            SentKind::Script { asked: None, .. } if !completed => Waited::NotRun {
                message: format!("It ended before it was let go: {}", responded.failure()),
            },
            SentKind::Form { .. } if completed => Waited::Completed {
                text: form_result(&responded),
            },
            _ if completed => Waited::Completed { text: responded.text() },
            _ => Waited::Failed {
                message: responded.failure(),
            },
        };
        let number = *number;
        self.settle_sent(number, how);
    }

    fn form_responded(&mut self, form: &FormCall, responded: &ToolResponded) {
        let running = self
            .running
            .iter()
            .find(|(_, running)| running.form.as_ref() == Some(form));
        let Some(id) = running.map(|(id, _)| id.clone()) else {
            return;
        };
        let executed = match responded.status.as_str() {
            "Completed" => Executed::Committed {
                result: form_result(responded),
            },
            _ => Executed::Failed {
                message: responded.failure(),
            },
        };
        self.settle_running(&id, executed);
    }

    /// The write an ask with this ticket belongs to, if it may run now: same frame, same document, same registration, same
    /// arguments, and not asked before.
    pub fn spend(&mut self, asking: &super::page::Asking, nonce: &str) -> Result<String, Option<u64>> {
        let ours = self
            .sent
            .iter_mut()
            .find(|(_, sent)| matches!(&sent.kind, SentKind::Script { nonce: n, .. } if n == nonce));
        let Some((number, sent)) = ours else { return Err(None) };
        let same_place = sent.tool.page.frame == asking.frame
            && sent.tool.page.document == asking.document
            && registration(&sent.tool) == Some(asking.registration);
        match &mut sent.kind {
            SentKind::Script {
                arguments,
                asked: asked @ None,
                ..
            } if same_place && asking.canonical.as_ref() == Some(arguments) => {
                *asked = Some(asking.id.clone());
                Ok(arguments.clone())
            }
            SentKind::Script { asked: Some(_), .. } => Err(None),
            _ => Err(Some(*number)),
        }
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
        assert_eq!(with_ticket("{}", "ab"), r#"{"__countersign":"ab"}"#);
        assert_eq!(
            with_ticket(r#"{"a":1e+21}"#, "ab"),
            r#"{"__countersign":"ab","a":1e+21}"#
        );
    }
}
