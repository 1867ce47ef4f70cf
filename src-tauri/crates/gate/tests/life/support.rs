use std::sync::Arc;

use countersign_contract::{
    Annotations, Caller, DoorKind, EditParams, Fingerprint, HeldRef, Ingress, NetworkRequest, PageRef, Preview,
    Proposal, ProposalId, ProposalState, RefuseParams, ReleaseParams, RowDraft, SetAsideParams, Tool, ToolKey,
    ToolSource,
};
use countersign_gate::{
    Ask, AskedAct, At, Gate, GateError, Policy, Press, ReleaseDraft, Ticket, definition_digest, no_companion,
};
use countersign_ledger::{DurableRow, Ledger};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const NONCE: [u8; 16] = [0xab; 16];
pub const TASK: &str = "conversation-1";

/// A gate, a ledger and a clock that goes when it is told to.
pub struct Desk {
    pub gate: Gate,
    pub ms: u64,
    ledger: Ledger,
    _dir: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        Self::with(Policy {
            hold_ms: 60_000,
            ..Policy::default()
        })
    }

    pub fn with(policy: Policy) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(|| "2026-01-01T00:00:00.000Z".to_owned());
        let (ledger, _) = Ledger::open(dir.path(), clock).expect("a new ledger");
        Self {
            gate: Gate::new(policy, 0),
            ms: 1_000,
            ledger,
            _dir: dir,
        }
    }

    pub fn at(&self) -> At {
        let (seconds, ms) = (self.ms / 1000, self.ms % 1000);
        At::new(
            self.ms,
            format!("2026-01-01T00:{:02}:{:02}.{ms:03}Z", seconds / 60, seconds % 60),
        )
    }

    pub fn wait(&mut self, ms: u64) {
        self.ms += ms;
    }

    pub fn append(&self, draft: &RowDraft) -> DurableRow {
        self.ledger
            .append_blocking(draft.clone())
            .expect("a row that can be written")
    }

    pub fn rows(&self) -> Vec<countersign_contract::Row> {
        let params = countersign_contract::LedgerRowsParams {
            before: None,
            limit: 500,
            filter: String::new(),
        };
        self.ledger.rows(&params).expect("rows").rows
    }

    /// Asks, records, and answers the preview with "no companion".
    pub fn hold(&mut self, ask: Ask) -> ProposalId {
        let at = self.at();
        let (id, draft) = self.gate.propose(ask, &at).expect("an ask that can be taken");
        let row = self.append(&draft);
        self.gate.recorded(&id, &row, &at).expect("its own row");
        id
    }

    pub fn hold_with(&mut self, ask: Ask, preview: Preview) -> ProposalId {
        let id = self.hold(ask);
        let at = self.at();
        assert!(self.gate.set_preview(&id, 1, preview, &at));
        id
    }

    /// A held call of `buy` that has no preview.
    pub fn held(&mut self) -> ProposalId {
        self.hold_with(call(json!({"sku": "tea"})), no_companion(&buy()))
    }

    pub fn card(&self, id: &ProposalId) -> Proposal {
        self.gate.get(id, &self.at()).unwrap_or_else(|| panic!("{id} is known"))
    }

    pub fn state(&self, id: &ProposalId) -> ProposalState {
        self.card(id).state
    }

    /// Shows the card as it is now, to an active window.
    pub fn show(&mut self, id: &ProposalId) {
        let (at, digest) = (self.at(), self.card(id).digest);
        self.gate.window(true, true, &at);
        self.gate.shown(id, &digest, &at);
    }

    pub fn arm(&mut self, id: &ProposalId) {
        self.show(id);
        self.wait(500);
    }

    pub fn press(&mut self, id: &ProposalId) -> Result<Press, GateError> {
        let card = self.card(id);
        let acknowledged = card.risks.into_iter().map(|risk| risk.id).collect();
        let params = ReleaseParams {
            proposal: id.clone(),
            digest: card.digest,
            acknowledged,
            fingerprint: pressed(),
            rule: None,
        };
        self.gate.press(&params, &self.at())
    }

    /// Arms, presses, and re-checks with nothing moved.
    pub fn draft(&mut self, id: &ProposalId) -> ReleaseDraft {
        self.arm(id);
        let card = self.card(id);
        let press = self.press(id).expect("an armed card");
        let tool = press.tool().cloned();
        self.gate
            .recheck(press, tool.as_ref(), Some(card.preview), &self.at())
            .expect("nothing moved")
    }

    pub fn release(&mut self, id: &ProposalId) -> Ticket {
        let draft = self.draft(id);
        let row = self.append(draft.row());
        self.gate.release(draft, row, NONCE, &self.at()).expect("its own row")
    }

    pub fn refuse(&mut self, id: &ProposalId, reason: &str) -> Result<(RowDraft, Option<HeldRef>), GateError> {
        let params = RefuseParams {
            proposal: id.clone(),
            digest: String::new(),
            reason: reason.into(),
            fingerprint: pressed(),
            rule: None,
        };
        self.gate.refuse(&params, &self.at())
    }

    pub fn edit(&mut self, id: &ProposalId, arguments: Value) -> Result<RowDraft, GateError> {
        let params = EditParams {
            proposal: id.clone(),
            digest: self.card(id).digest,
            arguments,
        };
        self.gate.edit(&params, &self.at())
    }

    pub fn set_aside(&mut self, id: &ProposalId, aside: bool) -> Result<Option<RowDraft>, GateError> {
        self.gate.set_aside(
            &SetAsideParams {
                proposal: id.clone(),
                aside,
            },
            &self.at(),
        )
    }
}

pub fn page(document: &str) -> PageRef {
    PageRef {
        door: DoorKind::Browser,
        tab: "T1".into(),
        frame: "F1".into(),
        document: document.into(),
        origin: "https://shop.example".into(),
        url: "https://shop.example/basket".into(),
        title: "Shop".into(),
    }
}

pub fn tool(name: &str, annotations: Annotations) -> Tool {
    let input_schema = json!({"type": "object"});
    let page = page("D1");
    Tool {
        key: ToolKey(format!("F1/{name}/1")),
        digest: definition_digest(name, "", "", &input_schema, &annotations, &page.origin),
        page,
        name: name.into(),
        title: String::new(),
        description: String::new(),
        input_schema,
        annotations,
        source: ToolSource::Script,
    }
}

pub fn buy() -> Tool {
    tool("buy", Annotations::default())
}

pub fn reading(name: &str) -> Tool {
    tool(
        name,
        Annotations {
            read_only: true,
            ..Annotations::default()
        },
    )
}

pub fn model() -> Caller {
    Caller::new(Ingress::PanelAgent, "qwen3 through Ollama")
}

pub fn call_of(tool: Tool, arguments: Value) -> Ask {
    Ask {
        caller: model(),
        page: tool.page.clone(),
        act: AskedAct::Call {
            tool: Box::new(tool),
            arguments,
        },
        fingerprint: Fingerprint::default(),
        task: TASK.into(),
    }
}

pub fn call(arguments: Value) -> Ask {
    call_of(buy(), arguments)
}

pub fn held_call(handle: &str, arguments: &str) -> Ask {
    Ask {
        caller: Caller::new(Ingress::Page, "https://shop.example"),
        page: page("D1"),
        act: AskedAct::HeldCall {
            held: HeldRef(handle.into()),
            tool: Box::new(buy()),
            arguments: arguments.into(),
        },
        fingerprint: Fingerprint {
            is_trusted: Some(false),
            event: Some("click".into()),
            ..Fingerprint::default()
        },
        task: "D1".into(),
    }
}

pub fn request() -> NetworkRequest {
    NetworkRequest {
        method: "POST".into(),
        url: "https://shop.example/api/like".into(),
        body: Some("{}".into()),
        body_bytes: 2,
        resource: "Fetch".into(),
        during: Some("browse".into()),
    }
}

pub fn held_request(handle: &str, tool: Option<Tool>) -> Ask {
    Ask {
        caller: Caller::new(Ingress::BrowserNetwork, "https://shop.example"),
        page: page("D1"),
        act: AskedAct::HeldRequest {
            held: HeldRef(handle.into()),
            tool: tool.map(Box::new),
            request: request(),
        },
        fingerprint: Fingerprint::default(),
        task: TASK.into(),
    }
}

/// A preview that says the basket grows to `after` teas for `amount` euros, give or take a hundredth.
pub fn priced(after: u32, amount: &str) -> Preview {
    let answer = json!({
        "before": {"teas": 0},
        "after": {"teas": after},
        "cost": {"items": [{"label": "Tea", "amount": amount, "unit": "EUR"}], "tolerance": "0.01"},
    });
    countersign_gate::read_preview(&answer.to_string(), &At::new(0, "2026-01-01T00:00:00.000Z"))
}

pub fn pressed() -> Fingerprint {
    Fingerprint {
        is_trusted: Some(true),
        event: Some("click".into()),
        dwell_ms: Some(700),
        ..Fingerprint::default()
    }
}

pub fn risk_ids(card: &Proposal) -> Vec<&str> {
    card.risks.iter().map(|risk| risk.id.as_str()).collect()
}
