use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use countersign_contract::{ProposalId, Tool};
use countersign_gate::{ReadPass, Target, Ticket, is_companion};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::Inner;
use super::state::{Nonce, State};
use crate::{DoorError, DoorEvent, Executed};

/// How long a page may take to answer a call.
pub(super) const CALL: Duration = Duration::from_secs(15);

const REPLACED: &str = "The page has replaced or removed this tool since it was shown. Nothing was run.";
const NOT_ATTACHED: &str = "The page is not attached to the relay now: it was closed, or its connection was lost. Open it again \
                            with the relay's address.";
const NO_WORDS: &str = "The page says that the tool failed, and gives no words.";

/// What the page calls in the relay's name, by number. Numbers are never given twice while the app runs, so that an answer which
/// comes late is nobody else's.
#[derive(Default)]
pub(super) struct Calls {
    last: u64,
    waiting: BTreeMap<u64, Call>,
    /// Released writes whose end nobody saw in time, and that the page may still tell.
    late: HashMap<u64, Call>,
}

struct Call {
    /// The page it was sent to.
    nonce: Nonce,
    tool: Tool,
    act: Act,
    done: oneshot::Sender<Ended>,
}

enum Act {
    Read,
    Write(ProposalId),
}

/// How a call ended.
#[derive(Clone, Debug)]
pub(super) enum Ended {
    /// The page's function resolved.
    Said(String),
    /// The page's function threw.
    Threw(String),
    /// Its page has gone.
    Gone(String),
}

impl Ended {
    /// What the page posts as a result: `{id, ok, text, error}`.
    pub fn read(body: &Value) -> Self {
        let text = |member: &str| match body.get(member) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        if body.get("ok") == Some(&Value::Bool(true)) {
            return Self::Said(text("text"));
        }
        let words = text("error");
        Self::Threw(if words.is_empty() { NO_WORDS.into() } else { words })
    }

    fn executed(self) -> Executed {
        match self {
            Self::Said(result) => Executed::Committed { result },
            Self::Threw(message) => Executed::Failed { message },
            Self::Gone(words) => Executed::Unknown {
                message: format!("{words} The call had been sent; it may or may not have run."),
            },
        }
    }
}

impl Calls {
    pub fn end_all(&mut self, ended: &Ended) {
        for (number, call) in std::mem::take(&mut self.waiting) {
            let _ = call.done.send(ended.clone());
            self.keep_late(number, call.nonce, call.tool, call.act);
        }
    }

    fn keep_late(&mut self, number: u64, nonce: Nonce, tool: Tool, act: Act) {
        if matches!(act, Act::Write(_)) {
            let done = oneshot::channel().0;
            self.late.insert(number, Call { nonce, tool, act, done });
        }
    }

    pub fn forget_late(&mut self) {
        self.late.clear();
    }

    fn give_up(&mut self, number: u64) -> bool {
        let Some(call) = self.waiting.remove(&number) else {
            return false;
        };
        self.keep_late(number, call.nonce, call.tool, call.act);
        true
    }
}

impl State {
    fn send(
        &mut self,
        tool: &Tool,
        arguments: &str,
        act: Act,
    ) -> Result<(u64, oneshot::Receiver<Ended>), &'static str> {
        let listed = self.current(&tool.key).is_some_and(|now| now.digest == tool.digest);
        if !listed {
            return Err(if self.nonce().is_some() { REPLACED } else { NOT_ATTACHED });
        }
        let kind = match &act {
            Act::Write(_) => "write",
            Act::Read if is_companion(tool, self.tools()) => "preview",
            Act::Read => "read",
        };
        let number = self.calls.last + 1;
        // The arguments go out as the very bytes that were shown.
        let name = Value::from(tool.name.as_str());
        let message = format!(r#"{{"id":{number},"name":{name},"args":{arguments},"kind":"{kind}"}}"#);
        if !self.tell(message) {
            return Err(NOT_ATTACHED);
        }
        self.calls.last = number;
        let (done, ended) = oneshot::channel();
        let call = Call {
            nonce: self.nonce().cloned().flatten(),
            tool: tool.clone(),
            act,
            done,
        };
        self.calls.waiting.insert(number, call);
        Ok((number, ended))
    }

    /// The page's answer to a call; `false` when no such call waits for this page's answer.
    pub fn answered(&mut self, nonce: &Nonce, number: u64, ended: Ended) -> bool {
        let is_its = |call: &Call| call.nonce == *nonce;
        if self.calls.waiting.get(&number).is_some_and(is_its)
            && let Some(call) = self.calls.waiting.remove(&number)
        {
            return match (call.done.send(ended), call.act) {
                (Ok(()), _) => true,
                (Err(ended), Act::Write(proposal)) => self.told_late(proposal, call.tool, ended),
                (Err(_), Act::Read) => false,
            };
        }
        if !self.calls.late.get(&number).is_some_and(is_its) {
            return false;
        }
        match self.calls.late.remove(&number) {
            Some(Call {
                act: Act::Write(proposal),
                tool,
                ..
            }) => self.told_late(proposal, tool, ended),
            _ => false,
        }
    }

    fn told_late(&self, proposal: ProposalId, tool: Tool, ended: Ended) -> bool {
        self.report(DoorEvent::EndedLate {
            proposal,
            tool: Box::new(tool),
            ended: ended.executed(),
        });
        true
    }
}

impl Inner {
    pub async fn read(self: &Arc<Self>, pass: ReadPass, cancel: CancellationToken) -> Result<String, DoorError> {
        let sent = self.state().send(pass.tool(), pass.arguments(), Act::Read);
        let (number, ended) = sent.map_err(|why| DoorError::PageGone(why.into()))?;
        let _forgotten = Forget {
            inner: self.clone(),
            number,
        };
        tokio::select! {
            ended = ended => match ended {
                Ok(Ended::Said(text)) => Ok(text),
                Ok(Ended::Threw(words)) => Err(DoorError::Page(words)),
                Ok(Ended::Gone(words)) => Err(DoorError::PageGone(words)),
                Err(_) => Err(DoorError::PageGone(NOT_ATTACHED.into())),
            },
            () = self.clock.wait(CALL) => Err(DoorError::Page(unanswered(number, pass.tool()))),
            () = cancel.cancelled() => Err(DoorError::Cancelled),
        }
    }

    pub async fn execute(&self, ticket: Ticket) -> Executed {
        let Target::Call { tool, arguments } = ticket.target() else {
            return Executed::NotRun {
                message: "The relay holds nothing of the page's own, so there is nothing to let go.".into(),
            };
        };
        let act = Act::Write(ticket.proposal().clone());
        let sent = self.state().send(tool, arguments, act);
        let (number, mut ended) = match sent {
            Ok(sent) => sent,
            Err(why) => return Executed::NotRun { message: why.into() },
        };
        let in_time = tokio::select! {
            biased;
            ended = &mut ended => ended.ok(),
            () = self.clock.wait(CALL) => {
                let gave_up = self.state().calls.give_up(number);
                // Its answer may have come in the moment between.
                if gave_up { None } else { ended.try_recv().ok() }
            }
        };
        in_time.map_or_else(
            || Executed::Unknown {
                message: unanswered(number, tool),
            },
            Ended::executed,
        )
    }
}

fn unanswered(number: u64, tool: &Tool) -> String {
    let name = &tool.name;
    format!(
        "the page did not answer call {number} ({name}) within {} s",
        CALL.as_secs()
    )
}

/// Nobody waits for a read any more, however it ended.
struct Forget {
    inner: Arc<Inner>,
    number: u64,
}

impl Drop for Forget {
    fn drop(&mut self) {
        self.inner.state().calls.waiting.remove(&self.number);
    }
}
