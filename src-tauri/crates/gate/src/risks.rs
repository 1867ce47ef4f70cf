use std::cmp::Reverse;

use countersign_contract::{Act, Caller, DoorKind, Grade, Preview, Risk, RiskLevel, ToolSource};
use serde_json::{Value, json};

use crate::invisible::invisible;

/// What a person should know before releasing, heaviest first.
pub(crate) fn risks(act: &Act, caller: &Caller, preview: &Preview, caught_lying: bool) -> Vec<Risk> {
    let mut risks = of_act(act, caught_lying);
    risks.extend(of_preview(preview));
    if caller.grade() == Grade::ClientAsserted {
        let text = "Code in the page asked for this. Who is behind it is not known.";
        risks.push(risk("ask.client-asserted", RiskLevel::Note, text));
    }
    risks.sort_by_key(|risk| Reverse(risk.level));
    risks
}

/// The ids that must be acknowledged one by one.
pub(crate) fn critical(risks: &[Risk]) -> impl Iterator<Item = &str> {
    risks
        .iter()
        .filter(|risk| risk.level == RiskLevel::Critical)
        .map(|risk| risk.id.as_str())
}

fn of_act(act: &Act, caught_lying: bool) -> Vec<Risk> {
    let mut risks = Vec::new();
    let texts = match act {
        Act::Network { request } => {
            let text = match &request.during {
                Some(tool) => {
                    format!("“{tool}” says it only reads, and the browser stopped this while it ran or just after.")
                }
                None => "This was sent while a tool ran that says it only reads.".into(),
            };
            risks.push(risk("network.lying-read", RiskLevel::Critical, text));
            json!([request.url, request.body])
        }
        Act::Tool { tool, arguments, .. } => {
            if tool.annotations.consequential {
                let text = "The page says this has effects in the real world or is hard to undo.";
                risks.push(risk("tool.consequential", RiskLevel::Critical, text));
            }
            if matches!(tool.page.door, DoorKind::Relay | DoorKind::McpB) {
                let text = "This page connected by itself, from a browser that is not Countersign's: what it says of its tools and of \
                            what comes of this is its own word (client-asserted). Countersign cannot see what else the page does.";
                risks.push(risk("door.relay", RiskLevel::Caution, text));
            }
            if caught_lying {
                let text = "This tool says it only reads, and was seen sending or changing something.";
                risks.push(risk("tool.lying-read", RiskLevel::Critical, text));
            }
            match tool.source {
                ToolSource::Script => {}
                ToolSource::Form => {
                    let text = "This fills in and may send a form of the page.";
                    risks.push(risk("tool.form", RiskLevel::Note, text));
                }
                ToolSource::Unwrapped => {
                    let text =
                        "This tool appeared without Countersign seeing it registered: calls by others are not held.";
                    risks.push(risk("tool.unwrapped", RiskLevel::Caution, text));
                }
            }
            arguments.clone()
        }
    };
    risks.extend(of_texts(&texts));
    risks
}

fn of_texts(texts: &Value) -> Option<Risk> {
    let found = invisible(texts);
    let names: Vec<_> = found
        .iter()
        .take(5)
        .map(|c| format!("U+{:04X}", u32::from(*c)))
        .collect();
    let more = if found.len() > names.len() { " and others" } else { "" };
    let text = format!(
        "There are characters in it that do not show or that turn text around: {}{more}.",
        names.join(", ")
    );
    (!found.is_empty()).then(|| risk("arguments.invisible", RiskLevel::Caution, text))
}

fn of_preview(preview: &Preview) -> Vec<Risk> {
    match preview {
        Preview::Pending | Preview::NoChange { .. } => Vec::new(),
        Preview::Unavailable { .. } => {
            let text = "What would change, and what it would cost, is not measured.";
            vec![risk("preview.unavailable", RiskLevel::Caution, text)]
        }
        Preview::Quoted { .. } => {
            let text = "What would change is not measured. Its price was asked of a read that a person named.";
            vec![risk("preview.quoted", RiskLevel::Caution, text)]
        }
        Preview::WouldFail { .. } => {
            vec![risk(
                "preview.would-fail",
                RiskLevel::Critical,
                "The page says it would refuse this.",
            )]
        }
        Preview::Changes(changes) => changes.risks.clone(),
    }
}

fn risk(id: &str, level: RiskLevel, text: impl Into<String>) -> Risk {
    Risk {
        id: id.into(),
        level,
        text: text.into(),
        grade: Grade::ServerObserved,
    }
}
