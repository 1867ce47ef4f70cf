use std::sync::{Arc, PoisonError};

use countersign_bridge::{Door, DoorError};
use countersign_contract::wire::Head;
use countersign_contract::{Caller, DoorKind, Ingress, PageRef, RowDraft, RowKind, Tool};
use countersign_ledger::sha256_hex;
use serde_json::json;

use crate::{Desk, DeskError};

impl Desk {
    pub(crate) fn door(&self, kind: DoorKind) -> Result<Arc<dyn Door>, DeskError> {
        let doors = self.inner.doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors
            .iter()
            .find(|door| door.kind() == kind)
            .cloned()
            .ok_or(DeskError::NoDoor)
    }

    /// Writes a row that follows its act. The act stands whether or not the row can be written; the ledger shows itself
    /// read-only from then on and nothing more can be released.
    pub(crate) async fn record(&self, row: RowDraft) {
        if let Err(error) = self.inner.ledger.append(row).await {
            tracing::error!(%error, "a row could not be written");
        }
    }

    /// Records the head of a page's own chain, and has the page told in which row.
    pub(crate) async fn page_head(&self, kind: DoorKind, page: PageRef, number: u32, head: Head) {
        let row = RowDraft {
            kind: RowKind::PageHead,
            ingress: Ingress::Page,
            seat: page.origin.clone(),
            reference: None,
            data: json!({ "origin": page.origin, "seq": head.seq.to_string(), "hash": head.hash }),
        };
        let recorded = self.inner.ledger.append(row).await.map(|row| row.into_row());
        let row = recorded
            .inspect_err(|error| tracing::error!(%error, "a row could not be written"))
            .ok()
            .map(|row| Head {
                seq: row.seq,
                hash: row.hash,
            });
        if let Ok(door) = self.door(kind) {
            door.tell_head(&page, number, row);
        }
    }

    /// Records a read without making it wait for the disk.
    pub(crate) fn record_read(
        &self,
        caller: &Caller,
        tool: &Tool,
        arguments: &str,
        result: Option<&Result<String, DoorError>>,
    ) {
        let ended = match result {
            Some(Ok(text)) => json!({ "ended": "answered", "resultDigest": sha256_hex(text.as_bytes()) }),
            Some(Err(error)) => json!({ "ended": "failed", "message": error.to_string() }),
            None => json!({ "ended": "not seen" }),
        };
        let mut data = json!({
            "tool": tool.name,
            "toolDigest": tool.digest,
            "origin": tool.page.origin,
            "argumentsDigest": sha256_hex(arguments.as_bytes()),
            "outcome": ended,
        });
        if self.gate().is_marked(tool) {
            // The page never said that it reads.
            data["markedRead"] = true.into();
        }
        let row = RowDraft {
            kind: RowKind::Read,
            ingress: caller.ingress,
            seat: caller.name.clone(),
            reference: None,
            data,
        };
        let desk = self.clone();
        tokio::spawn(async move {
            desk.record(row).await;
            desk.changed();
        });
    }
}

/// 16 bytes nobody can guess.
pub(crate) fn nonce() -> [u8; 16] {
    let mut bytes = [0; 16];
    // Without the system's randomness a ticket could be guessed by the page; there is nothing sensible to go on with.
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes
}
