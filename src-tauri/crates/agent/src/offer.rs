use countersign_contract::{Tool, ToolSource};
use countersign_model::{Names, ToolSpec};

/// The tools of one round, under the names the model has for them. Calls of a round are looked up in the list the model was
/// given, never in a newer one.
pub(crate) struct Offer {
    tools: Vec<Tool>,
    names: Names,
}

/// Some providers refuse longer descriptions.
const LONGEST: usize = 1000;

impl Offer {
    pub(crate) fn new(tools: Vec<Tool>) -> Self {
        let identities: Vec<_> = tools.iter().map(identity).collect();
        let names = Names::new(
            identities
                .iter()
                .zip(&tools)
                .map(|(identity, tool)| (identity.as_str(), tool.name.as_str())),
        );
        Self { tools, names }
    }

    /// The tools as the model sees them.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        let spec = |(at, tool): (usize, &Tool)| {
            let name = self.names.wire(at)?.to_owned();
            Some(ToolSpec {
                name,
                description: description(tool),
                schema: tool.input_schema.clone(),
            })
        };
        self.tools.iter().enumerate().filter_map(spec).collect()
    }

    /// The tool a model means.
    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.get(self.names.find(name)?)
    }

    /// The name a call has in the history: the tool's own, or the nearest one a server accepts.
    pub(crate) fn name(&self, called: &str) -> String {
        let own = self.names.find(called).and_then(|at| self.names.wire(at));
        own.map_or_else(|| Names::allowed(called), str::to_owned)
    }

    /// What to tell a model that named a tool that is not there.
    pub(crate) fn unknown(&self, name: &str) -> String {
        let names: Vec<_> = (0..self.tools.len()).filter_map(|at| self.names.wire(at)).collect();
        match names.is_empty() {
            true => format!("There is no tool “{name}”: no open page offers any tool now. Nothing was called."),
            false => format!(
                "There is no tool “{name}”. Nothing was called. The tools now: {}.",
                names.join(", ")
            ),
        }
    }
}

/// Tells a tool from others of its name, and outlives its registration.
pub(crate) fn identity(tool: &Tool) -> String {
    let page = &tool.page;
    format!(
        "{:?}\n{}\n{}\n{}\n{}",
        page.door, page.tab, page.frame, page.origin, tool.name
    )
}

fn description(tool: &Tool) -> String {
    let reads = tool.annotations.read_only && tool.source == ToolSource::Script;
    let kind = if reads {
        "Reads, and runs at once."
    } else {
        "Changes something; held until the person decides."
    };
    let own = [&tool.title, &tool.description]
        .into_iter()
        .filter(|text| !text.trim().is_empty());
    let own: Vec<_> = own.map(|text| text.trim()).collect();
    let text = match own.is_empty() {
        true => format!("A tool of {}. {kind}", tool.page.origin),
        false => format!(
            "A tool of {}. {kind} The page says of it: {}",
            tool.page.origin,
            own.join(": ")
        ),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
