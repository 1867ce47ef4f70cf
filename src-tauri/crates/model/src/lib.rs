//! The models a person can pick, behind one trait: [`OpenAi`] (OpenAI and every server that speaks its chat completions)
//! and [`Ollama`].
//!
//! A turn is streamed text and, at its clean end, whole tool calls. Calls of a reply that was cut, filtered or broken are
//! never handed out, and text that looks like a call is text.
#![forbid(unsafe_code)]

mod calls;
mod clock;
mod draft;
mod error;
mod fault;
mod http;
mod lines;
mod message;
mod names;
mod ollama;
mod openai;
mod provider;
pub mod schema;
mod sse;

pub use clock::{Clock, SystemClock};
pub use countersign_contract::ModelInfo;
pub use error::ModelError;
pub use http::Patience;
pub use message::{Delta, Message, ModelCall, Stop, ToolSpec, TurnReply, TurnRequest, Usage};
pub use names::Names;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use provider::Provider;
