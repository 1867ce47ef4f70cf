use std::collections::HashSet;

use countersign_model::Message;

use crate::prompt::SYSTEM;

/// Puts a prompt at the end of a history that is made valid first: the desk's rules stand at the front, every call has a
/// result, and the person and the model take turns. A turn that was dropped in the middle leaves none of that behind.
pub(crate) fn begin(history: &mut Vec<Message>, prompt: String) {
    history.retain(|message| !matches!(message, Message::System(_)));
    history.insert(0, Message::System(SYSTEM.into()));
    complete(history);
    end(history, "(This turn was ended.)");
    history.push(Message::User(prompt));
}

/// Ends a turn that has no last word of the model, so that the next prompt follows an answer.
pub(crate) fn end(history: &mut Vec<Message>, note: &str) {
    let open = !matches!(
        history.last(),
        Some(Message::System(_) | Message::Assistant { .. }) | None
    );
    if open {
        history.push(Message::Assistant {
            text: note.into(),
            calls: Vec::new(),
        });
    }
}

fn complete(history: &mut Vec<Message>) {
    let mut at = 0;
    while at < history.len() {
        let Message::Assistant { calls, .. } = &history[at] else {
            at += 1;
            continue;
        };
        let calls = calls.clone();
        at += 1;
        let results = history[at..].iter().map_while(|message| match message {
            Message::ToolResult { call_id, .. } => Some(call_id.clone()),
            _ => None,
        });
        let answered: HashSet<_> = results.collect();
        at += answered.len();
        for call in calls.into_iter().filter(|call| !answered.contains(&call.id)) {
            let text = "It is not known how this call ended. It may have happened; do not repeat it.".into();
            history.insert(
                at,
                Message::ToolResult {
                    call_id: call.id,
                    name: call.name,
                    text,
                },
            );
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_model::{Message, ModelCall};
    use serde_json::Map;

    use super::begin;
    use crate::prompt::SYSTEM;

    fn call(id: &str) -> ModelCall {
        ModelCall {
            id: id.into(),
            name: "add".into(),
            arguments: Ok(Map::new()),
        }
    }

    #[test]
    fn a_turn_that_was_dropped_is_completed_before_the_next() {
        let asked = Message::Assistant {
            text: String::new(),
            calls: vec![call("a"), call("b")],
        };
        let result = |id: &str, text: &str| Message::ToolResult {
            call_id: id.into(),
            name: "add".into(),
            text: text.into(),
        };
        let mut history = vec![Message::User("one".into()), asked.clone(), result("a", "done")];
        begin(&mut history, "two".into());
        let expected = [
            Message::System(SYSTEM.into()),
            Message::User("one".into()),
            asked,
            result("a", "done"),
            result(
                "b",
                "It is not known how this call ended. It may have happened; do not repeat it.",
            ),
            Message::Assistant {
                text: "(This turn was ended.)".into(),
                calls: Vec::new(),
            },
            Message::User("two".into()),
        ];
        assert_eq!(history, expected);
    }

    #[test]
    fn a_new_history_begins_with_the_rules() {
        let mut history = Vec::new();
        begin(&mut history, "one".into());
        assert_eq!(history, [Message::System(SYSTEM.into()), Message::User("one".into())]);
    }
}
