use std::time::Duration;

use serde_json::Value;

use crate::ModelError;

/// Whom a turn was asked of; names the parties in every error.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub(crate) server: String,
    pub(crate) model: String,
    pub(crate) ollama: bool,
}

impl Who {
    pub(crate) fn reply(&self, why: impl Into<String>) -> ModelError {
        ModelError::Reply {
            server: self.server.clone(),
            why: why.into(),
        }
    }

    pub(crate) fn unreachable(&self, why: impl Into<String>) -> ModelError {
        ModelError::Unreachable {
            server: self.server.clone(),
            why: why.into(),
        }
    }
}

/// An error as a server tells it: with an HTTP status, or in the middle of a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) status: Option<u16>,
    pub(crate) code: String,
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) retry_after: Option<Duration>,
}

const MOST_WORDS: usize = 300;

impl Fault {
    /// Reads the body of an error answer: `{"error": {…}}`, `{"error": "…"}`, `{"detail": …}`, other JSON, or text.
    pub(crate) fn of_body(status: u16, body: &str) -> Self {
        let fault = match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::of_value(&value),
            // A proxy's HTML page helps nobody.
            Err(_) if body.trim_start().starts_with('<') => Self::default(),
            Err(_) => Self {
                message: words(body),
                ..Self::default()
            },
        };
        Self {
            status: Some(status),
            ..fault
        }
    }

    /// Reads an error object, wherever its members are.
    pub(crate) fn of_value(value: &Value) -> Self {
        let inner = match &value["error"] {
            Value::Null => value,
            error => error,
        };
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let detail = &inner["detail"];
        let message = [inner, &inner["message"], detail, &detail[0]["msg"], &inner["status"]]
            .into_iter()
            .map(&text)
            .find(|message| !message.is_empty())
            .unwrap_or_default();
        let code = text(&inner["code"]);
        Self {
            status: code.parse().ok().filter(|status| (300..600).contains(status)),
            kind: text(&inner["type"]),
            message: words(&message),
            code,
            retry_after: None,
        }
    }

    /// The error in our terms. The order matters: servers reuse a status for several things and tell them apart in words.
    pub(crate) fn explain(self, who: &Who) -> ModelError {
        let Who { server, model, ollama } = who.clone();
        let said = self.message.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
        let coded = |names: &[&str]| names.contains(&self.code.as_str()) || names.contains(&self.kind.as_str());
        let status = self.status.unwrap_or_default();

        if status == 402 || coded(QUOTA) || (status == 429 && says(&["usage limit", "insufficient", "quota", "credit"]))
        {
            return ModelError::Quota { server };
        }
        if status == 413
            || coded(&["context_length_exceeded", "exceed_context_size_error"])
            || says(&[
                "context length",
                "context size",
                "context window",
                "maximum context",
                "input length exceeds",
                "prompt is too long",
                "no user query found",
            ])
        {
            return ModelError::Context { model };
        }
        if says(&[
            "not support tools",
            "not support tool",
            "not support function",
            "support tool use",
            "tools param requires",
        ]) {
            return ModelError::NoTools { model };
        }
        if status == 401 || coded(&["authentication_error", "invalid_api_key"]) {
            let why = if ollama {
                "it asks to sign in"
            } else {
                "the key is missing or wrong"
            };
            return ModelError::Key {
                server,
                why: why.into(),
            };
        }
        if status == 403 {
            return ModelError::Key {
                server,
                why: self.said("it answers 403, not allowed"),
            };
        }
        let names_model = says(&["model"])
            && says(&[
                "not found",
                "not exist",
                "unknown model",
                "invalid model",
                "no such model",
            ]);
        if coded(&["model_not_found"]) || (matches!(status, 0 | 400 | 404) && names_model) {
            let hint = if ollama {
                format!("Pick another in the settings, or run `ollama pull {model}` in a terminal.")
            } else {
                "Pick another in the settings.".into()
            };
            return ModelError::UnknownModel { server, model, hint };
        }
        if matches!(status, 429 | 503 | 529)
            || coded(&[
                "rate_limit_exceeded",
                "slow_down",
                "overloaded_error",
                "server_overloaded",
            ])
            || says(&["server busy", "maximum pending requests", "loading model"])
        {
            return ModelError::Busy {
                server,
                retry_after: self.retry_after,
            };
        }
        match status {
            404 | 405 if ollama => {
                who.unreachable(format!("something answers there with {status}, but it is not Ollama"))
            }
            404 | 405 => who.unreachable(format!(
                "it answers {status} at this address, which usually ends in /v1"
            )),
            502 | 504 => who.unreachable(format!("something between us answers {status}")),
            300..400 => who.unreachable(format!("it answers {status} and points to another address")),
            _ if says(&["parsing tool call"]) => who.reply("the model wrote a tool call that the server cannot read"),
            0 => who.reply(format!("it holds an error: {}", self.said("without words"))),
            _ => who.reply(format!("it answers {status}: {}", self.said("without words"))),
        }
    }

    fn said(&self, otherwise: &str) -> String {
        if self.message.is_empty() {
            otherwise.into()
        } else {
            format!("“{}”", self.message)
        }
    }
}

const QUOTA: &[&str] = &[
    "insufficient_quota",
    "credit_balance_exhausted",
    "billing_hard_limit_reached",
    "project_spend_limit_exceeded",
    "organization_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
];

/// One line of a server's words, short enough to show.
fn words(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_WORDS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use countersign_contract::Code;
    use serde_json::json;

    use super::{Fault, Who};
    use crate::ModelError;

    fn who(ollama: bool) -> Who {
        Who {
            server: "The server".into(),
            model: "m".into(),
            ollama,
        }
    }

    fn explained(status: u16, body: &str, ollama: bool) -> ModelError {
        Fault::of_body(status, body).explain(&who(ollama))
    }

    #[test]
    fn openai_errors_are_told_apart() {
        let table = [
            (
                401,
                r#"{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}"#,
                Code::ModelKey,
            ),
            (
                404,
                r#"{"error":{"message":"The model 'm' does not exist","code":"model_not_found"}}"#,
                Code::ModelUnknown,
            ),
            (404, "page not found", Code::ModelUnreachable),
            (
                400,
                r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#,
                Code::ModelContext,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size","type":"exceed_context_size_error"}}"#,
                Code::ModelContext,
            ),
            (
                429,
                r#"{"error":{"message":"slow","code":"rate_limit_exceeded"}}"#,
                Code::ModelBusy,
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}"#,
                Code::ModelQuota,
            ),
            (
                503,
                r#"{"error":{"message":"Loading model","code":503}}"#,
                Code::ModelBusy,
            ),
            (500, "Internal Server Error", Code::ModelReply),
            (502, "<html><h1>Bad Gateway</h1></html>", Code::ModelUnreachable),
            (422, r#"{"detail":[{"msg":"field required"}]}"#, Code::ModelReply),
            (307, "", Code::ModelUnreachable),
        ];
        for (status, body, code) in table {
            assert_eq!(explained(status, body, false).code(), code, "{status} {body}");
        }
    }

    #[test]
    fn ollama_errors_are_told_apart() {
        let table = [
            (404, r#"{"error":"model 'm' not found"}"#, Code::ModelUnknown),
            (404, "404 page not found", Code::ModelUnreachable),
            (
                400,
                r#"{"error":"registry.example/m does not support tools"}"#,
                Code::ModelUnknown,
            ),
            (
                401,
                r#"{"error":"unauthorized","signin_url":"https://x"}"#,
                Code::ModelKey,
            ),
            (
                503,
                r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#,
                Code::ModelBusy,
            ),
            (500, r#"{"error":"error parsing tool call: raw='{'"}"#, Code::ModelReply),
            (
                400,
                r#"{"error":"the input length exceeds the context length"}"#,
                Code::ModelContext,
            ),
        ];
        for (status, body, code) in table {
            assert_eq!(explained(status, body, true).code(), code, "{status} {body}");
        }
    }

    #[test]
    fn a_model_without_tools_is_named_as_such() {
        let error = explained(400, r#"{"error":"m does not support tools"}"#, true);
        assert_eq!(error, ModelError::NoTools { model: "m".into() });
    }

    #[test]
    fn an_error_inside_a_reply_is_explained_by_its_code() {
        let fault = Fault::of_value(&json!({"error": {"code": 503, "message": "overloaded"}}));
        assert_eq!(fault.explain(&who(false)).code(), Code::ModelBusy);
    }

    #[test]
    fn long_words_are_cut_and_said() {
        let message = explained(500, &"é ".repeat(1000), false).to_string();
        assert!(
            message.contains("answers 500: “é é") && message.contains("…”"),
            "{message}"
        );
        assert!(message.chars().count() < 600, "{message}");
    }
}
