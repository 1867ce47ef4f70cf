use std::sync::PoisonError;
use std::time::Duration;

use countersign_bridge::DoorError;
use countersign_contract::{Beside, Caller, Ingress, Preview, Tool};
use countersign_gate::{no_companion, quote_arguments, read_quote};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{Desk, DeskError};

/// A read that a person put beside a write must not keep its card pending for ever.
const LIMIT: Duration = Duration::from_secs(15);

impl Desk {
    /// What a person put beside this very definition of a tool.
    fn beside(&self, tool: &Tool) -> Option<Beside> {
        let kept = self.inner.beside.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of =
            |one: &&Beside| (&one.origin, &one.tool, &one.digest) == (&tool.page.origin, &tool.name, &tool.digest);
        kept.iter().find(is_of).cloned()
    }

    /// What a write without a companion would cost, when a person named a read that quotes it.
    pub(crate) async fn ask_quote(&self, tool: &Tool, arguments: &str) -> Preview {
        let none = no_companion(tool);
        let (Some(quote), Preview::Unavailable { why }) = (self.beside(tool).and_then(|one| one.quote), &none) else {
            return none;
        };
        let read = self.world().beside(tool, &quote.read);
        let asked = match &read {
            Some(read) => self.read_for(read, &quote_arguments(&quote, arguments)).await,
            None => Err("the page does not offer it as a read any more".into()),
        };
        match asked {
            Ok(text) => read_quote(&text, &quote, why.clone(), &self.inner.clock.now()),
            Err(fault) => Preview::Unavailable {
                why: format!(
                    "{why} The price was to be asked of “{}”, which you named, and {fault}.",
                    quote.read
                ),
            },
        }
    }

    /// Calls a read for the desk itself, under guard like any other, and records it.
    async fn read_for(&self, read: &Tool, arguments: &Value) -> Result<String, String> {
        let pass = self.gate().read(read, arguments).map_err(|error| error.to_string())?;
        let door = self
            .door(read.page.door)
            .map_err(|error: DeskError| error.to_string())?;
        let canonical = pass.arguments().to_owned();
        let cancel = CancellationToken::new();
        let _ends_with_us = cancel.clone().drop_guard();
        let answered = match tokio::time::timeout(LIMIT, door.read(pass, cancel)).await {
            Ok(answered) => answered,
            Err(_) => Err(DoorError::Page("it did not answer in 15 seconds".into())),
        };
        let caller = Caller {
            ingress: Ingress::Desk,
            name: "desk".into(),
        };
        self.record_read(&caller, read, &canonical, Some(&answered));
        answered.map_err(|error| error.to_string())
    }
}
