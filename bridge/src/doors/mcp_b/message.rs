//! What the widget and the door tell each other: one JSON object a message, told apart by `type`.

use std::net::SocketAddr;

use countersign_contract::Tool;
use serde_json::{Value, json};

use super::super::relay::pushed::{self, Pushed};
use super::calls::Ended;

/// The widget's words for an answer that it did not wait for: the page's function may still be running.
const WIDGET_GAVE_UP: &str = "Host response timeout";
/// Its words for a page that went elsewhere in the middle.
const WENT_ELSEWHERE: &str = "Tool execution interrupted by navigation";
const NO_WORDS: &str = "The page says that the tool failed, and gives no words.";

/// What a page says.
pub(super) enum Said {
    Hello(Hello),
    /// All its tools.
    Tools(Vec<Pushed>),
    Result {
        call: u64,
        ended: Ended,
    },
    /// It is there.
    Pong,
}

/// How a page introduces itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hello {
    pub tab: String,
    pub origin: Option<String>,
    pub url: String,
    pub title: String,
}

impl Said {
    /// `None` for what is no message of the protocol; it is left aside.
    pub fn read(text: &str) -> Option<Self> {
        let message = serde_json::from_str::<Value>(text).ok()?;
        let string = |member: &str| message.get(member).and_then(Value::as_str).map(str::to_owned);
        match message.get("type")?.as_str()? {
            "hello" => Some(Self::Hello(Hello {
                tab: string("tabId")?,
                origin: string("origin"),
                url: string("url").unwrap_or_default(),
                title: string("title").unwrap_or_default(),
            })),
            "tools/list" | "tools/changed" => Some(Self::Tools(pushed::read(&message)?.into_values().collect())),
            "result" => Some(Self::Result {
                call: message.get("callId")?.as_str()?.parse().ok()?,
                ended: ended(message.get("result")?),
            }),
            "pong" => Some(Self::Pong),
            _ => None,
        }
    }
}

/// A result in the form of MCP's `CallToolResult`. What has another form is the page's answer as it stands.
fn ended(result: &Value) -> Ended {
    let text = words(result).unwrap_or_else(|| result.to_string());
    if result.get("isError") != Some(&Value::Bool(true)) {
        return Ended::Said(text);
    }
    if text.starts_with(WIDGET_GAVE_UP) || text == WENT_ELSEWHERE {
        return Ended::Unseen(text);
    }
    let is_empty = words(result).is_some_and(|words| words.is_empty());
    Ended::Threw(if is_empty { NO_WORDS.into() } else { text })
}

/// The words of a result that is nothing but words.
fn words(result: &Value) -> Option<String> {
    let members = result.as_object()?;
    let only_words = members
        .iter()
        .all(|(name, value)| matches!(&**name, "content" | "isError") || value.is_null());
    let parts = members.get("content")?.as_array()?;
    let part = |part: &Value| {
        let is_text = part.get("type").and_then(Value::as_str) == Some("text");
        part.get("text")
            .and_then(Value::as_str)
            .filter(|_| is_text)
            .map(str::to_owned)
    };
    let parts = parts.iter().map(part).collect::<Option<Vec<_>>>()?;
    only_words.then(|| parts.join("\n"))
}

/// What each connection is told first; the widget takes nothing else for a relay.
pub(super) fn server_hello(address: SocketAddr, instance: &str) -> String {
    json!({
        "type": "server-hello",
        "service": "webmcp-local-relay",
        "version": 1,
        "host": address.ip().to_string(),
        "port": address.port(),
        "instanceId": instance,
        "relayId": instance,
        "label": "Countersign",
    })
    .to_string()
}

pub(super) const PING: &str = r#"{"type":"ping"}"#;

/// Asks the page to run a tool. The arguments go out as the very bytes that were shown.
pub(super) fn invoke(call: u64, tool: &Tool, arguments: &str) -> String {
    let name = Value::from(tool.name.as_str());
    format!(r#"{{"type":"invoke","callId":"{call}","toolName":{name},"args":{arguments}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(result: Value) -> Ended {
        ended(&result)
    }

    fn text(text: &str) -> Value {
        json!([{ "type": "text", "text": text }])
    }

    #[test]
    fn a_result_of_words_is_its_words_and_any_other_is_passed_on_whole() {
        assert_eq!(of(json!({ "content": text("done") })), Ended::Said("done".into()));
        let structured = json!({ "content": text("done"), "structuredContent": { "a": 1 } });
        assert_eq!(of(structured.clone()), Ended::Said(structured.to_string()));
        assert_eq!(of(json!({})), Ended::Said("{}".into()));
        assert_eq!(of(json!("plain")), Ended::Said("\"plain\"".into()));
    }

    #[test]
    fn an_error_is_a_failure_unless_the_widget_says_that_it_did_not_see_the_end() {
        let error = |words: &str| of(json!({ "isError": true, "content": text(words) }));
        assert_eq!(error("sold out"), Ended::Threw("sold out".into()));
        assert_eq!(error(""), Ended::Threw(NO_WORDS.into()));
        let unseen = "Host response timeout: webmcp.tools.invoke";
        assert_eq!(error(unseen), Ended::Unseen(unseen.into()));
        assert_eq!(error(WENT_ELSEWHERE), Ended::Unseen(WENT_ELSEWHERE.into()));
        // Only `true` is an error; anything else is an answer.
        assert_eq!(
            of(json!({ "isError": "true", "content": text("a") })),
            Ended::Said("a".into())
        );
    }

    #[test]
    fn what_is_no_message_is_left_aside() {
        for torn in [
            "",
            "{",
            "[]",
            "null",
            "7",
            r#"{"type":"hello"}"#,
            r#"{"type":"tools/list"}"#,
            r#"{"type":"result","callId":1,"result":{}}"#,
            r#"{"type":"result","callId":"x","result":{}}"#,
            r#"{"type":"result","callId":"1"}"#,
            r#"{"type":"relay/hello"}"#,
        ] {
            assert!(Said::read(torn).is_none(), "{torn}");
        }
    }
}
