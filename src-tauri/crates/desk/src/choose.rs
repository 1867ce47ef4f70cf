use countersign_contract::{
    ChoosePageParams, DoorKind, Ingress, LeavePageParams, OfferPageParams, RowDraft, RowKind, Tab, TabRef, Tool,
};
use serde_json::json;

use crate::chosen::Became;
use crate::pages::host;
use crate::{CallAsk, Desk, DeskError};

/// Which pages agents may act on: the person's to say, and nobody else's.
impl Desk {
    /// Opens an address in a new tab of the browser. It is offered to MCP clients, and is the agent's page if none was.
    ///
    /// # Errors
    /// When the browser cannot be found or started.
    pub async fn open_page(&self, kind: DoorKind, url: &str) -> Result<(), DeskError> {
        let tab = self.door(kind)?.open(url).await?;
        let at = TabRef { door: kind, tab };
        let (row, number) = {
            let mut world = self.world();
            let pinned = world.chosen.opened(at.clone());
            // It may have been listed before it was known to be the person's.
            world.settle_origins(kind);
            let choice = if pinned { "opened and pinned" } else { "opened" };
            (choice, world.number_for(&at))
        };
        self.changed();
        let data = json!({ "choice": row, "door": kind, "page": format!("t{number}"), "url": url });
        self.record(chosen_row(Ingress::PanelHand, data)).await;
        Ok(())
    }

    /// Makes a tab the agent's page, in place of any other.
    ///
    /// # Errors
    /// When it is gone, or not where it was shown to be.
    pub async fn pin_page(&self, params: &ChoosePageParams) -> Result<(), DeskError> {
        let tab = self.as_shown(&params.at, &params.origin)?;
        self.world().chosen.pin(&tab);
        self.chose("pinned", &tab).await;
        Ok(())
    }

    /// Says yes to the origin that a chosen tab has moved to.
    ///
    /// # Errors
    /// When it is gone, or not where it was shown to be.
    pub async fn go_on_with_page(&self, params: &ChoosePageParams) -> Result<(), DeskError> {
        let tab = self.as_shown(&params.at, &params.origin)?;
        self.world().chosen.go_on(&tab);
        self.chose("gone on with", &tab).await;
        Ok(())
    }

    /// Takes a tab from the agent.
    ///
    /// # Errors
    /// When it is gone.
    pub async fn leave_page(&self, params: &LeavePageParams) -> Result<(), DeskError> {
        let tab = self.world().tab(&params.at).cloned().ok_or(DeskError::NoTab)?;
        self.world().chosen.leave(&params.at);
        self.chose("taken from the agent", &tab).await;
        Ok(())
    }

    /// Offers a tab to MCP clients, or does so no more.
    ///
    /// # Errors
    /// When it is gone, or not where it was shown to be.
    pub async fn offer_page(&self, params: &OfferPageParams) -> Result<(), DeskError> {
        let tab = self.as_shown(&params.at, &params.origin)?;
        self.world().chosen.offer(&tab, params.offered);
        let choice = if params.offered { "offered" } else { "offered no more" };
        self.chose(choice, &tab).await;
        Ok(())
    }

    /// The tab, if it is still on the origin that the person saw when they chose.
    fn as_shown(&self, at: &TabRef, origin: &str) -> Result<Tab, DeskError> {
        let tab = self.world().tab(at).cloned().ok_or(DeskError::NoTab)?;
        if tab.origin == origin {
            Ok(tab)
        } else {
            Err(DeskError::Elsewhere(host(&tab.origin).to_owned()))
        }
    }

    async fn chose(&self, choice: &str, tab: &Tab) {
        self.changed();
        let row = self.row_of(choice, tab, Ingress::PanelHand);
        self.record(row).await;
    }

    fn row_of(&self, choice: &str, tab: &Tab, ingress: Ingress) -> RowDraft {
        let number = self.world().number(&tab.into());
        let data = json!({
            "choice": choice,
            "door": tab.door,
            "page": format!("t{number}"),
            "origin": tab.origin,
        });
        chosen_row(ingress, data)
    }

    /// Takes over the tabs of a door. What the agent's pages opened while it acted there becomes its own; a pinned page that is
    /// gone is lost, and nothing is chosen in its place.
    pub(crate) async fn tabs_changed(&self, kind: DoorKind, tabs: Vec<Tab>) {
        let now = self.inner.clock.now().ms;
        let became = self.world().set_tabs(kind, tabs, now);
        self.changed();
        self.record_became(kind, became).await;
    }

    pub(crate) async fn record_became(&self, kind: DoorKind, became: Vec<(Became, u64)>) {
        for (became, number) in became {
            let choice = match became {
                Became::Followed(_) => "opened by the agent’s page",
                Became::Lost(_) => "lost",
            };
            let data = json!({ "choice": choice, "door": kind, "page": format!("t{number}") });
            self.record(chosen_row(Ingress::Desk, data)).await;
        }
    }

    /// Whether who asks may act on the page of a tool at all. A person who asks by hand names the page by doing so.
    pub(crate) async fn is_on_a_chosen_page(&self, ask: &CallAsk, tool: &Tool) -> Result<(), DeskError> {
        let may = {
            let world = self.world();
            let tab = world.tab(&(&tool.page).into());
            tab.is_some_and(|tab| match ask.caller.ingress {
                Ingress::PanelAgent => world.chosen.is_for_the_agent(tab),
                Ingress::McpClient => world.chosen.is_for_clients(tab),
                _ => true,
            })
        };
        if may {
            return Ok(());
        }
        self.record(RowDraft {
            kind: RowKind::TurnedAway,
            ingress: ask.caller.ingress,
            seat: ask.caller.name.clone(),
            reference: None,
            data: json!({ "name": tool.name, "origin": tool.page.origin, "how": "page-not-chosen" }),
        })
        .await;
        self.changed();
        Err(DeskError::NotChosen {
            tool: tool.name.clone(),
            host: host(&tool.page.origin).to_owned(),
        })
    }

    /// Says, until it is dropped, that the panel's agent acts in a page, if it is the agent who does.
    pub(crate) fn acting(&self, ingress: Ingress, at: TabRef) -> Option<Acting> {
        (ingress == Ingress::PanelAgent).then(|| {
            self.world().chosen.begins(at.clone());
            Acting { desk: self.clone(), at }
        })
    }
}

/// The panel's agent acts in a page.
pub(crate) struct Acting {
    desk: Desk,
    at: TabRef,
}

impl Drop for Acting {
    fn drop(&mut self) {
        let now = self.desk.inner.clock.now().ms;
        self.desk.world().chosen.ends(&self.at, now);
    }
}

fn chosen_row(ingress: Ingress, data: serde_json::Value) -> RowDraft {
    RowDraft {
        kind: RowKind::PageChosen,
        ingress,
        seat: if ingress == Ingress::Desk { "desk" } else { "panel" }.into(),
        reference: None,
        data,
    }
}
