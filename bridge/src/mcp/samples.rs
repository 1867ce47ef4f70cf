//! Pages and tools for the tests of this folder.

use countersign_contract::{Annotations, DoorKind, PageRef, Tool, ToolKey, ToolSource};
use serde_json::json;

use super::seat::{Offered, Page};

pub(super) fn page(handle: &str, tools: Vec<Offered>) -> Page {
    Page {
        handle: handle.into(),
        title: "Shop".into(),
        url: "https://shop.example/".into(),
        tools,
    }
}

pub(super) fn tool(frame: &str, name: &str) -> Tool {
    Tool {
        key: ToolKey(format!("{frame}/{name}/1")),
        page: PageRef {
            door: DoorKind::Browser,
            tab: "T1".into(),
            frame: frame.into(),
            document: "D1".into(),
            origin: "https://shop.example".into(),
            url: "https://shop.example/".into(),
            title: "Shop".into(),
        },
        name: name.into(),
        title: String::new(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
        annotations: Annotations::default(),
        source: ToolSource::Script,
        digest: "0".repeat(64),
    }
}
