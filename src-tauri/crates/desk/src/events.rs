use std::sync::{Arc, PoisonError};

use countersign_bridge::{Door, DoorEvent};
use countersign_contract::{
    Caller, DoorKind, DoorState, Fingerprint, HeldRef, Ingress, NetworkRequest, PageRef, RowDraft, RowKind, Tool,
};
use countersign_gate::{Ask, AskedAct, GateError};
use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{Desk, DeskError};

impl Desk {
    /// Adds a door and follows what it reports.
    pub fn add_door(&self, door: Arc<dyn Door>, mut events: UnboundedReceiver<DoorEvent>) {
        let kind = door.kind();
        {
            // Held over both, so that no door comes between the policies and the list of doors.
            let sites = self.inner.sites.lock().unwrap_or_else(PoisonError::into_inner);
            door.set_sites(&sites);
            self.inner
                .doors
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(door);
        }
        let now = self.inner.clock.now().ms;
        self.world().set_door(kind, DoorState::Closed, now);
        self.changed();
        let desk = self.clone();
        tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                desk.follow(kind, event).await;
            }
        });
    }

    async fn follow(&self, kind: DoorKind, event: DoorEvent) {
        match event {
            DoorEvent::Status(state) => self.door_changed(kind, state).await,
            DoorEvent::Tabs(tabs) => self.tabs_changed(kind, tabs).await,
            DoorEvent::Ask {
                held,
                tool,
                arguments,
                fingerprint,
            } => self.page_asked(held, tool, arguments, fingerprint).await,
            DoorEvent::Network {
                held,
                page,
                tool,
                request,
                fingerprint,
            } => self.caught(held, page, tool, request, *fingerprint).await,
            DoorEvent::Refused { page, tool, request } => {
                self.caught_lying(&tool, &page, &request).await;
                self.changed();
            }
            DoorEvent::Changed { tool, changes, certain } => self.changed_unreleased(&tool, changes, certain).await,
            DoorEvent::Head { page, number, head } => self.page_head(kind, page, number, head).await,
            DoorEvent::Withdrawn { held } => self.withdrawn(&held).await,
            DoorEvent::ReadSeen { tool, arguments } => {
                self.record_read(&page_caller(&tool.page), &tool, &arguments, None);
            }
            DoorEvent::EndedLate { proposal, tool, ended } => self.ended_late(&proposal, &tool, ended).await,
            DoorEvent::DocumentGone { document, message } => self.document_gone(&document, &message).await,
        }
    }

    async fn door_changed(&self, kind: DoorKind, state: DoorState) {
        let row = RowDraft {
            kind: RowKind::Door,
            ingress: Ingress::Desk,
            seat: "desk".into(),
            reference: None,
            data: json!({ "door": kind, "status": state }),
        };
        let now = self.inner.clock.now().ms;
        let became = self.world().set_door(kind, state, now);
        self.changed();
        self.record(row).await;
        self.record_became(kind, became).await;
    }

    // The next event waits until this one is durable: a withdrawal must not overtake the ask it takes back.
    async fn page_asked(&self, held: HeldRef, tool: Box<Tool>, arguments: String, fingerprint: Fingerprint) {
        let page = tool.page.clone();
        let door = page.door;
        let task = page.document.clone();
        let caller = page_caller(&page);
        let act = AskedAct::HeldCall {
            held: held.clone(),
            tool,
            arguments,
        };
        if let Err(error) = self
            .hold(Ask {
                caller,
                page,
                act,
                fingerprint,
                task,
            })
            .await
        {
            let text = match &error {
                DeskError::Gate(GateError::TurnedAway { .. }) => error.to_string(),
                _ => format!("Not run, and nothing has changed. {error}"),
            };
            self.answer_at(door, held, text);
        }
    }

    /// A tool that says it reads has tried to send something: it is taken for a write from now on.
    async fn caught_lying(&self, tool: &Tool, page: &PageRef, request: &NetworkRequest) {
        self.gate().caught_lying(&tool.digest, &tool.page.origin);
        self.record(RowDraft {
            kind: RowKind::LyingRead,
            ingress: Ingress::BrowserNetwork,
            seat: page.origin.clone(),
            reference: None,
            data: json!({
                "tool": tool.name,
                "toolDigest": tool.digest,
                "origin": tool.page.origin,
                "method": request.method,
                "url": request.url,
            }),
        })
        .await;
    }

    async fn caught(
        &self,
        held: HeldRef,
        page: PageRef,
        tool: Option<Box<Tool>>,
        request: NetworkRequest,
        fingerprint: Fingerprint,
    ) {
        if let Some(tool) = &tool {
            self.caught_lying(tool, &page, &request).await;
        }
        let name = match &tool {
            Some(tool) => format!("the tool {} of {}", tool.name, page.origin),
            None => format!("the page at {}", page.origin),
        };
        let caller = Caller::new(Ingress::BrowserNetwork, name);
        let door = page.door;
        let task = page.document.clone();
        let act = AskedAct::HeldRequest {
            held: held.clone(),
            tool,
            request,
        };
        if let Err(error) = self
            .hold(Ask {
                caller,
                page,
                act,
                fingerprint,
                task,
            })
            .await
        {
            tracing::error!(%error, "a request could not be held and was failed");
            self.answer_at(door, held, error.to_string());
        }
    }

    fn answer_at(&self, kind: DoorKind, held: HeldRef, text: String) {
        if let Ok(door) = self.door(kind) {
            tokio::spawn(async move { door.answer(&held, &text).await });
        }
    }

    async fn withdrawn(&self, held: &HeldRef) {
        let at = self.inner.clock.now();
        let withdrawn = self.gate().withdraw_held(held, &at);
        if let Some((_, row)) = withdrawn {
            self.record(row).await;
            self.changed();
        }
    }

    async fn document_gone(&self, document: &str, message: &str) {
        let at = self.inner.clock.now();
        let gone = {
            let mut gate = self.gate();
            gate.end_task(document);
            gate.page_gone(document, message, &at)
        };
        for (_, row, _) in gone {
            self.record(row).await;
            self.changed();
        }
    }
}

fn page_caller(page: &PageRef) -> Caller {
    // It may stand in a page around it, of another origin: the tool's own origin is all that is known.
    Caller::new(Ingress::Page, format!("page code, at a tool of {}", page.origin))
}
