use countersign_contract::{Change, Found, Ingress, Measured, ProposalId, RowDraft, RowKind, Shows};
use serde_json::{Value, json};

use super::Gate;
use crate::digest::canonical;
use crate::photograph::measured;
use crate::{Shot, rows};

/// A row names this many changes of one read, and this many promises.
const MAX_NAMED: usize = 20;

impl Gate {
    /// What the reads beside a released write showed, once it has ended. Hands back the row; `None` when there is nothing to
    /// compare, or the proposal is not kept any more.
    pub fn photographed(&mut self, id: &ProposalId, shots: &[Shot]) -> Option<RowDraft> {
        let entry = self.entries.get_mut(id).filter(|entry| entry.phase.is_over())?;
        if shots.is_empty() || entry.measured.is_some() {
            return None;
        }
        let seen = measured(shots, &entry.preview);
        let row = row(&entry.page.origin, id, &seen);
        entry.measured = Some(seen);
        Some(row)
    }
}

fn row(origin: &str, id: &ProposalId, seen: &Measured) -> RowDraft {
    let reads = seen.photographs.iter().map(|photograph| match &photograph.shows {
        Shows::NotMeasured { why } => json!({ "read": photograph.read, "notMeasured": rows::words(why) }),
        Shows::Compared {
            changes,
            cut,
            before_digest,
            after_digest,
        } => json!({
            "read": photograph.read,
            "beforeDigest": before_digest,
            "afterDigest": after_digest,
            "differences": (changes.len() + cut).to_string(),
            "changes": changes.iter().take(MAX_NAMED).map(leaf).collect::<Vec<_>>(),
        }),
    });
    let promises = seen.promises.iter().take(MAX_NAMED).map(|promise| {
        let mut said = json!({ "promised": leaf(&promise.promised) });
        match &promise.found {
            Found::AsPromised { read } => {
                said["found"] = "as-promised".into();
                said["read"] = read.clone().into();
            }
            Found::Otherwise { read, measured } => {
                said["found"] = "otherwise".into();
                said["read"] = read.clone().into();
                said["measured"] = leaf(measured);
            }
            Found::NotTold => said["found"] = "not-told".into(),
        }
        said
    });
    let data = json!({
        "proposal": id,
        "reads": reads.collect::<Vec<_>>(),
        "promises": promises.collect::<Vec<_>>(),
        "promised": seen.promises.len().to_string(),
    });
    rows::draft(RowKind::Photographed, Ingress::Page, origin, id, data)
}

/// Values as JSON text: a row has no floats.
fn leaf(change: &Change) -> Value {
    let mut said = json!({ "path": rows::words(&change.path) });
    for (side, value) in [("before", &change.before), ("after", &change.after)] {
        if let Some(value) = value {
            said[side] = rows::words(&canonical(value)).into();
        }
    }
    said
}
