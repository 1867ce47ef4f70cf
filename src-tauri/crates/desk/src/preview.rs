use std::time::Duration;

use countersign_contract::{Act, Preview, ProposalId, Tool};
use countersign_gate::read_preview;
use tokio_util::sync::CancellationToken;

use crate::Desk;

// A page that does not answer must not keep a card pending for ever; "unavailable" can still be released, with its risk shown.
const PREVIEW_LIMIT: Duration = Duration::from_secs(15);

impl Desk {
    /// Asks the page what a held write would change, and puts the answer on the card.
    pub(crate) fn start_preview(&self, proposal: &ProposalId) {
        let Some(version) = self.gate().preview_wanted(proposal) else {
            return;
        };
        let desk = self.clone();
        let proposal = proposal.clone();
        tokio::spawn(async move {
            let at = desk.inner.clock.now();
            let Some(Act::Tool { tool, canonical, .. }) = desk.gate().get(&proposal, &at).map(|card| card.act) else {
                return;
            };
            let preview = desk.ask_preview(&tool, &canonical).await;
            let at = desk.inner.clock.now();
            desk.gate().set_preview(&proposal, version, preview, &at);
            desk.changed();
            desk.release_by_rule(&proposal).await;
        });
    }

    /// What the companion of `tool` says now about a call with these arguments (canonical form).
    pub(crate) async fn ask_preview(&self, tool: &Tool, arguments: &str) -> Preview {
        let companion = self.world().companion(tool);
        let Some(companion) = companion else {
            return self.ask_quote(tool, arguments).await;
        };
        match self.read_companion(&companion, arguments).await {
            Ok(text) => read_preview(&text, &self.inner.clock.now()),
            Err(why) => Preview::Unavailable { why },
        }
    }

    async fn read_companion(&self, companion: &Tool, arguments: &str) -> Result<String, String> {
        let unasked = |error: String| format!("The page's preview could not be asked: {error}");
        let arguments = serde_json::from_str(arguments).map_err(|error| unasked(error.to_string()))?;
        let pass = self
            .gate()
            .read(companion, &arguments)
            .map_err(|error| unasked(error.to_string()))?;
        let door = self
            .door(companion.page.door)
            .map_err(|error| unasked(error.to_string()))?;
        let cancel = CancellationToken::new();
        let _ends_with_us = cancel.clone().drop_guard();
        match tokio::time::timeout(PREVIEW_LIMIT, door.read(pass, cancel)).await {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(error)) => Err(format!("The page's preview failed: {error}")),
            Err(_) => Err("The page's preview did not answer in 15 seconds.".into()),
        }
    }
}
