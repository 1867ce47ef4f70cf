use std::sync::Arc;

use countersign_contract::*;
use countersign_gate::{Ask, AskedAct, At, Gate, Policy, ReadPass, Ticket};
use countersign_ledger::Ledger;
use serde_json::Value;

/// A real gate and a real ledger, to make passes and tickets.
pub struct Gatehouse {
    gate: Gate,
    ledger: Ledger,
    ms: u64,
    _folder: tempfile::TempDir,
}

impl Gatehouse {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(|| "2026-01-01T00:00:00.000Z".to_owned());
        let (ledger, opened) = Ledger::open(&folder.path().join("ledger"), clock).unwrap();
        Self {
            gate: Gate::new(Policy::default(), opened.last_proposal),
            ledger,
            ms: 0,
            _folder: folder,
        }
    }

    pub fn pass(&self, tool: &Tool, arguments: &Value) -> ReadPass {
        self.gate.read(tool, arguments).unwrap()
    }

    /// Proposes, shows, waits the arming time, presses, re-checks and releases.
    pub async fn ticket(&mut self, tool: &Tool, arguments: Value) -> Ticket {
        let ask = Ask {
            caller: Caller::new(Ingress::PanelHand, "test"),
            page: tool.page.clone(),
            act: AskedAct::Call {
                tool: Box::new(tool.clone()),
                arguments,
            },
            fingerprint: Fingerprint::default(),
            task: "test".into(),
        };
        let at = self.at();
        let (id, row) = self.gate.propose(ask, &at).unwrap();
        let row = self.ledger.append(row).await.unwrap();
        self.gate.recorded(&id, &row, &at).unwrap();
        if let Some(version) = self.gate.preview_wanted(&id) {
            let none = Preview::Unavailable { why: "none".into() };
            self.gate.set_preview(&id, version, none, &at);
        }
        self.gate.window(true, true, &at);
        let card = self.gate.get(&id, &at).unwrap();
        self.gate.shown(&id, &card.digest, &at);
        self.ms += 1000;
        let at = self.at();
        let params = ReleaseParams {
            proposal: id,
            digest: card.digest,
            acknowledged: card.risks.iter().map(|risk| risk.id.clone()).collect(),
            fingerprint: Fingerprint::default(),
            rule: None,
        };
        let press = self.gate.press(&params, &at).unwrap();
        let draft = self.gate.recheck(press, Some(tool), None, &at).unwrap();
        let row = self.ledger.append(draft.row().clone()).await.unwrap();
        self.gate.release(draft, row, [7; 16], &at).unwrap()
    }

    fn at(&self) -> At {
        At::new(self.ms, "2026-01-01T00:00:00.000Z")
    }
}
