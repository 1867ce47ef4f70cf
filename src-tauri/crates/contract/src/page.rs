use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// The door a page is reached through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum DoorKind {
    /// The browser Countersign started itself, over its debugging pipe.
    Browser,
    /// The person's own browser, through the extension.
    Extension,
    /// A page that opted in, over loopback HTTP.
    Relay,
    /// A page with the widget of `@mcp-b/webmcp-local-relay`, over a WebSocket on loopback.
    McpB,
}

/// Where a document is. `frame` is one document's frame; it survives a same-site navigation, `document` does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct PageRef {
    /// The door the page is reached through.
    pub door: DoorKind,
    /// The tab (CDP target id of the top page).
    pub tab: String,
    /// The frame (CDP frame id).
    pub frame: String,
    /// The document in that frame (CDP loader id): another document is another page.
    pub document: String,
    /// The frame's own origin, such as `https://shop.example`.
    pub origin: String,
    /// The address of the frame's document.
    pub url: String,
    /// The title of the tab.
    pub title: String,
}

/// `ToolAnnotations` of the WebMCP draft, as the page gave them. Strict: a member is true only when the page passed `true`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "contract.ts")]
pub struct Annotations {
    /// `readOnlyHint`: the page's word that the tool changes nothing.
    pub read_only: bool,
    /// `consequentialHint`: real-world or hard to undo. Only ever raises the level.
    pub consequential: bool,
    /// `untrustedContentHint`: the result holds other people's text.
    pub untrusted_content: bool,
    /// CDP `autosubmit`: a form that submits itself once filled.
    pub autosubmit: bool,
}

/// A tool as a page published it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Tool {
    /// The tool's handle in the door, unique for one registration: a tool registered again is another tool.
    pub key: ToolKey,
    /// The page that published it.
    pub page: PageRef,
    /// 1 to 128 characters of `[A-Za-z0-9_.-]`.
    pub name: String,
    /// The page's title for it; empty when it gave none.
    pub title: String,
    /// The page's description. Untrusted text.
    pub description: String,
    /// JSON Schema of the arguments, as the page gave it; nothing enforces it but us.
    pub input_schema: Value,
    /// The page's hints.
    pub annotations: Annotations,
    /// How the tool was published.
    pub source: ToolSource,
    /// SHA-256 over name, title, description, schema, annotations and origin.
    pub digest: String,
}

/// One registration of one tool in one frame: `<frame>/<name>/<registration>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[ts(export_to = "contract.ts")]
pub struct ToolKey(pub String);

/// How a tool came to be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum ToolSource {
    /// `registerTool`, seen by the interceptor: calls by anybody are held.
    Script,
    /// A declarative form; always a write.
    Form,
    /// Listed by the browser but never seen by the interceptor. Treated as a write, and the panel says so.
    Unwrapped,
}

/// What a door can be found doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[ts(export_to = "contract.ts")]
pub enum DoorState {
    /// Not started.
    Closed,
    /// No Chromium-family browser is installed.
    NoBrowser {
        /// What was looked for, and how to get one.
        message: String,
    },
    /// The browser is being started.
    Starting,
    /// Connected.
    Open {
        /// The browser's own name and version, such as `Chrome/156.0.8078.114`.
        product: String,
    },
    /// The browser was closed by the person.
    Exited {
        /// What happened and what to do.
        message: String,
    },
    /// The browser died, or could not be started.
    Crashed {
        /// What happened and what to do.
        message: String,
    },
}

/// What a tab can be found doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum TabState {
    /// The document is being fetched or built.
    Loading,
    /// The document is there and `document.modelContext` exists.
    Ready,
    /// The document is there, but WebMCP is not (an insecure origin, a browser page).
    NoWebmcp,
    /// The tab's renderer died.
    Crashed,
}

/// A tab of an open door, with the tools of all its frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct Tab {
    /// CDP target id.
    pub id: String,
    /// The door it belongs to.
    pub door: DoorKind,
    /// The tab's title.
    pub title: String,
    /// The top document's address.
    pub url: String,
    /// The top document's origin.
    pub origin: String,
    /// What it is doing.
    pub state: TabState,
    /// The tools of every frame, sorted by frame then name.
    pub tools: Vec<Tool>,
}

/// A door's handle for something it holds: a page's own call, or a paused request. Opaque outside the door.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[ts(export_to = "contract.ts")]
pub struct HeldRef(pub String);
