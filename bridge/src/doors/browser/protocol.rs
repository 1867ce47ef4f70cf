//! The part of the Chrome DevTools Protocol the door hears. Everything comes from a process that runs the page: what does not
//! fit these shapes is logged and skipped.

use serde::Deserialize;
use serde_json::Value;

/// A message from the browser: an answer (`id`) or an event (`method`).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Message {
    pub id: Option<u64>,
    pub method: Option<String>,
    pub session_id: Option<String>,
    #[serde(default)]
    pub params: Value,
    #[serde(default)]
    pub result: Value,
    pub error: Option<ErrorBody>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorBody {
    pub message: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetInfo {
    pub target_id: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub url: String,
    pub opener_id: Option<String>,
    pub parent_frame_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttachedToTarget {
    pub session_id: String,
    pub target_info: TargetInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DetachedFromTarget {
    pub session_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetInfoChanged {
    pub target_info: TargetInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTree {
    pub frame: Frame,
    #[serde(default)]
    pub child_frames: Vec<FrameTree>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Frame {
    pub id: String,
    pub parent_id: Option<String>,
    #[serde(default)]
    pub loader_id: String,
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub security_origin: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct FrameNavigated {
    pub frame: Frame,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NavigatedWithinDocument {
    pub frame_id: String,
    pub url: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfFrame {
    pub frame_id: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ContextCreated {
    pub context: Context,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Context {
    pub id: i64,
    pub name: String,
    #[serde(default)]
    pub aux_data: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextDestroyed {
    pub execution_context_id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BindingCalled {
    pub name: String,
    pub payload: String,
    pub execution_context_id: i64,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToolsAdded {
    pub tools: Vec<BrowserTool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BrowserTool {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub input_schema: Value,
    #[serde(default)]
    pub annotations: BrowserAnnotations,
    pub frame_id: String,
    pub backend_node_id: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct BrowserAnnotations {
    pub read_only: bool,
    pub untrusted_content: bool,
    pub consequential: bool,
    pub autosubmit: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToolsRemoved {
    pub tools: Vec<RemovedTool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RemovedTool {
    pub name: String,
    pub frame_id: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolInvoked {
    pub tool_name: String,
    pub frame_id: String,
    pub invocation_id: String,
    #[serde(default)]
    pub input: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolResponded {
    pub invocation_id: String,
    pub status: String,
    pub output: Option<Value>,
    #[serde(default)]
    pub error_text: String,
    #[serde(default)]
    pub exception: Value,
}

impl ToolResponded {
    /// What the caller gets: text as it is, anything else as JSON text.
    pub fn text(&self) -> String {
        match &self.output {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        }
    }

    /// Why the call did not complete, in the page's or the browser's words.
    pub fn failure(&self) -> String {
        let thrown = self.exception["description"]
            .as_str()
            .or_else(|| self.exception["value"].as_str())
            .map(|words| {
                // The stack is the page's business.
                words
                    .lines()
                    .take_while(|line| !line.trim_start().starts_with("at "))
                    .collect::<Vec<_>>()
                    .join("\n")
            });
        match thrown {
            Some(words) if !words.trim().is_empty() => words,
            _ if !self.error_text.is_empty() => self.error_text.clone(),
            _ if self.status == "Canceled" => "the call was cancelled".into(),
            _ => "the page's function failed and gave no reason".into(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestPaused {
    pub request_id: String,
    pub request: Request,
    #[serde(default)]
    pub frame_id: String,
    #[serde(default)]
    pub resource_type: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub url: String,
    #[serde(default)]
    pub url_fragment: String,
    pub method: String,
    #[serde(default)]
    pub headers: serde_json::Map<String, Value>,
    pub post_data: Option<String>,
    #[serde(default)]
    pub has_post_data: bool,
    #[serde(default)]
    pub post_data_entries: Vec<PostDataEntry>,
}

impl Request {
    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(other, _)| other.eq_ignore_ascii_case(name))?.1.as_str()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct PostDataEntry {
    pub bytes: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn responded(value: Value) -> ToolResponded {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_result_is_text_as_it_is_and_json_otherwise() {
        let text =
            |output: Value| responded(json!({"invocationId": "i", "status": "Completed", "output": output})).text();
        assert_eq!(text(json!("5 pots")), "5 pots");
        assert_eq!(text(json!({"a": [1, null]})), r#"{"a":[1,null]}"#);
        assert_eq!(
            responded(json!({"invocationId": "i", "status": "Completed"})).text(),
            ""
        );
    }

    #[test]
    fn a_failure_is_the_words_that_were_thrown_without_the_stack() {
        let thrown = json!({"invocationId": "i", "status": "Error", "errorText": "",
            "exception": {"description": "Error: no such pot\n    at execute (https://shop.example/:3:9)"}});
        assert_eq!(responded(thrown).failure(), "Error: no such pot");
        let plain = json!({"invocationId": "i", "status": "Error", "errorText": "bad input"});
        assert_eq!(responded(plain).failure(), "bad input");
    }
}
