use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::calls::Fragment;
use crate::draft::{Decoder, Draft, Finish, Sink};
use crate::fault::{Fault, Who};
use crate::http::{Http, address};
use crate::lines::Lines;
use crate::{
    Clock, Delta, Message, ModelCall, ModelError, ModelInfo, Patience, Provider, TurnReply, TurnRequest, Usage, schema,
};

/// Ollama, by its own protocol.
pub struct Ollama {
    http: Http,
}

/// Ollama's own default of 4096 tokens is filled by a page's tools alone.
const CONTEXT: u32 = 32_768;

impl Ollama {
    /// The address Ollama listens at when nobody changed it.
    pub const USUAL: &str = "http://127.0.0.1:11434";

    /// The model at an address such as [`Ollama::USUAL`].
    ///
    /// # Errors
    /// [`ModelError::Unreachable`] when it is not an http or https address.
    pub fn new(url: &str, model: impl Into<String>) -> Result<Self, ModelError> {
        let who = Who {
            server: "Ollama".into(),
            model: model.into(),
            ollama: true,
        };
        Ok(Self {
            http: Http::new(address(url, "Ollama")?, who, None)?,
        })
    }

    /// The version of the Ollama that answers at this address within a second, if one does.
    pub async fn found(url: &str) -> Option<String> {
        let second = Patience {
            list: Duration::from_secs(1),
            ..Patience::default()
        };
        let answer = Self::new(url, "")
            .ok()?
            .with_patience(second)
            .http
            .get("/api/version")
            .await
            .ok()?;
        answer["version"].as_str().map(str::to_owned)
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.http.clock = clock;
        self
    }

    /// The same with other limits of waiting.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.http.patience = patience;
        self
    }
}

#[async_trait]
impl Provider for Ollama {
    fn label(&self) -> String {
        format!("{} through Ollama", self.http.who.model)
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        let list = self.http.get("/api/tags").await?;
        let entries = list["models"]
            .as_array()
            .ok_or_else(|| self.http.who.unreachable("what answers there is not Ollama"))?;
        let info = |entry: &Value| {
            let name = entry["name"].as_str().or_else(|| entry["model"].as_str())?.to_owned();
            let tools = entry["capabilities"]
                .as_array()
                .map(|all| all.iter().any(|capability| capability == "tools"));
            Some(ModelInfo { name, tools })
        };
        let mut models: Vec<_> = entries.iter().filter_map(info).collect();
        models.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(models)
    }

    async fn turn(
        &self,
        request: &TurnRequest,
        sink: &mut (dyn FnMut(Delta) + Send),
        cancel: &CancellationToken,
    ) -> Result<TurnReply, ModelError> {
        let who = &self.http.who;
        let response = self.http.post("/api/chat", &body(&who.model, request), cancel).await?;
        let draft = Draft::new(who.clone(), request);
        self.http
            .read(
                response,
                Stream {
                    draft,
                    lines: Lines::default(),
                    seen: false,
                    ended: false,
                },
                sink,
                cancel,
            )
            .await
    }
}

fn body(model: &str, request: &TurnRequest) -> Value {
    let mut body = json!({
        "model": model,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        "stream": true,
        "options": {"num_ctx": CONTEXT},
        // By itself Ollama drops the oldest messages without a word, the rules of this desk first. Better an error.
        "truncate": false,
        "shift": false,
    });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let parameters = schema::for_ollama(&tool.schema);
            json!({"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": parameters}})
        });
        body["tools"] = tools.collect();
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Message::Assistant { text, calls } => {
            json!({"role": "assistant", "content": text, "tool_calls": calls.iter().map(call).collect::<Vec<_>>()})
        }
        Message::ToolResult { call_id, name, text } => {
            json!({"role": "tool", "tool_name": name, "tool_call_id": call_id, "content": text})
        }
    }
}

fn call(call: &ModelCall) -> Value {
    let arguments = call.arguments.clone().unwrap_or_else(|_| Map::new());
    json!({"id": call.id, "function": {"name": call.name, "arguments": arguments}})
}

/// A reply as lines of JSON.
struct Stream {
    draft: Draft,
    lines: Lines,
    /// A line of a reply has come.
    seen: bool,
    /// The line with `done` has come.
    ended: bool,
}

impl Decoder for Stream {
    fn push(&mut self, bytes: &[u8], sink: Sink<'_>) -> Result<bool, ModelError> {
        self.draft.count(bytes.len())?;
        for line in self.lines.push(bytes) {
            self.line(&line, &mut *sink)?;
        }
        Ok(self.ended)
    }

    fn finish(mut self, sink: Sink<'_>) -> Result<TurnReply, ModelError> {
        if let Some(line) = self.lines.rest() {
            self.line(&line, sink)?;
        }
        match (self.seen, self.ended) {
            (false, _) => Err(self.draft.who.reply("it is empty")),
            (true, false) => Err(self.draft.who.reply("it ends in the middle")),
            (true, true) => self.draft.close(),
        }
    }
}

impl Stream {
    fn line(&mut self, line: &str, sink: Sink<'_>) -> Result<(), ModelError> {
        if self.ended || line.trim().is_empty() {
            return Ok(());
        }
        let Ok(chunk) = serde_json::from_str::<Value>(line) else {
            return Err(self.draft.who.reply("a line of it is not JSON"));
        };
        let message = &chunk["message"];
        let done = chunk["done"] == Value::Bool(true);
        // Some errors stand under another key: a line that is neither a message nor the end is one.
        if chunk.get("error").is_some_and(|error| !error.is_null()) || !(message.is_object() || done) {
            return Err(Fault::of_value(&chunk).explain(&self.draft.who));
        }
        self.seen = true;
        if let Some(text) = message["content"].as_str() {
            self.draft.say(text, sink);
        }
        for entry in message["tool_calls"].as_array().into_iter().flatten() {
            self.draft.calls.add(Fragment::of_tool_call(entry));
        }
        if done {
            self.ended = true;
            self.draft.finish = Some(if chunk["done_reason"] == "length" {
                Finish::Length
            } else {
                Finish::Stop
            });
            let count = |key: &str| chunk[key].as_u64();
            if let (None, None) = (count("prompt_eval_count"), count("eval_count")) {
                return Ok(());
            }
            self.draft.usage = Some(Usage {
                input: count("prompt_eval_count").unwrap_or_default(),
                output: count("eval_count").unwrap_or_default(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
