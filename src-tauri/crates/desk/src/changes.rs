use std::sync::PoisonError;

use countersign_contract::{Ingress, Notice, RowDraft, RowKind, StorageChange, Tool};
use serde_json::json;

use crate::Desk;

/// Notices are one for each tool; a page that keeps publishing tools must not fill the list.
const NOTICES: usize = 50;

impl Desk {
    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.inner
            .notices
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What a page keeps has changed during a read that nobody released. That cannot be held, so it is recorded and shown; and
    /// where it can have been nothing but the tool, the tool is a write from now on.
    pub(crate) async fn changed_unreleased(&self, tool: &Tool, changes: Vec<StorageChange>, certain: bool) {
        let origin = &tool.page.origin;
        if certain {
            self.gate().caught_lying(&tool.digest, origin);
        }
        let at = self.inner.clock.now().utc;
        self.notice(tool, &changes, certain, at);
        self.changed();
        self.record(RowDraft {
            kind: RowKind::ChangedUnreleased,
            ingress: Ingress::Desk,
            seat: "desk".into(),
            reference: None,
            data: json!({
                "tool": tool.name,
                "toolDigest": tool.digest,
                "origin": origin,
                "changes": changes,
                "certain": certain,
            }),
        })
        .await;
        self.changed();
    }

    fn notice(&self, by: &Tool, seen: &[StorageChange], sure: bool, now: String) {
        let mut notices = self.inner.notices.lock().unwrap_or_else(PoisonError::into_inner);
        for notice in notices.iter_mut() {
            let Notice::ChangedUnreleased {
                tool,
                origin,
                changes,
                times,
                certain,
                at,
            } = notice;
            if *tool == by.name && *origin == by.page.origin {
                *changes = seen.to_vec();
                *times = times.saturating_add(1);
                *certain |= sure;
                *at = now;
                return;
            }
        }
        if notices.len() == NOTICES {
            notices.remove(0);
        }
        notices.push(Notice::ChangedUnreleased {
            tool: by.name.clone(),
            origin: by.page.origin.clone(),
            changes: seen.to_vec(),
            times: 1,
            certain: sure,
            at: now,
        });
    }
}
