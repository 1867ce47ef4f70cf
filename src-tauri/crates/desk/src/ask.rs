use countersign_bridge::DoorError;
use countersign_contract::{Answer, Caller, DoorKind, Fingerprint, Ingress, ProposalId, Tool, ToolKey};
use countersign_gate::{Ask, AskedAct, Level};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{Desk, DeskError};

/// A call asked for from outside the page.
#[derive(Clone, Debug)]
pub struct CallAsk {
    /// Who asks.
    pub caller: Caller,
    /// The tool.
    pub tool: ToolKey,
    /// A JSON object.
    pub arguments: Value,
    /// The event that led to it, if one was seen.
    pub fingerprint: Fingerprint,
    /// The task it belongs to: the panel's conversation, an outside client's session.
    pub task: String,
}

/// What came of an ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// The read ran; the page's answer as text. Untrusted.
    Read(String),
    /// The write is held, and the ledger has it.
    Held(ProposalId),
}

impl Desk {
    /// Every tool that the panel's agent may see now: those of its own pages, as [`Desk::tools`].
    pub fn agents_tools(&self) -> Vec<Tool> {
        let tools = self.world().agents_tools();
        self.shown_of(tools)
    }

    /// Every tool of every page that agents could see; companion previews, hidden tools and withdrawn writes are left out. One that the person
    /// marked as a read says so, as it runs.
    pub fn tools(&self) -> Vec<Tool> {
        let tools = self.world().tools();
        self.shown_of(tools)
    }

    fn shown_of(&self, tools: Vec<Tool>) -> Vec<Tool> {
        let at = self.inner.clock.now();
        let gate = self.gate();
        let shown = tools.into_iter().filter(|tool| gate.shows(tool, &at));
        shown
            .map(|mut tool| {
                tool.annotations.read_only |= gate.is_marked(&tool);
                tool
            })
            .collect()
    }

    /// Runs a read at once, or holds a write. A write is durable in the ledger when this returns.
    ///
    /// # Errors
    /// When there is no such tool, the arguments cannot be shown exactly, the ledger cannot be written, or the page failed.
    pub async fn ask(&self, ask: CallAsk, cancel: CancellationToken) -> Result<Asked, DeskError> {
        let tool = self.world().tool(&ask.tool).ok_or(DeskError::NoTool)?;
        if ask.caller.ingress == Ingress::McpClient {
            self.gate().admit(ask.caller.client.as_ref())?;
        }
        self.is_on_a_chosen_page(&ask, &tool).await?;
        let level = self.gate().classify(&tool);
        match level {
            Level::Read if self.is_hidden_from(&ask, &tool) => Err(DeskError::NoTool),
            Level::Read => self.read(tool, ask, cancel).await.map(Asked::Read),
            Level::Write => {
                self.slow_down(&ask, &tool, &cancel).await?;
                let page = tool.page.clone();
                let act = AskedAct::Call {
                    tool: Box::new(tool),
                    arguments: ask.arguments,
                };
                let held = Ask {
                    caller: ask.caller,
                    page,
                    act,
                    fingerprint: ask.fingerprint,
                    task: ask.task,
                };
                self.hold(held).await.map(Asked::Held)
            }
        }
    }

    fn is_hidden_from(&self, ask: &CallAsk, tool: &Tool) -> bool {
        let at = self.inner.clock.now();
        ask.caller.ingress != Ingress::PanelHand && !self.gate().shows(tool, &at)
    }

    /// A caller that asks fast waits before it is heard.
    async fn slow_down(&self, ask: &CallAsk, tool: &Tool, cancel: &CancellationToken) -> Result<(), DeskError> {
        let at = self.inner.clock.now();
        let wait = self.gate().slows(&tool.page.origin, ask.caller.ingress, &at);
        if wait == 0 {
            return Ok(());
        }
        tokio::select! {
            () = tokio::time::sleep(std::time::Duration::from_millis(wait)) => Ok(()),
            () = cancel.cancelled() => Err(DoorError::Cancelled.into()),
        }
    }

    async fn read(&self, tool: Tool, ask: CallAsk, cancel: CancellationToken) -> Result<String, DeskError> {
        let door = self.door(tool.page.door)?;
        let pass = self.gate().read(&tool, &ask.arguments)?;
        let arguments = pass.arguments().to_owned();
        let acting = self.acting(ask.caller.ingress, (&tool.page).into());
        let result = door.read(pass, cancel).await;
        drop(acting);
        self.record_read(&ask.caller, &tool, &arguments, Some(&result));
        Ok(result?)
    }

    /// Holds a write: the `proposed` row is durable before this returns. Runs in a task of its own, so that a caller that
    /// goes away in the middle leaves nothing half held.
    pub(crate) async fn hold(&self, ask: Ask) -> Result<ProposalId, DeskError> {
        let desk = self.clone();
        let task = tokio::spawn(async move {
            let (proposal, row) = {
                let at = desk.inner.clock.now();
                let proposed = desk.gate().propose(ask, &at);
                match proposed {
                    Ok(proposed) => proposed,
                    Err(error) => return Err(desk.turned_away(error).await),
                }
            };
            match desk.inner.ledger.append(row).await {
                Ok(durable) => {
                    let at = desk.inner.clock.now();
                    desk.gate().recorded(&proposal, &durable, &at)?;
                }
                Err(error) => {
                    desk.gate().discard(&proposal);
                    return Err(DeskError::Ledger(error));
                }
            }
            desk.changed();
            desk.start_preview(&proposal);
            Ok(proposal)
        });
        match task.await {
            Ok(held) => held,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }

    /// Waits, without a limit, until a proposal is settled, and says how; `None` when there is no such proposal.
    pub async fn settled(&self, proposal: &ProposalId) -> Option<Answer> {
        let mut changes = self.changes();
        loop {
            changes.borrow_and_update();
            {
                let at = self.inner.clock.now();
                let gate = self.gate();
                if gate.get(proposal, &at)?.state.is_settled() {
                    return gate.answer(proposal);
                }
            }
            changes.changed().await.ok()?;
        }
    }

    /// What a caller is told about its proposal now.
    pub fn answer(&self, proposal: &ProposalId) -> Option<Answer> {
        self.gate().answer(proposal)
    }

    /// Closes a door; everything it holds fails first.
    ///
    /// # Errors
    /// When there is no such door.
    pub async fn close_door(&self, kind: DoorKind) -> Result<(), DeskError> {
        self.door(kind)?.close().await;
        Ok(())
    }
}
