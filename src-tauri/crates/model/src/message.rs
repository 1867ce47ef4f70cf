use serde_json::{Map, Value};

/// One message of a conversation with a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Who the model is and how the desk works.
    System(String),
    /// What the person said.
    User(String),
    /// What the model answered.
    Assistant {
        /// Its text; may be empty when it called tools.
        text: String,
        /// Its calls, in order. Each must be followed by a [`Message::ToolResult`] with the same id.
        calls: Vec<ModelCall>,
    },
    /// What came of a call.
    ToolResult {
        /// The call's id.
        call_id: String,
        /// The tool's name as the model knows it.
        name: String,
        /// The result in words.
        text: String,
    },
}

/// A tool as it is offered to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// `^[a-zA-Z0-9_-]{1,64}$`; see [`crate::Names`].
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments, as the page gave it. Each provider rewrites it to what its server understands.
    pub schema: Value,
}

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnRequest {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools it may call; none when empty.
    pub tools: Vec<ToolSpec>,
}

/// A piece of a reply while it streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// More text, to be put at the end.
    Text(String),
}

/// A whole reply.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnReply {
    /// All of its text.
    pub text: String,
    /// Its calls, in order; empty unless `stop` is [`Stop::Calls`].
    pub calls: Vec<ModelCall>,
    /// Why it ended.
    pub stop: Stop,
    /// What it used, when the server says.
    pub usage: Option<Usage>,
}

/// A tool call a model asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    /// Unique in the conversation; made up here when the server gave none, or gave one twice.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments, or what is wrong with them in words for the model.
    pub arguments: Result<Map<String, Value>, String>,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model had nothing more to say.
    End,
    /// It asks for tool calls.
    Calls,
    /// It reached a length limit; its calls were dropped.
    Length,
    /// The provider's content filter ended it; its calls were dropped.
    Filter,
}

/// Tokens of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}
