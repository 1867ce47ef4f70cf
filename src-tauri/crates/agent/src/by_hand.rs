use countersign_contract::{CallState, ChatItem, ToolCall, ToolKey};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{Asked, Host};

/// Who a call by hand is said to come from.
pub const BY_HAND: &str = "The panel (by hand)";

/// Carries out one call with no model between, and shows it in the conversation as it goes.
pub async fn call_by_hand(host: &dyn Host, key: &ToolKey, arguments: Value) {
    let tool = host.tools().await.into_iter().find(|tool| tool.key == *key);
    let mut shown = ToolCall {
        tool: tool.as_ref().map_or_else(|| key.0.clone(), |tool| tool.name.clone()),
        origin: tool.map(|tool| tool.page.origin).unwrap_or_default(),
        arguments: arguments.clone(),
        state: CallState::Running,
        duration_ms: None,
    };
    let entry = host.push(ChatItem::Call(shown.clone()));
    let begun = Instant::now();
    let asked = host.ask(key, arguments, BY_HAND, CancellationToken::new()).await;
    shown.duration_ms = u64::try_from(begun.elapsed().as_millis()).ok();
    shown.state = match asked {
        Asked::Read { result } => CallState::Read { result },
        Asked::TurnedAway { message } | Asked::Failed { message } => CallState::Failed { message },
        Asked::Held { proposal } => {
            shown.state = CallState::Held {
                proposal: proposal.clone(),
            };
            host.update(entry, ChatItem::Call(shown.clone()));
            let answer = host.settled(&proposal).await;
            CallState::Decided { proposal, answer }
        }
    };
    host.update(entry, ChatItem::Call(shown));
}
