use std::sync::Arc;

use async_trait::async_trait;
use countersign_vault::Sensitive;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::calls::Fragment;
use crate::draft::{Decoder, Draft, Finish, Sink};
use crate::fault::{Fault, Who};
use crate::http::{Http, address, is_json};
use crate::sse::{Event, Events};
use crate::{
    Clock, Delta, Message, ModelCall, ModelError, ModelInfo, Patience, Provider, TurnReply, TurnRequest, Usage, schema,
};

/// OpenAI, or any server that speaks its chat completions.
pub struct OpenAi {
    http: Http,
    own: bool,
}

impl OpenAi {
    /// The base address of OpenAI itself.
    pub const OWN: &str = "https://api.openai.com/v1";

    /// The model at a base address such as `http://127.0.0.1:8080/v1`.
    ///
    /// # Errors
    /// [`ModelError::Unreachable`] when it is not an http or https address.
    pub fn new(base_url: &str, key: Option<Sensitive<String>>, model: impl Into<String>) -> Result<Self, ModelError> {
        let base = address(base_url, "The model's server")?;
        let own = base.host_str() == Some("api.openai.com");
        let server = match (own, base.host_str(), base.port()) {
            (true, ..) => "OpenAI".into(),
            (_, Some(host), Some(port)) => format!("{host}:{port}"),
            (_, host, _) => host.unwrap_or_default().to_owned(),
        };
        let who = Who {
            server,
            model: model.into(),
            ollama: false,
        };
        Ok(Self {
            http: Http::new(base, who, key)?,
            own,
        })
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
impl Provider for OpenAi {
    fn label(&self) -> String {
        format!("{} through {}", self.http.who.model, self.http.who.server)
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        let list = self.http.get("/models").await?;
        let entries = [&list["data"], &list["models"], &list]
            .into_iter()
            .find_map(Value::as_array);
        let entries = entries.ok_or_else(|| self.http.who.unreachable("what answers there does not list models"))?;
        let names = entries
            .iter()
            .filter_map(|entry| entry["id"].as_str().or_else(|| entry["name"].as_str()));
        let mut names: Vec<String> = names
            .filter(|name| !self.own || chats(name))
            .map(str::to_owned)
            .collect();
        names.sort();
        names.dedup();
        Ok(names.into_iter().map(|name| ModelInfo { name, tools: None }).collect())
    }

    async fn turn(
        &self,
        request: &TurnRequest,
        sink: &mut (dyn FnMut(Delta) + Send),
        cancel: &CancellationToken,
    ) -> Result<TurnReply, ModelError> {
        let who = &self.http.who;
        let response = self
            .http
            .post("/chat/completions", &body(&who.model, request), cancel)
            .await?;
        let draft = Draft::new(who.clone(), request);
        if is_json(&response) {
            return self
                .http
                .read(
                    response,
                    Whole {
                        draft,
                        body: Vec::new(),
                    },
                    sink,
                    cancel,
                )
                .await;
        }
        self.http
            .read(
                response,
                Stream {
                    draft,
                    events: Events::default(),
                    seen: false,
                    ended: false,
                },
                sink,
                cancel,
            )
            .await
    }
}

/// OpenAI lists everything it serves; these cannot hold a conversation.
fn chats(name: &str) -> bool {
    const OTHER: &[&str] = &[
        "embedding",
        "whisper",
        "tts",
        "dall-e",
        "image",
        "realtime",
        "audio",
        "transcribe",
        "moderation",
        "davinci",
        "babbage",
        "sora",
    ];
    !OTHER.iter().any(|kind| name.contains(kind))
}

fn body(model: &str, request: &TurnRequest) -> Value {
    let mut body = json!({
        "model": model,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let parameters = schema::object(&tool.schema);
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
        Message::ToolResult { call_id, text, .. } => json!({"role": "tool", "tool_call_id": call_id, "content": text}),
    }
}

fn call(call: &ModelCall) -> Value {
    // Servers parse the arguments of past calls, so what the model got wrong goes back as an empty object.
    let arguments = Value::Object(call.arguments.clone().unwrap_or_else(|_| Map::new())).to_string();
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// A reply as server-sent events.
struct Stream {
    draft: Draft,
    events: Events,
    /// A chunk of a reply has come.
    seen: bool,
    /// `[DONE]` has come.
    ended: bool,
}

impl Decoder for Stream {
    fn push(&mut self, bytes: &[u8], sink: Sink<'_>) -> Result<bool, ModelError> {
        self.draft.count(bytes.len())?;
        for event in self.events.push(bytes) {
            self.event(&event, &mut *sink)?;
            if self.ended {
                break;
            }
        }
        Ok(self.ended)
    }

    fn finish(mut self, sink: Sink<'_>) -> Result<TurnReply, ModelError> {
        if !self.ended
            && let Some(event) = self.events.rest()
        {
            self.event(&event, sink)?;
        }
        if !self.seen {
            return Err(self.draft.who.reply("it is empty"));
        }
        // Some servers leave out `[DONE]`, some the reason; without either the stream was cut.
        if !self.ended && self.draft.finish.is_none() {
            return Err(self.draft.who.reply("it ends in the middle"));
        }
        self.draft.close()
    }
}

impl Stream {
    fn event(&mut self, event: &Event, sink: Sink<'_>) -> Result<(), ModelError> {
        let whole = event.data.join("\n");
        if event.data.len() == 1 || serde_json::from_str::<Value>(&whole).is_ok() {
            return self.data(&event.name, &whole, sink);
        }
        // Servers that leave out the blank line between events.
        event
            .data
            .iter()
            .filter(|line| !line.trim().is_empty())
            .try_for_each(|line| self.data(&event.name, line, &mut *sink))
    }

    fn data(&mut self, name: &str, data: &str, sink: Sink<'_>) -> Result<(), ModelError> {
        if self.ended {
            return Ok(());
        }
        if data.trim() == "[DONE]" {
            self.ended = true;
            return Ok(());
        }
        let Ok(chunk) = serde_json::from_str::<Value>(data) else {
            return Err(self.draft.who.reply("a piece of it is not JSON"));
        };
        if name == "error" {
            return Err(Fault::of_value(&chunk).explain(&self.draft.who));
        }
        self.seen |= read_chunk(&mut self.draft, &chunk, sink)?;
        Ok(())
    }
}

/// A reply as one JSON document, from servers that do not stream.
struct Whole {
    draft: Draft,
    body: Vec<u8>,
}

impl Decoder for Whole {
    fn push(&mut self, bytes: &[u8], _: Sink<'_>) -> Result<bool, ModelError> {
        self.draft.count(bytes.len())?;
        self.body.extend_from_slice(bytes);
        Ok(false)
    }

    fn finish(mut self, sink: Sink<'_>) -> Result<TurnReply, ModelError> {
        if self.body.trim_ascii().is_empty() {
            return Err(self.draft.who.reply("it is empty"));
        }
        let Ok(chunk) = serde_json::from_slice::<Value>(&self.body) else {
            return Err(self.draft.who.reply("it is not JSON"));
        };
        if !read_chunk(&mut self.draft, &chunk, sink)? {
            return Err(self.draft.who.reply("it is empty"));
        }
        self.draft.close()
    }
}

/// Takes one chunk; `true` when it is a part of a reply.
fn read_chunk(draft: &mut Draft, chunk: &Value, sink: Sink<'_>) -> Result<bool, ModelError> {
    let choices = chunk.get("choices").and_then(Value::as_array);
    if chunk.get("error").is_some_and(|error| !error.is_null()) || (choices.is_none() && is_fault(chunk)) {
        return Err(Fault::of_value(chunk).explain(&draft.who));
    }
    if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
        draft.usage = Some(Usage {
            input: usage["prompt_tokens"].as_u64().unwrap_or_default(),
            output: usage["completion_tokens"].as_u64().unwrap_or_default(),
        });
    }
    let first = |choice: &&Value| choice["index"].as_u64().unwrap_or_default() == 0;
    let Some(choice) = choices.and_then(|choices| choices.iter().find(first)) else {
        return Ok(false);
    };
    let delta = if choice["delta"].is_object() {
        &choice["delta"]
    } else {
        &choice["message"]
    };
    say(draft, &delta["content"], &mut *sink);
    say(draft, &delta["refusal"], sink);
    if let Some(entries) = delta["tool_calls"].as_array() {
        entries
            .iter()
            .for_each(|entry| draft.calls.add(Fragment::of_tool_call(entry)));
    } else if delta["function_call"].is_object() {
        draft.calls.add(Fragment::of_function_call(&delta["function_call"]));
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        draft.finish = Some(match reason {
            "length" | "max_tokens" => Finish::Length,
            "content_filter" => Finish::Filter,
            "tool_calls" | "function_call" => Finish::Calls,
            _ => Finish::Stop,
        });
    }
    Ok(true)
}

fn is_fault(chunk: &Value) -> bool {
    chunk["object"] == "error" || chunk.get("detail").is_some() || chunk["message"].is_string()
}

/// Content is text, or a list of parts of which some are text.
fn say(draft: &mut Draft, content: &Value, sink: Sink<'_>) {
    match content {
        Value::String(text) => draft.say(text, sink),
        Value::Array(parts) => {
            for text in parts.iter().filter_map(|part| part["text"].as_str()) {
                draft.say(text, &mut *sink);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
