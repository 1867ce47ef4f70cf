use std::sync::Mutex;

use countersign_bridge::{DoorEvent, RelayConfig, RelayDoor, RelayInvitation};
use countersign_contract::{
    Code, ErrorView, MarkReadParams, MarkedRead, RefusedPage, RelayInvite, RelayOnParams, RelaySettings, RelayState,
    Settings, Tool,
};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{Core, lock};

/// The door for pages that connect by themselves, and what is told about it.
pub struct Relay {
    door: RelayDoor,
    invitation: Mutex<Option<RelayInvitation>>,
    /// Why it could not be turned on at the start.
    problem: Mutex<Option<String>>,
    /// Held while it is turned on or off, so that what is shown is of the same turn as the door.
    turning: tokio::sync::Mutex<()>,
}

impl Relay {
    pub fn new() -> (Self, UnboundedReceiver<DoorEvent>) {
        let (door, events) = RelayDoor::new();
        let relay = Self {
            door,
            invitation: Mutex::default(),
            problem: Mutex::default(),
            turning: tokio::sync::Mutex::default(),
        };
        (relay, events)
    }

    pub fn state(&self) -> RelayState {
        let status = self.door.status().borrow().clone();
        let invitation = lock(&self.invitation).clone();
        RelayState {
            on: invitation
                .filter(|invitation| status.on.as_ref() == Some(&invitation.on))
                .map(|invitation| RelayInvite {
                    address: invitation.on.address.to_string(),
                    origin: invitation.on.origin.clone(),
                    fingerprint: invitation.on.fingerprint.clone(),
                    url: invitation.url().to_owned(),
                }),
            attached: status.attached,
            silent: status.silent > 0,
            refused: status.refused.map(|page| RefusedPage {
                reason: page.reason,
                times: page.times,
            }),
            problem: lock(&self.problem).clone(),
        }
    }
}

impl Core {
    pub(super) fn open_relay(&self, events: UnboundedReceiver<DoorEvent>) {
        let door = self.inner.relay.door.clone();
        let mut status = door.status();
        self.inner.desk.add_door(std::sync::Arc::new(door), events);
        let core = self.clone();
        tokio::spawn(async move {
            while status.changed().await.is_ok() {
                core.changed();
            }
        });
    }

    /// Turns the relay on again if it was on when the app ended. Why it could not be is said in the settings.
    pub async fn restore_relay(&self) {
        let RelaySettings { on, origin, port } = self.settings().relay;
        if !on {
            return;
        }
        let _turning = self.inner.relay.turning.lock().await;
        let listening = self.listen(RelayOnParams { origin, port }).await;
        *lock(&self.inner.relay.problem) = listening.err().map(|error| error.message);
        self.changed();
    }

    /// Listens for pages of one origin, with a new token, and returns the settings as they are to be stored.
    ///
    /// # Errors
    /// When the origin is not one, or the port cannot be had.
    pub async fn turn_relay_on(&self, params: RelayOnParams) -> Result<Settings, ErrorView> {
        let _turning = self.inner.relay.turning.lock().await;
        self.listen(params.clone()).await?;
        let RelayOnParams { origin, port } = params;
        let origin = origin.trim().to_owned();
        Ok(self.keep_relay(|relay| *relay = RelaySettings { on: true, origin, port }))
    }

    /// Closes the relay: what its page was asked ends, and what is held for it cannot run any more.
    pub async fn turn_relay_off(&self) -> Settings {
        use countersign_bridge::Door;
        let relay = &self.inner.relay;
        let _turning = relay.turning.lock().await;
        relay.door.close().await;
        *lock(&relay.invitation) = None;
        self.keep_relay(|relay| relay.on = false)
    }

    /// Takes a tool of a page that connected by itself for a read, or for the write that it is otherwise. Returns the settings as they are to be
    /// stored.
    ///
    /// # Errors
    /// When the page does not list this very tool now, or says something of it itself.
    pub fn mark_read(&self, params: MarkReadParams) -> Result<Settings, ErrorView> {
        let MarkReadParams { mark, read } = params;
        if read && !self.lists(&mark) {
            let message = format!(
                "`{}` cannot be marked as a read: only a tool that a page which connected by itself lists now, and of which it says nothing, can be.",
                mark.tool
            );
            return Err(ErrorView::new(Code::NotFound, message));
        }
        let settings = {
            let mut settings = lock(&self.inner.settings);
            settings.marked_reads.retain(|other| *other != mark);
            if read {
                settings.marked_reads.push(mark);
            }
            settings.clone()
        };
        self.inner.desk.mark_reads(&settings.marked_reads);
        self.changed();
        Ok(settings)
    }

    fn lists(&self, mark: &MarkedRead) -> bool {
        let tabs = self.inner.desk.state().tabs;
        let is_it = |tool: &Tool| mark.is_about(tool);
        tabs.iter().flat_map(|tab| &tab.tools).any(is_it)
    }

    async fn listen(&self, params: RelayOnParams) -> Result<(), ErrorView> {
        let relay = &self.inner.relay;
        let config = RelayConfig {
            port: params.port,
            ..RelayConfig::new(params.origin.trim())
        };
        let invitation = relay.door.listen(config).await;
        let invitation = invitation.map_err(|error| ErrorView::new(Code::Settings, error.to_string()))?;
        *lock(&relay.invitation) = Some(invitation);
        *lock(&relay.problem) = None;
        self.changed();
        Ok(())
    }

    fn keep_relay(&self, change: impl FnOnce(&mut RelaySettings)) -> Settings {
        let settings = {
            let mut settings = lock(&self.inner.settings);
            change(&mut settings.relay);
            settings.clone()
        };
        *lock(&self.inner.relay.problem) = None;
        self.changed();
        settings
    }
}

#[cfg(test)]
mod tests;
