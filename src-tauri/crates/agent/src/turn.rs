use countersign_contract::{ChatItem, ErrorView};
use countersign_model::{Delta, Message, ModelCall, ModelError, Provider, Stop, TurnReply, TurnRequest};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::call::Errand;
use crate::offer::Offer;
use crate::saying::Saying;
use crate::{Host, history};

/// How far one turn may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Replies of the model before the turn stops; at least 1.
    pub rounds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rounds: 12 }
    }
}

/// How a turn ended. The conversation says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model had its last word.
    Done,
    /// A limit, a filter or an empty reply ended it.
    Stopped,
    /// The person ended it.
    Cancelled,
    /// The model could not be asked, or its reply could not be used.
    Failed,
}

/// Why a turn ended before its last word.
enum Cut {
    Cancelled,
    Stopped(String),
    Failed(ErrorView),
}

/// Takes one prompt to its end: asks the model, shows its text as it streams, carries out its calls in order, and asks
/// again, until it has nothing more to call. The list of tools is read anew for every round.
///
/// `history` is what the model knows; pass the same one for every turn of a conversation. It is valid when this returns,
/// however the turn ended: every call has a result, and prompts and answers take turns.
///
/// Cancelling at any moment drops the model's stream, ends a running read and takes a held write back.
pub async fn run_turn(
    host: &dyn Host,
    provider: &dyn Provider,
    history: &mut Vec<Message>,
    prompt: String,
    limits: Limits,
    cancel: CancellationToken,
) -> TurnEnd {
    host.push(ChatItem::Prompt { text: prompt.clone() });
    history::begin(history, prompt);
    let Err(cut) = rounds(host, provider, history, limits, &cancel).await else {
        return TurnEnd::Done;
    };
    let (end, item, note) = match cut {
        Cut::Cancelled => {
            let message = "Cancelled. What was held is taken back; what was released before stays as it is.".to_owned();
            (
                TurnEnd::Cancelled,
                ChatItem::Stopped { message },
                "(The person cancelled this turn.)",
            )
        }
        Cut::Stopped(message) => (
            TurnEnd::Stopped,
            ChatItem::Stopped { message },
            "(This turn was stopped here.)",
        ),
        Cut::Failed(error) => (
            TurnEnd::Failed,
            ChatItem::Failed(error),
            "(This turn failed before an answer.)",
        ),
    };
    host.push(item);
    history::end(history, note);
    end
}

async fn rounds(
    host: &dyn Host,
    provider: &dyn Provider,
    history: &mut Vec<Message>,
    limits: Limits,
    cancel: &CancellationToken,
) -> Result<(), Cut> {
    let mut errand = Errand::new(host, provider.label(), cancel.clone());
    let most = limits.rounds.max(1);
    for _ in 0..most {
        let tools = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Cut::Cancelled),
            tools = host.tools() => tools,
        };
        let offer = Offer::new(tools);
        let request = TurnRequest {
            messages: history.clone(),
            tools: offer.specs(),
        };
        let (reply, said) = listen(host, provider, &request, cancel).await;
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                keep(history, said);
                return Err(if error == ModelError::Cancelled {
                    Cut::Cancelled
                } else {
                    Cut::Failed(error.view())
                });
            }
        };
        let calls = match reply.stop {
            Stop::Calls if !reply.calls.is_empty() => reply.calls,
            Stop::End | Stop::Calls if said.trim().is_empty() => return Err(Cut::Stopped(EMPTY.into())),
            Stop::End | Stop::Calls => {
                keep(history, said);
                return Ok(());
            }
            Stop::Length | Stop::Filter => {
                keep(history, said);
                return Err(Cut::Stopped(
                    if reply.stop == Stop::Length { LENGTH } else { FILTER }.into(),
                ));
            }
        };
        let named = |call: &ModelCall| ModelCall {
            name: offer.name(&call.name),
            ..call.clone()
        };
        history.push(Message::Assistant {
            text: said,
            calls: calls.iter().map(named).collect(),
        });
        for call in calls {
            let text = errand.run(&offer, &call).await;
            history.push(Message::ToolResult {
                name: offer.name(&call.name),
                call_id: call.id,
                text,
            });
        }
        if cancel.is_cancelled() {
            return Err(Cut::Cancelled);
        }
    }
    Err(Cut::Stopped(format!(
        "Stopped after {most} rounds of model and tools, which is the limit in the settings. Nothing is running. Say how to \
         go on, or raise the limit."
    )))
}

const EMPTY: &str = "The model answered with nothing. Send the prompt again in other words, or pick another model.";
const LENGTH: &str = "The model's answer was cut off at its length limit. No tool call of it was made. Ask for less at once, \
                      or pick a model that can answer at greater length.";
const FILTER: &str = "The model's provider ended the answer with its content filter. No tool call of it was made. Put the \
                      prompt in other words, or pick another model.";

fn keep(history: &mut Vec<Message>, said: String) {
    if !said.trim().is_empty() {
        history.push(Message::Assistant {
            text: said,
            calls: Vec::new(),
        });
    }
}

/// Asks for one reply and shows its text as it comes. What was said is returned even if the reply failed.
async fn listen(
    host: &dyn Host,
    provider: &dyn Provider,
    request: &TurnRequest,
    cancel: &CancellationToken,
) -> (Result<TurnReply, ModelError>, String) {
    let (tell, mut told) = mpsc::unbounded_channel();
    let mut sink = move |delta: Delta| drop(tell.send(delta));
    let mut saying = Saying::new(host);
    let reply = {
        let mut turn = provider.turn(request, &mut sink, cancel);
        loop {
            let due = saying.due();
            tokio::select! {
                biased;
                () = cancel.cancelled() => break Err(ModelError::Cancelled),
                reply = &mut turn => break reply,
                Some(Delta::Text(text)) = told.recv() => saying.add(&text),
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => saying.show(false),
            }
        }
    };
    while let Ok(Delta::Text(text)) = told.try_recv() {
        saying.add(&text);
    }
    let said = saying.finish(reply.as_ref().ok().map(|reply| reply.text.as_str()));
    (reply, said)
}
