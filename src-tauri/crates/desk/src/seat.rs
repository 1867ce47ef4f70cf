use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use countersign_bridge::mcp::{self, Offered, Page, Seat, Standing, Surface, Told};
use countersign_contract::{Caller, ClientId, ClientWho, Fingerprint, Ingress, ProposalId, Tool, ToolKey};
use countersign_gate::{GateError, Level};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{Asked, CallAsk, Desk, DeskError};

/// Much that happens at the desk changes nothing of what clients see; it is looked at once for all of this time.
const BREATH: Duration = Duration::from_millis(10);

/// One page must not be able to make the list so large that no client can be given it: a schema beyond this is left out.
const LONGEST_SCHEMA: usize = 64 * 1024;
const DEEPEST_SCHEMA: usize = 32;
/// What does not fit into this many bytes is not listed, whatever page it is of.
const ROOM: usize = 8 * 1024 * 1024;

/// An MCP client at the desk. When it is dropped the client has left.
pub(crate) struct DeskSeat {
    desk: Desk,
    client: ClientId,
    caller: Caller,
    task: String,
    surface: watch::Sender<Arc<Surface>>,
    _follows: DropGuard,
}

impl Desk {
    /// Shows a client to its place. Until somebody has let it in, it sees nothing and asks for nothing.
    ///
    /// # Errors
    /// When too many wait to be let in.
    pub fn seat(&self, who: ClientWho) -> Result<Arc<dyn Seat>, DeskError> {
        let name = label(&who);
        let client = self.gate().client_joined(who)?;
        self.changed();
        let number = self.inner.sessions.fetch_add(1, Ordering::Relaxed);
        let (surface, _) = watch::channel(Arc::new(self.surface(&client)));
        let over = CancellationToken::new();
        let follows = follow(self.clone(), client.clone(), surface.clone());
        self.inner
            .runtime
            .spawn(over.clone().run_until_cancelled_owned(follows));
        Ok(Arc::new(DeskSeat {
            desk: self.clone(),
            caller: Caller {
                client: Some(client.clone()),
                ..Caller::new(Ingress::McpClient, name)
            },
            task: format!("{client}, session {number}"),
            client,
            surface,
            _follows: over.drop_guard(),
        }))
    }

    /// What a client is given to see.
    fn surface(&self, client: &ClientId) -> Surface {
        let at = self.inner.clock.now();
        let pages = self.world().pages();
        let gate = self.gate();
        if let Err(why) = gate.admit(Some(client)) {
            return Surface::away(why.to_string());
        }
        let mut room = ROOM;
        let mut offered = |mut tool: Tool| {
            let schema = tool.input_schema.to_string().len();
            if schema > LONGEST_SCHEMA || depth(&tool.input_schema) > DEEPEST_SCHEMA {
                tool.input_schema = json!({ "type": "object" });
            }
            let size = tool.input_schema.to_string().len() + tool.description.len() + tool.title.len() + 1000;
            room = room.checked_sub(size)?;
            let reads = gate.classify(&tool) == Level::Read;
            Some(Offered { tool, reads })
        };
        let pages = pages.into_iter().map(|(number, tab)| Page {
            handle: format!("t{number}"),
            title: tab.title,
            url: tab.url,
            tools: tab
                .tools
                .into_iter()
                .filter(|tool| gate.shows(tool, &at))
                .filter_map(&mut offered)
                .collect(),
        });
        Surface {
            standing: Standing::Here,
            writes_revoked: gate.writes_revoked_at().is_some(),
            pages: pages.collect(),
        }
    }

    pub(crate) async fn withdraw_for(&self, proposal: &ProposalId, client: &ClientId) {
        let at = self.inner.clock.now();
        let withdrawn = self.gate().withdraw_for(proposal, client, &at);
        if let Some((row, held)) = withdrawn {
            self.record(row).await;
            self.let_know(proposal, held);
            self.changed();
        }
    }

    /// What a client is told of what it asked for in this run.
    fn told(&self, proposal: &ProposalId, client: &ClientId) -> Option<Told> {
        let at = self.inner.clock.now();
        let gate = self.gate();
        let card = gate
            .get(proposal, &at)
            .filter(|card| card.caller.client.as_ref() == Some(client))?;
        let answer = gate.answer(proposal)?;
        Some(Told {
            proposal: proposal.clone(),
            tool: match card.act {
                countersign_contract::Act::Tool { tool, .. } => tool.name,
                countersign_contract::Act::Network { request } => request.method,
            },
            verdict: answer.verdict,
            text: answer.text,
            settled: card.state.is_settled(),
        })
    }
}

async fn follow(desk: Desk, client: ClientId, surface: watch::Sender<Arc<Surface>>) {
    let mut changes = desk.changes();
    loop {
        let now = desk.surface(&client);
        surface.send_if_modified(|seen| {
            let is_new = **seen != now;
            if is_new {
                *seen = Arc::new(now);
            }
            is_new
        });
        if changes.changed().await.is_err() {
            return;
        }
        tokio::time::sleep(BREATH).await;
        changes.borrow_and_update();
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Who asks, on the card and in the ledger.
fn label(who: &ClientWho) -> String {
    let mut label = who.name.trim().to_owned();
    if !who.version.trim().is_empty() {
        label = format!("{label} {}", who.version.trim());
    }
    match who.process {
        Some(process) => format!("{label} (process {process})"),
        None => label,
    }
}

impl DeskSeat {
    fn admitted(&self) -> Result<(), GateError> {
        self.desk.gate().admit(Some(&self.client))
    }
}

#[async_trait]
impl Seat for DeskSeat {
    fn surface(&self) -> watch::Receiver<Arc<Surface>> {
        self.surface.subscribe()
    }

    async fn ask(&self, tool: &ToolKey, arguments: Value, cancel: CancellationToken) -> mcp::Asked {
        let ask = CallAsk {
            caller: self.caller.clone(),
            tool: tool.clone(),
            arguments,
            fingerprint: Fingerprint::default(),
            task: self.task.clone(),
        };
        match self.desk.ask(ask, cancel.clone()).await {
            Ok(Asked::Read(result)) => match self.admitted() {
                Ok(()) => mcp::Asked::Read { result },
                // Its pairing ended while the page was asked.
                Err(error) => mcp::Asked::Failed {
                    message: error.to_string(),
                },
            },
            Ok(Asked::Held(proposal)) => {
                // Its client gave it up while it was being held.
                if cancel.is_cancelled() {
                    self.desk.withdraw_for(&proposal, &self.client).await;
                }
                match self.desk.told(&proposal, &self.client) {
                    Some(told) => mcp::Asked::Held { told },
                    None => mcp::Asked::Failed {
                        message: GateError::NotFound(proposal).to_string(),
                    },
                }
            }
            Err(error) => mcp::Asked::Failed {
                message: error.to_string(),
            },
        }
    }

    async fn check(&self, proposal: &ProposalId) -> Option<Told> {
        self.admitted().ok()?;
        match self.desk.told(proposal, &self.client) {
            Some(told) => Some(told),
            None => self.desk.fate(proposal, &self.client).await,
        }
    }

    async fn list(&self) -> Vec<Told> {
        if self.admitted().is_err() {
            return Vec::new();
        }
        let asked = self.desk.gate().asked_by(&self.client);
        asked
            .iter()
            .filter_map(|proposal| self.desk.told(proposal, &self.client))
            .collect()
    }

    async fn withdraw(&self, proposal: &ProposalId) -> Option<Told> {
        self.desk.withdraw_for(proposal, &self.client).await;
        self.check(proposal).await
    }

    async fn settled(&self, proposal: &ProposalId) -> Option<Told> {
        if self.desk.told(proposal, &self.client).is_some() {
            self.desk.settled(proposal).await?;
        }
        self.check(proposal).await
    }
}

impl Drop for DeskSeat {
    fn drop(&mut self) {
        self.desk.end_task(&self.task);
        let (desk, client) = (self.desk.clone(), self.client.clone());
        self.desk
            .inner
            .runtime
            .spawn(async move { desk.client_left(&client).await });
    }
}
