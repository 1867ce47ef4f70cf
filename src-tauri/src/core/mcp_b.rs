use std::sync::Mutex;

use countersign_bridge::{Door, DoorEvent, McpBConfig, McpBDoor};
use countersign_contract::{Code, ErrorView, McpBOnParams, McpBSettings, McpBState, RefusedPage, Settings};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{Core, lock};

/// The door for pages with the mcp-b widget, and what is told about it.
pub struct McpB {
    door: McpBDoor,
    /// Why it could not be turned on at the start.
    problem: Mutex<Option<String>>,
    /// Held while it is turned on or off, so that the settings are of the same turn as the door.
    turning: tokio::sync::Mutex<()>,
}

impl McpB {
    pub fn new() -> (Self, UnboundedReceiver<DoorEvent>) {
        let (door, events) = McpBDoor::new();
        let mcp_b = Self {
            door,
            problem: Mutex::default(),
            turning: tokio::sync::Mutex::default(),
        };
        (mcp_b, events)
    }

    pub fn state(&self) -> McpBState {
        let status = self.door.status().borrow().clone();
        McpBState {
            on: status.on.map(|on| on.address.to_string()),
            pages: u32::try_from(status.pages).unwrap_or(u32::MAX),
            refused: status.refused.map(|refused| RefusedPage {
                reason: refused.reason,
                times: refused.times,
            }),
            problem: lock(&self.problem).clone(),
        }
    }
}

impl Core {
    pub(super) fn open_mcp_b(&self, events: UnboundedReceiver<DoorEvent>) {
        let door = self.inner.mcp_b.door.clone();
        let mut status = door.status();
        self.inner.desk.add_door(std::sync::Arc::new(door), events);
        let core = self.clone();
        tokio::spawn(async move {
            while status.changed().await.is_ok() {
                core.changed();
            }
        });
    }

    /// Turns the door for mcp-b pages on again if it was on when the app ended. Why it could not be is said in the settings.
    pub async fn restore_mcp_b(&self) {
        let McpBSettings {
            on,
            origins,
            widgets,
            port,
        } = self.settings().mcp_b;
        if !on {
            return;
        }
        let _turning = self.inner.mcp_b.turning.lock().await;
        let params = McpBOnParams { origins, widgets, port };
        let listening = self.listen_for_mcp_b(&params).await;
        *lock(&self.inner.mcp_b.problem) = listening.err().map(|error| error.message);
        self.changed();
    }

    /// Listens for pages of these origins, and returns the settings as they are to be stored.
    ///
    /// # Errors
    /// When there is no origin or one that is none, or the port cannot be had.
    pub async fn turn_mcp_b_on(&self, params: McpBOnParams) -> Result<Settings, ErrorView> {
        let _turning = self.inner.mcp_b.turning.lock().await;
        let params = McpBOnParams {
            origins: lines(&params.origins),
            widgets: lines(&params.widgets),
            port: params.port,
        };
        self.listen_for_mcp_b(&params).await?;
        let McpBOnParams { origins, widgets, port } = params;
        Ok(self.keep_mcp_b(|mcp_b| {
            *mcp_b = McpBSettings {
                on: true,
                origins,
                widgets,
                port,
            };
        }))
    }

    /// Closes the door: what its pages were asked ends, and what is held for them cannot run any more.
    pub async fn turn_mcp_b_off(&self) -> Settings {
        let _turning = self.inner.mcp_b.turning.lock().await;
        self.inner.mcp_b.door.close().await;
        self.keep_mcp_b(|mcp_b| mcp_b.on = false)
    }

    async fn listen_for_mcp_b(&self, params: &McpBOnParams) -> Result<(), ErrorView> {
        let config = McpBConfig {
            origins: params.origins.clone(),
            widgets: params.widgets.clone(),
            port: params.port,
        };
        let listening = self.inner.mcp_b.door.listen(config).await;
        listening
            .map(drop)
            .map_err(|error| ErrorView::new(Code::Settings, error.to_string()))
    }

    fn keep_mcp_b(&self, change: impl FnOnce(&mut McpBSettings)) -> Settings {
        let settings = {
            let mut settings = lock(&self.inner.settings);
            change(&mut settings.mcp_b);
            settings.clone()
        };
        *lock(&self.inner.mcp_b.problem) = None;
        self.changed();
        settings
    }
}

fn lines(given: &[String]) -> Vec<String> {
    let trimmed = given.iter().map(|line| line.trim().to_owned());
    trimmed.filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests;
