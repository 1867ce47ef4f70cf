use std::time::{Duration, Instant};

use countersign_contract::{Annotations, DoorKind, PageRef, Tool, ToolKey, ToolSource};
use countersign_gate::definition_digest;
use serde_json::{Value, json};

use super::protocol::{BrowserTool, RemovedTool};
use super::state::{Frame, Listed, Registration, State};

/// How long a tool may be in the browser's list before the interceptor's word for it must have come. The word travels through
/// the page, which may be busy with its own scripts; until then the tool is not shown at all.
pub(super) const GRACE: Duration = Duration::from_secs(3);

impl State {
    pub fn tools_added(&mut self, tools: Vec<BrowserTool>) {
        for tool in tools {
            let new = self.number();
            let Some(frame) = self.frames.get_mut(&tool.frame_id) else {
                continue;
            };
            let serial = match tool.backend_node_id {
                Some(node) => *frame.forms.entry(form_identity(node, &tool)).or_insert(new),
                None => new,
            };
            let listed = Listed {
                description: tool.description,
                input_schema: tool.input_schema,
                annotations: tool.annotations,
                form: tool.backend_node_id.is_some(),
                serial,
                registration: None,
                since: Instant::now(),
            };
            let before = frame.listed.insert(tool.name.clone(), listed);
            frame.end_listing(before);
            frame.bind(&tool.name);
            if let Some(node) = tool.backend_node_id {
                self.show_form(&tool.frame_id, node);
            }
        }
        self.changed();
    }

    /// A form may stand in a shadow tree that only the browser can reach: the interceptor is shown the form itself.
    fn show_form(&self, frame: &str, node: i64) {
        let frame = self.frames.get(frame);
        let Some((session, page)) = frame.and_then(|frame| Some((frame.session.clone(), frame.page.as_ref()?))) else {
            return;
        };
        let params = json!({ "backendNodeId": node, "executionContextId": page.context });
        let show = format!(
            "function() {{ dispatchEvent(new SubmitEvent({:?}, {{ submitter: this }})) }}",
            self.names.entry
        );
        let of = session.clone();
        self.then(
            Some(&session),
            "DOM.resolveNode",
            &params.to_string(),
            move |state, outcome| {
                if let Some(form) = outcome
                    .ok()
                    .and_then(|found| found["object"]["objectId"].as_str().map(str::to_owned))
                {
                    let params = json!({ "objectId": form, "functionDeclaration": show });
                    state.send(Some(&of), "Runtime.callFunctionOn", &params);
                }
            },
        );
    }

    pub fn tools_removed(&mut self, tools: Vec<RemovedTool>) {
        for tool in tools {
            if let Some(frame) = self.frames.get_mut(&tool.frame_id) {
                let before = frame.listed.remove(&tool.name);
                frame.end_listing(before);
            }
        }
        self.changed();
    }

    pub fn page_ref(&self, id: &str, frame: &Frame) -> PageRef {
        PageRef {
            door: DoorKind::Browser,
            tab: frame.tab.clone(),
            frame: id.to_owned(),
            document: frame.document.clone(),
            origin: frame.origin.clone(),
            url: frame.url.clone(),
            title: self
                .tabs
                .iter()
                .find(|tab| tab.id == frame.tab)
                .map(|tab| tab.title.clone())
                .unwrap_or_default(),
        }
    }

    /// The tool as it is defined now: still listed by the browser, under the same registration.
    pub fn current(&self, key: &ToolKey) -> Option<Tool> {
        let (frame, rest) = key.0.split_once('/')?;
        let (name, _) = rest.rsplit_once('/')?;
        self.listed_tool(frame, name).filter(|tool| tool.key == *key)
    }

    /// A tool in the browser's list, or `None` when it is not there or the interceptor's word for it is still awaited.
    pub fn listed_tool(&self, frame_id: &str, name: &str) -> Option<Tool> {
        let frame = self.frames.get(frame_id)?;
        let listed = frame.listed.get(name)?;
        if listed.form {
            return Some(self.form_tool(frame_id, frame, name, listed));
        }
        if let Some((number, registration)) = live(frame, name) {
            return Some(self.script_tool(frame_id, frame, number, registration, Some(listed)));
        }
        if listed.since.elapsed() < GRACE {
            return None;
        }
        Some(self.unwrapped_tool(frame_id, frame, name, listed))
    }

    /// The tool of one registration, listed or not: a call of it may still run after it was taken off the list.
    pub fn registered_tool(&self, frame_id: &str, number: u32) -> Option<Tool> {
        let frame = self.frames.get(frame_id)?;
        let registration = frame.page.as_ref()?.registrations.get(&number)?;
        let is_live = live(frame, &registration.name).is_some_and(|(live, _)| live == number);
        let listed = frame
            .listed
            .get(&registration.name)
            .filter(|listed| is_live && !listed.form);
        Some(self.script_tool(frame_id, frame, number, registration, listed))
    }

    /// The tool a call by this name goes to. The call may be ahead of the interceptor's word for the tool: then it is the
    /// tool as the browser lists it.
    pub fn tool_named(&self, frame_id: &str, name: &str) -> Option<Tool> {
        let frame = self.frames.get(frame_id)?;
        let listed = frame.listed.get(name);
        match (live(frame, name), listed) {
            (Some((number, registration)), _) => Some(self.script_tool(frame_id, frame, number, registration, listed)),
            (None, Some(listed)) if !listed.form => Some(self.unwrapped_tool(frame_id, frame, name, listed)),
            (None, _) => self.listed_tool(frame_id, name),
        }
    }

    /// Whether a call of this tool runs as a read: the interceptor took it for one, or, as long as that has not told, the
    /// browser did.
    pub fn claims_to_read(&self, tool: &Tool) -> bool {
        let frame = self.frames.get(&tool.page.frame);
        let listed = frame.and_then(|frame| frame.listed.get(&tool.name));
        match tool.source {
            ToolSource::Script => self.runs_unheld(tool),
            ToolSource::Unwrapped => listed.is_some_and(|listed| listed.annotations.read_only),
            ToolSource::Form => false,
        }
    }

    /// Whether the interceptor took this tool for a read.
    pub fn runs_unheld(&self, tool: &Tool) -> bool {
        let page = self.frames.get(&tool.page.frame).and_then(|frame| frame.page.as_ref());
        let registered = registration(tool).and_then(|number| page?.registrations.get(&number));
        registered.is_some_and(|registered| registered.read_only && !registered.consequential)
    }

    fn script_tool(
        &self,
        frame_id: &str,
        frame: &Frame,
        number: u32,
        registration: &Registration,
        listed: Option<&Listed>,
    ) -> Tool {
        let seen = listed.map(|listed| listed.annotations);
        let annotations = Annotations {
            // Both must say so: the browser takes `'no'` for true, and the page could have got at the interceptor's word.
            read_only: registration.read_only && seen.is_none_or(|seen| seen.read_only),
            consequential: registration.consequential || seen.is_some_and(|seen| seen.consequential),
            untrusted_content: registration.untrusted_content || seen.is_some_and(|seen| seen.untrusted_content),
            autosubmit: false,
        };
        let description = listed.map_or(&registration.description, |listed| &listed.description);
        let input_schema = listed.map_or(&registration.input_schema, |listed| &listed.input_schema);
        self.tool(
            frame_id,
            frame,
            (&registration.name, &number.to_string()),
            (&registration.title, description, input_schema),
            annotations,
            ToolSource::Script,
        )
    }

    /// A form always writes; what it says of itself only raises the level.
    fn form_tool(&self, frame_id: &str, frame: &Frame, name: &str, listed: &Listed) -> Tool {
        let hints = listed.hints();
        let registration = format!("f{}", listed.serial);
        let words = ("", listed.description.as_str(), &listed.input_schema);
        self.tool(frame_id, frame, (name, &registration), words, hints, ToolSource::Form)
    }

    fn unwrapped_tool(&self, frame_id: &str, frame: &Frame, name: &str, listed: &Listed) -> Tool {
        let hints = Annotations {
            autosubmit: false,
            ..listed.hints()
        };
        let registration = format!("u{}", listed.serial);
        let words = ("", listed.description.as_str(), &listed.input_schema);
        self.tool(
            frame_id,
            frame,
            (name, &registration),
            words,
            hints,
            ToolSource::Unwrapped,
        )
    }

    fn tool(
        &self,
        frame_id: &str,
        frame: &Frame,
        (name, registration): (&str, &str),
        (title, description, input_schema): (&str, &str, &Value),
        annotations: Annotations,
        source: ToolSource,
    ) -> Tool {
        let page = self.page_ref(frame_id, frame);
        Tool {
            key: ToolKey(format!("{frame_id}/{name}/{registration}")),
            digest: definition_digest(name, title, description, input_schema, &annotations, &page.origin),
            page,
            name: name.to_owned(),
            title: title.to_owned(),
            description: description.to_owned(),
            input_schema: input_schema.clone(),
            annotations,
            source,
        }
    }

    /// Whether a listed tool still waits for the interceptor's word.
    pub fn is_awaited(&self, frame: &Frame, name: &str) -> bool {
        frame
            .listed
            .get(name)
            .is_some_and(|listed| !listed.form && listed.since.elapsed() < GRACE)
            && live(frame, name).is_none()
    }
}

fn form_identity(node: i64, tool: &BrowserTool) -> String {
    let BrowserTool {
        name,
        description,
        input_schema,
        annotations,
        ..
    } = tool;
    format!("{node} {name} {annotations:?} {input_schema} {description}")
}

impl Listed {
    /// The browser's hints without the one that lowers the level.
    fn hints(&self) -> Annotations {
        Annotations {
            read_only: false,
            consequential: self.annotations.consequential,
            untrusted_content: self.annotations.untrusted_content,
            autosubmit: self.annotations.autosubmit,
        }
    }
}

/// The registration a name stands for: its listing's own, or, before it is listed, the one that will be.
fn live<'a>(frame: &'a Frame, name: &str) -> Option<(u32, &'a Registration)> {
    let registrations = &frame.page.as_ref()?.registrations;
    let number = match frame.listed.get(name) {
        Some(listed) => listed.registration?,
        None => frame.first(name)?,
    };
    registrations.get(&number).map(|registration| (number, registration))
}

impl Frame {
    /// Ties the listing of this name to the registration it stands for, if both are there. It stays tied: whatever is
    /// registered later is another listing.
    pub fn bind(&mut self, name: &str) {
        let first = self.first(name);
        if let Some(listed) = self.listed.get_mut(name)
            && !listed.form
            && listed.registration.is_none()
        {
            listed.registration = first;
        }
    }

    /// A listing has ended, and with it its registration, whether or not the page let the interceptor tell.
    fn end_listing(&mut self, listed: Option<Listed>) {
        if let Some(number) = listed.and_then(|listed| listed.registration)
            && let Some(page) = &mut self.page
        {
            page.registrations.remove(&number);
        }
    }

    /// The first registration of this name that has not ended. One that came after it had the browser refuse it.
    fn first(&self, name: &str) -> Option<u32> {
        let mut registrations = self.page.as_ref()?.registrations.iter();
        registrations
            .find(|(_, registration)| registration.name == name)
            .map(|(number, _)| *number)
    }
}

/// The number the interceptor gave a tool's registration; `None` for what it did not register.
pub(super) fn registration(tool: &Tool) -> Option<u32> {
    tool.key.0.rsplit_once('/').and_then(|(_, number)| number.parse().ok())
}
