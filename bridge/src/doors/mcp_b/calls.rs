use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use countersign_contract::{ProposalId, Tool};
use countersign_gate::{ReadPass, Target, Ticket};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::state::State;
use super::{Inner, message};
use crate::{DoorError, DoorEvent, Executed};

/// How long a page may take to answer a call. The widget itself waits 10 s.
const CALL: Duration = Duration::from_secs(15);
/// How many answers that did not come in time are still waited for.
const MOST_LATE: usize = 1000;

const REPLACED: &str = "The page has replaced or removed this tool since it was shown. Nothing was run.";
const NOT_CONNECTED: &str =
    "The page is not connected now: it was closed or left, or its connection was lost. Nothing was run.";

/// What pages are asked, by number. Numbers are never given twice while the app runs.
#[derive(Default)]
pub(super) struct Calls {
    last: u64,
    waiting: BTreeMap<u64, Call>,
    /// Released writes whose end nobody saw in time, and that the page may still tell.
    late: HashMap<u64, Call>,
}

struct Call {
    /// The connection it was sent over. An answer over any other is none.
    connection: u64,
    /// The write it is and its tool; `None` for a read.
    write: Option<(ProposalId, Tool)>,
    done: oneshot::Sender<Ended>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The page's function resolved.
    Said(String),
    /// The page's function threw.
    Threw(String),
    /// The widget did not see the end.
    Unseen(String),
    /// Its page has gone.
    Gone(String),
}

impl Ended {
    fn executed(self) -> Executed {
        match self {
            Self::Said(result) => Executed::Committed { result },
            Self::Threw(message) => Executed::Failed { message },
            Self::Unseen(words) | Self::Gone(words) => Executed::Unknown {
                message: format!("{words} The call had been sent; it may or may not have run."),
            },
        }
    }
}

impl Calls {
    pub fn end_all_of(&mut self, connection: u64, ended: &Ended) {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (over, others) = waiting.partition::<BTreeMap<_, _>, _>(|(_, call)| call.connection == connection);
        self.waiting = others;
        for call in over.into_values() {
            let _ = call.done.send(ended.clone());
        }
        self.late.retain(|_, call| call.connection != connection);
    }

    pub fn forget_late(&mut self) {
        self.late.clear();
    }

    fn give_up(&mut self, number: u64) -> bool {
        let Some(call) = self.waiting.remove(&number) else {
            return false;
        };
        if self.late.len() < MOST_LATE {
            self.late.insert(number, call);
        }
        true
    }
}

impl State {
    fn send(
        &mut self,
        tool: &Tool,
        arguments: &str,
        write: Option<ProposalId>,
    ) -> Result<(u64, oneshot::Receiver<Ended>), &'static str> {
        let listed = self.current(&tool.key).filter(|(_, now)| now.digest == tool.digest);
        let Some((connection, _)) = listed else {
            let is_there = self.tools_of(&tool.page.document).is_some();
            return Err(if is_there { REPLACED } else { NOT_CONNECTED });
        };
        let number = self.calls.last + 1;
        if !self.tell(connection, message::invoke(number, tool, arguments)) {
            return Err(NOT_CONNECTED);
        }
        self.calls.last = number;
        let (done, ended) = oneshot::channel();
        let call = Call {
            connection,
            write: write.map(|proposal| (proposal, tool.clone())),
            done,
        };
        self.calls.waiting.insert(number, call);
        Ok((number, ended))
    }

    /// The page's answer to a call. One that waits for another page's answer, or for none, is left aside.
    pub fn answered(&mut self, connection: u64, number: u64, ended: Ended) {
        let is_its = |call: &Call| call.connection == connection;
        if self.calls.waiting.get(&number).is_some_and(is_its)
            && let Some(call) = self.calls.waiting.remove(&number)
        {
            if let Err(ended) = call.done.send(ended) {
                self.told_late(call.write, ended);
            }
        } else if self.calls.late.get(&number).is_some_and(is_its) {
            let write = self.calls.late.remove(&number).and_then(|call| call.write);
            self.told_late(write, ended);
        } else {
            tracing::warn!(number, "an mcp-b page answered what it was not asked");
        }
    }

    fn told_late(&self, write: Option<(ProposalId, Tool)>, ended: Ended) {
        if let Some((proposal, tool)) = write {
            self.report(DoorEvent::EndedLate {
                proposal,
                tool: Box::new(tool),
                ended: ended.executed(),
            });
        }
    }
}

impl Inner {
    pub async fn read(self: &Arc<Self>, pass: ReadPass, cancel: CancellationToken) -> Result<String, DoorError> {
        let sent = self.state().send(pass.tool(), pass.arguments(), None);
        let (number, ended) = sent.map_err(|why| DoorError::PageGone(why.into()))?;
        let _forgotten = Forget {
            inner: self.clone(),
            number,
        };
        tokio::select! {
            ended = ended => match ended {
                Ok(Ended::Said(text)) => Ok(text),
                Ok(Ended::Threw(words) | Ended::Unseen(words)) => Err(DoorError::Page(words)),
                Ok(Ended::Gone(words)) => Err(DoorError::PageGone(words)),
                Err(_) => Err(DoorError::PageGone(NOT_CONNECTED.into())),
            },
            () = self.clock.wait(CALL) => Err(DoorError::Page(unanswered(pass.tool()))),
            // The protocol has no word for it: the page is not told, and its answer is left aside.
            () = cancel.cancelled() => Err(DoorError::Cancelled),
        }
    }

    pub async fn execute(&self, ticket: Ticket) -> Executed {
        let Target::Call { tool, arguments } = ticket.target() else {
            return Executed::NotRun {
                message: "This door holds nothing of the page's own, so there is nothing to let go.".into(),
            };
        };
        let sent = self.state().send(tool, arguments, Some(ticket.proposal().clone()));
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
                message: unanswered(tool),
            },
            Ended::executed,
        )
    }
}

fn unanswered(tool: &Tool) -> String {
    format!(
        "The page did not answer the call of {} within {} s.",
        tool.name,
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
