use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::{Delta, ModelError, ModelInfo, TurnReply, TurnRequest};

/// A model somewhere.
#[async_trait]
pub trait Provider: Send + Sync {
    /// A line such as `qwen3:8b through Ollama`.
    fn label(&self) -> String;

    /// The models its server offers, by name. Asked once, never retried.
    ///
    /// # Errors
    /// Whatever keeps the server from answering.
    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError>;

    /// Asks for one reply. `sink` gets its text as it comes; the reply holds all of it again, and its calls. Dropping the
    /// future or cancelling closes the connection.
    ///
    /// Retried at most twice, and only while nothing of a reply has been seen and the server was busy or could not be
    /// connected to.
    ///
    /// # Errors
    /// [`ModelError`]; text that already went to `sink` stands, calls are lost.
    async fn turn(
        &self,
        request: &TurnRequest,
        sink: &mut (dyn FnMut(Delta) + Send),
        cancel: &CancellationToken,
    ) -> Result<TurnReply, ModelError>;
}
