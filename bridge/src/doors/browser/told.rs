//! The door without a browser, for tests: it is told things, and has nobody to send to.

use std::sync::Weak;
use std::time::Duration;

use countersign_contract::{DoorKind, PageRef, Tool, ToolKey, ToolSource};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::guard::GuardTimes;
use super::protocol::Message;
use super::state::State;
use crate::DoorEvent;

/// What the door knows without a browser: tabs and frames that were told of, and nobody to send to.
pub struct Told {
    pub state: State,
    pub events: UnboundedReceiver<DoorEvent>,
}

impl Told {
    pub fn new() -> Self {
        let (sender, events) = unbounded_channel();
        let times = GuardTimes {
            read: Duration::from_secs(60),
            lie: Duration::from_secs(60),
        };
        let state = State::new(Weak::new(), sender, times);
        Self { state, events }
    }

    pub fn event(&mut self, session: Option<&str>, method: &str, params: Value) {
        let message = json!({ "method": method, "sessionId": session, "params": params });
        self.state.event(serde_json::from_value::<Message>(message).unwrap());
    }

    /// A tab with one frame of the same name.
    pub fn tab(&mut self, tab: &str, origin: &str, opener: Option<&str>) {
        let info = json!({ "targetId": tab, "type": "page", "openerId": opener });
        self.event(
            None,
            "Target.attachedToTarget",
            json!({ "sessionId": tab, "targetInfo": info }),
        );
        self.frame(tab, tab, None, origin);
    }

    pub fn frame(&mut self, tab: &str, id: &str, parent: Option<&str>, origin: &str) {
        let frame = json!({ "id": id, "parentId": parent, "loaderId": id, "url": origin, "securityOrigin": origin });
        self.event(Some(tab), "Page.frameNavigated", json!({ "frame": frame }));
    }
}

pub fn tool(name: &str, tab: &str, origin: &str) -> Tool {
    let page = PageRef {
        door: DoorKind::Browser,
        tab: tab.into(),
        frame: tab.into(),
        document: tab.into(),
        origin: origin.into(),
        url: origin.into(),
        title: String::new(),
    };
    Tool {
        key: ToolKey(name.into()),
        page,
        name: name.into(),
        title: String::new(),
        description: String::new(),
        input_schema: Value::Null,
        annotations: Default::default(),
        source: ToolSource::Script,
        digest: String::new(),
    }
}
