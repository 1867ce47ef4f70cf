use countersign_contract::{Preview, Tool};

use crate::{Level, level};

/// The name of the read tool that previews the write `name`.
pub fn companion_name(name: &str) -> String {
    format!("{name}.preview")
}

/// The companion preview of `tool` among `tools`: a read of the right name in the same document.
pub fn companion_of<'a>(tool: &Tool, tools: &'a [Tool]) -> Option<&'a Tool> {
    read_beside(tool, &companion_name(&tool.name), tools)
}

/// Whether `tool` is the companion preview of one of `tools`, and so kept out of the model's list.
pub fn is_companion(tool: &Tool, tools: &[Tool]) -> bool {
    let Some(write) = tool.name.strip_suffix(".preview") else {
        return false;
    };
    level(tool) == Level::Read
        && tools
            .iter()
            .any(|other| other.name == write && same_document(other, tool) && level(other) == Level::Write)
}

/// The read of that name in the document of `tool`.
pub fn read_beside<'a>(tool: &Tool, name: &str, tools: &'a [Tool]) -> Option<&'a Tool> {
    tools
        .iter()
        .find(|other| other.name == name && same_document(other, tool) && level(other) == Level::Read)
}

/// What the card of a write without a companion says.
pub fn no_companion(tool: &Tool) -> Preview {
    Preview::Unavailable {
        why: format!(
            "The page offers no “{}”, so nobody can say beforehand what would change.",
            companion_name(&tool.name)
        ),
    }
}

fn same_document(one: &Tool, other: &Tool) -> bool {
    one.page.door == other.page.door && one.page.frame == other.page.frame && one.page.document == other.page.document
}
