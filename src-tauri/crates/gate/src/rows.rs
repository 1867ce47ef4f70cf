use countersign_contract::{
    Act, Fingerprint, Ingress, Moved, PageGate, PageRef, Preview, ProposalId, Row, RowDraft, RowKind, Rule,
};
use serde_json::{Map, Value, json};

use crate::digest::sha256;
use crate::entry::Entry;

/// Page words in a row are cut to this; the card has them whole.
const MAX_WORDS: usize = 2000;

/// A draft about `proposal` by the desk itself.
pub(crate) fn by_desk(kind: RowKind, proposal: &ProposalId, data: Value) -> RowDraft {
    draft(kind, Ingress::Desk, "desk", proposal, data)
}

/// A draft about `proposal` by whoever sits at the approval window.
pub(crate) fn by_approval(kind: RowKind, proposal: &ProposalId, data: Value) -> RowDraft {
    draft(kind, Ingress::Approval, "approval", proposal, data)
}

/// A draft about `entry` by its caller.
pub(crate) fn by_caller(kind: RowKind, entry: &Entry, data: Value) -> RowDraft {
    draft(kind, entry.caller.ingress, &entry.caller.name, &entry.id, data)
}

/// A draft by the desk itself that belongs to no proposal.
pub(crate) fn of_desk(kind: RowKind, data: Value) -> RowDraft {
    unbound(kind, Ingress::Desk, "desk", data)
}

/// A draft by whoever sits at the approval window that belongs to no proposal.
pub(crate) fn of_approval(kind: RowKind, data: Value) -> RowDraft {
    unbound(kind, Ingress::Approval, "approval", data)
}

/// A draft by whoever sits at the panel.
pub(crate) fn of_panel(kind: RowKind, data: Value) -> RowDraft {
    unbound(kind, Ingress::PanelHand, "panel", data)
}

/// The row a rule lives in.
pub(crate) fn rule_made(rule: &Rule) -> RowDraft {
    of_approval(RowKind::RuleMade, json!({ "rule": crate::rules::written(rule) }))
}

fn unbound(kind: RowKind, ingress: Ingress, seat: &str, data: Value) -> RowDraft {
    RowDraft {
        kind,
        ingress,
        seat: seat.into(),
        reference: None,
        data,
    }
}

pub(crate) fn draft(kind: RowKind, ingress: Ingress, seat: &str, proposal: &ProposalId, data: Value) -> RowDraft {
    RowDraft {
        kind,
        ingress,
        seat: seat.into(),
        reference: Some(proposal.0.clone()),
        data,
    }
}

/// Whether `row` is what became of `draft`.
pub(crate) fn is_row_of(draft: &RowDraft, row: &Row) -> bool {
    draft.kind == row.kind
        && draft.ingress == row.ingress
        && draft.seat == row.seat
        && draft.reference == row.reference
        && draft.data == row.data
}

/// What would run, as every row about it says it.
pub(crate) fn act(act: &Act, canonical: &str) -> Map<String, Value> {
    let mut data = Map::new();
    match act {
        Act::Tool { tool, .. } => {
            data.insert("act".into(), "tool".into());
            data.insert("tool".into(), tool.name.clone().into());
            data.insert("toolKey".into(), tool.key.0.clone().into());
            data.insert("toolDigest".into(), tool.digest.clone().into());
            data.insert("arguments".into(), canonical.into());
        }
        Act::Network { request } => {
            data.insert("act".into(), "network".into());
            data.insert("method".into(), request.method.clone().into());
            data.insert("url".into(), request.url.clone().into());
            data.insert("bodyBytes".into(), request.body_bytes.to_string().into());
            data.insert("during".into(), json!(request.during));
        }
    }
    data.insert("argumentsDigest".into(), sha256(canonical).into());
    data
}

pub(crate) fn page(page: &PageRef) -> Value {
    json!({
        "door": page.door,
        "tab": page.tab,
        "frame": page.frame,
        "document": page.document,
        "origin": page.origin,
        "url": page.url,
    })
}

/// A fingerprint without a number a ledger could not hold.
pub(crate) fn fingerprint(fingerprint: &Fingerprint) -> Value {
    const EXACT: u64 = (1 << 53) - 1;
    json!(Fingerprint {
        dwell_ms: fingerprint.dwell_ms.map(|ms| ms.min(EXACT)),
        ..fingerprint.clone()
    })
}

pub(crate) fn moved(moved: &[Moved]) -> Value {
    moved
        .iter()
        .map(|moved| json!({"what": moved.what, "before": words(&moved.before), "after": words(&moved.after)}))
        .collect()
}

/// What a gate of the page's own says, its words cut like all of a page's.
pub(crate) fn page_gate(gate: &PageGate) -> Value {
    let short = |text: &Option<String>| text.as_deref().map(words);
    json!(match gate {
        PageGate::Waiting { reference } => PageGate::Waiting {
            reference: short(reference),
        },
        PageGate::Declined { reason } => PageGate::Declined { reason: short(reason) },
        PageGate::Expired => PageGate::Expired,
        PageGate::NotAsked => PageGate::NotAsked,
    })
}

pub(crate) fn preview_state(preview: &Preview) -> &'static str {
    match preview {
        Preview::Pending => "pending",
        Preview::Unavailable { .. } => "unavailable",
        Preview::WouldFail { .. } => "would-fail",
        Preview::Quoted { .. } => "quoted",
        Preview::NoChange { .. } => "no-change",
        Preview::Changes(_) => "changes",
    }
}

pub(crate) fn words(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_WORDS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
