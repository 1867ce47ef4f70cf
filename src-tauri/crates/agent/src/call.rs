use std::collections::HashMap;
use std::time::Duration;

use countersign_contract::{Answer, CallState, ChatItem, ProposalId, Tool, ToolCall, Verdict};
use countersign_model::ModelCall;
use serde_json::Value;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::fence::page_data;
use crate::offer::{Offer, identity};
use crate::{Asked, Host};

/// Carries out the calls of one task: a prompt and all that follows from it.
pub(crate) struct Errand<'a> {
    host: &'a dyn Host,
    caller: String,
    cancel: CancellationToken,
    /// Writes that were refused in this task, by tool and canonical arguments.
    refused: HashMap<(String, String), (ProposalId, Answer)>,
    /// After a cancel, how long a write is waited for that was released already and cannot be taken back.
    grace: Duration,
}

const GRACE: Duration = Duration::from_secs(2);

/// A name a model made up can be of any length.
const LONGEST_NAME: usize = 128;

impl<'a> Errand<'a> {
    pub(crate) fn new(host: &'a dyn Host, caller: String, cancel: CancellationToken) -> Self {
        Self {
            host,
            caller,
            cancel,
            refused: HashMap::new(),
            grace: GRACE,
        }
    }

    /// Carries out one call and returns what the model is told.
    pub(crate) async fn run(&mut self, offer: &Offer, call: &ModelCall) -> String {
        let name = call.name.chars().take(LONGEST_NAME).collect::<String>();
        let tool = offer.find(&call.name);
        let mut shown = ToolCall {
            tool: tool.map_or(name.clone(), |tool| tool.name.clone()),
            origin: tool.map(|tool| tool.page.origin.clone()).unwrap_or_default(),
            arguments: call.arguments.clone().map(Value::Object).unwrap_or_default(),
            state: CallState::Running,
            duration_ms: None,
        };
        let (tool, arguments) = match (tool, &call.arguments) {
            _ if self.cancel.is_cancelled() => {
                shown.state = CallState::Cancelled;
                self.host.push(ChatItem::Call(shown));
                return "Not called: the person cancelled.".into();
            }
            (None, _) => return self.fail(shown, offer.unknown(&name)),
            (_, Err(message)) => return self.fail(shown, message.clone()),
            (Some(tool), Ok(arguments)) => (tool, Value::Object(arguments.clone())),
        };
        let key = (identity(tool), canonical(&arguments));
        if let Some((proposal, answer)) = self.refused.get(&key).cloned() {
            let text = format!(
                "This very call was refused before in this task, so it was not asked again. {}",
                answer.text
            );
            let answer = Answer {
                text: text.clone(),
                ..answer
            };
            shown.state = CallState::Decided { proposal, answer };
            self.host.push(ChatItem::Call(shown));
            return text;
        }
        let entry = self.host.push(ChatItem::Call(shown.clone()));
        self.ask(tool, arguments, entry, shown, key).await
    }

    fn fail(&self, shown: ToolCall, message: String) -> String {
        self.host.push(ChatItem::Call(ToolCall {
            state: CallState::Failed {
                message: message.clone(),
            },
            ..shown
        }));
        message
    }

    async fn ask(
        &mut self,
        tool: &Tool,
        arguments: Value,
        entry: u64,
        mut shown: ToolCall,
        key: (String, String),
    ) -> String {
        let begun = Instant::now();
        // Never dropped half-way: an ask that was answered with a held write nobody knows of would wait for ever.
        let asked = self
            .host
            .ask(&tool.key, arguments, &self.caller, self.cancel.child_token())
            .await;
        let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (state, told) = match asked {
            Asked::Read { result } => {
                shown.duration_ms = Some(took);
                let told = page_data("The page answered.", &result);
                (CallState::Read { result }, told)
            }
            Asked::Failed { .. } if self.cancel.is_cancelled() => (
                CallState::Cancelled,
                "The person cancelled while this was running. Its answer is not known.".into(),
            ),
            Asked::Failed { message } => {
                shown.duration_ms = Some(took);
                let told = page_data("The call did not succeed. What was reported follows.", &message);
                (CallState::Failed { message }, told)
            }
            Asked::TurnedAway { message } => (
                CallState::Failed {
                    message: message.clone(),
                },
                message,
            ),
            Asked::Held { proposal } => {
                let state = CallState::Held {
                    proposal: proposal.clone(),
                };
                self.host
                    .update(entry, ChatItem::Call(ToolCall { state, ..shown.clone() }));
                let answer = self.decision(&proposal).await;
                if answer.verdict == Verdict::Refused {
                    self.refused.insert(key, (proposal.clone(), answer.clone()));
                }
                let told = told(&answer);
                (CallState::Decided { proposal, answer }, told)
            }
        };
        shown.state = state;
        self.host.update(entry, ChatItem::Call(shown));
        told
    }

    /// Waits for the decision without a limit; a cancel takes the write back.
    async fn decision(&self, proposal: &ProposalId) -> Answer {
        tokio::select! {
            biased;
            answer = self.host.settled(proposal) => return answer,
            () = self.cancel.cancelled() => {}
        }
        self.host.withdraw(proposal).await;
        // It may have been released the moment before. Only its end says which; if that does not come, neither do we know.
        timeout(self.grace, self.host.settled(proposal)).await.unwrap_or_else(|_| Answer {
            verdict: Verdict::Released,
            text: "This was released before it could be taken back, and it is still running. How it ends is not known here."
                .into(),
            by_rule: None,
        })
    }
}

/// What the model is told of a decision. Where the page had a say, its words are data; the desk's and the person's are not.
fn told(answer: &Answer) -> String {
    let intro = match answer.verdict {
        Verdict::Committed => "The write was released and carried out. Do not make it again unless the person asks.",
        Verdict::Failed => "The write was released, and the page reports that it failed. Do not repeat it by yourself.",
        Verdict::PageWaits => {
            "The write was released, and a gate of the page's own still holds it: it has neither succeeded nor failed. Do not repeat it."
        }
        Verdict::PageDeclined => {
            "The write was released, and a gate of the page's own did not let it through. Do not repeat it by yourself."
        }
        Verdict::Unknown | Verdict::Released => {
            "The write was released, and it is not known how it ended. It may have happened: never repeat it."
        }
        Verdict::Held
        | Verdict::Granted
        | Verdict::Refused
        | Verdict::Expired
        | Verdict::Repriced
        | Verdict::Withdrawn
        | Verdict::PageGone => return answer.text.clone(),
    };
    page_data(intro, &answer.text)
}

fn canonical(arguments: &Value) -> String {
    serde_json_canonicalizer::to_string(arguments).unwrap_or_else(|_| arguments.to_string())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use async_trait::async_trait;
    use countersign_contract::{Answer, ChatItem, ProposalId, Tool, ToolKey, Verdict};
    use serde_json::Value;
    use tokio_util::sync::CancellationToken;

    use super::Errand;
    use crate::{Asked, Host};

    /// A desk whose write was released and never ends.
    struct Stuck;

    #[async_trait]
    impl Host for Stuck {
        async fn tools(&self) -> Vec<Tool> {
            Vec::new()
        }
        async fn ask(&self, _: &ToolKey, _: Value, _: &str, _: CancellationToken) -> Asked {
            Asked::Failed {
                message: "not asked here".into(),
            }
        }
        async fn settled(&self, _: &ProposalId) -> Answer {
            std::future::pending().await
        }
        async fn withdraw(&self, _: &ProposalId) {}
        fn push(&self, _: ChatItem) -> u64 {
            1
        }
        fn update(&self, _: u64, _: ChatItem) {}
    }

    #[tokio::test]
    async fn a_write_that_cannot_be_taken_back_does_not_keep_a_cancel_waiting() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let errand = Errand {
            grace: Duration::ZERO,
            ..Errand::new(&Stuck, "m".into(), cancel)
        };
        let answer = errand.decision(&ProposalId("p1".into())).await;
        assert_eq!(answer.verdict, Verdict::Released);
        assert!(
            answer.text.contains("released before it could be taken back"),
            "{}",
            answer.text
        );
    }
}
