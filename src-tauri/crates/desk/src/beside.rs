use std::sync::PoisonError;
use std::time::Duration;

use countersign_bridge::DoorError;
use countersign_contract::{Beside, Caller, Ingress, Photograph, Preview, ProposalId, Tool};
use countersign_gate::{Shot, filled, no_companion, read_quote};
use futures_util::future::join_all;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{Desk, DeskError};

/// The reads that are called before and after one write, and what they answered before.
pub(crate) struct Photographs {
    tool: Option<Tool>,
    arguments: String,
    wanted: Vec<Photograph>,
    before: Vec<Result<String, String>>,
}

/// A read that a person put beside a write must not keep its card pending for ever.
const LIMIT: Duration = Duration::from_secs(15);
/// Nor its release wait for long.
const PHOTOGRAPH_LIMIT: Duration = Duration::from_secs(5);

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
            Some(read) => self.read_for(read, &filled(&quote.arguments, arguments), LIMIT).await,
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

    /// Asks the reads beside a write, before it runs.
    pub(crate) async fn photographs(&self, tool: Option<&Tool>, arguments: &str) -> Photographs {
        let wanted = tool.and_then(|tool| self.beside(tool)).map(|beside| beside.photographs);
        let mut photographs = Photographs {
            tool: tool.cloned(),
            arguments: arguments.to_owned(),
            wanted: wanted.unwrap_or_default(),
            before: Vec::new(),
        };
        photographs.before = self.answers(&photographs).await;
        photographs
    }

    /// Asks them again now that it has ended; both answers go on its card and into the ledger.
    pub(crate) async fn compare(&self, proposal: &ProposalId, photographs: Photographs) {
        let after = self.answers(&photographs).await;
        let sides = photographs.before.into_iter().zip(after);
        let shots = photographs
            .wanted
            .into_iter()
            .zip(sides)
            .map(|(photograph, (before, after))| Shot {
                read: photograph.read,
                before,
                after,
            });
        let row = self.gate().photographed(proposal, &shots.collect::<Vec<_>>());
        if let Some(row) = row {
            self.record(row).await;
            self.changed();
        }
    }

    /// What each of the reads answers now; they are asked at once.
    async fn answers(&self, photographs: &Photographs) -> Vec<Result<String, String>> {
        let Some(tool) = &photographs.tool else {
            return Vec::new();
        };
        let answers = photographs.wanted.iter().map(async |photograph| {
            let read = self.world().beside(tool, &photograph.read);
            let read = read.ok_or_else(|| "the page did not offer it as a read.".to_owned())?;
            let arguments = filled(&photograph.arguments, &photographs.arguments);
            self.read_for(&read, &arguments, PHOTOGRAPH_LIMIT).await
        });
        join_all(answers).await
    }

    /// Calls a read for the desk itself, under guard like any other, and records it.
    async fn read_for(&self, read: &Tool, arguments: &Value, limit: Duration) -> Result<String, String> {
        let pass = self.gate().read(read, arguments).map_err(|error| error.to_string())?;
        let door = self
            .door(read.page.door)
            .map_err(|error: DeskError| error.to_string())?;
        let canonical = pass.arguments().to_owned();
        let cancel = CancellationToken::new();
        let _ends_with_us = cancel.clone().drop_guard();
        let answered = match tokio::time::timeout(limit, door.read(pass, cancel)).await {
            Ok(answered) => answered,
            Err(_) => Err(DoorError::Page(format!(
                "it did not answer in {} seconds",
                limit.as_secs()
            ))),
        };
        let caller = Caller::new(Ingress::Desk, "desk");
        self.record_read(&caller, read, &canonical, Some(&answered));
        answered.map_err(|error| error.to_string())
    }
}
