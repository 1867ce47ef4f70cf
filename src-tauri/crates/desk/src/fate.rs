use countersign_bridge::mcp::Told;
use countersign_contract::{ClientId, LedgerRowsParams, ProposalId, Row, RowKind, Verdict};

use crate::Desk;

/// More rows than a proposal has.
const ROWS: u32 = 200;

impl Desk {
    /// What became of something that a client asked for and this run does not know any more: what the ledger says of it. `None` when
    /// this client never asked for it.
    pub(crate) async fn fate(&self, proposal: &ProposalId, client: &ClientId) -> Option<Told> {
        // Anything else could be made to match other rows.
        proposal.0.strip_prefix('p')?.parse::<u64>().ok()?;
        // The whole ledger may have to be read: clients wait for each other.
        let _turn = self.inner.fates.acquire().await;
        let ledger = self.inner.ledger.clone();
        let params = LedgerRowsParams {
            before: None,
            limit: ROWS,
            filter: format!("\"ref\":\"{proposal}\""),
        };
        match tokio::task::spawn_blocking(move || ledger.rows(&params)).await {
            Ok(Ok(rows)) => told(proposal, client, &rows.rows),
            failed => {
                tracing::error!(?failed, "the ledger could not be read");
                Some(Told {
                    proposal: proposal.clone(),
                    tool: String::new(),
                    verdict: Verdict::Unknown,
                    text: format!("The ledger could not be read, so nothing is known of {proposal}. Ask again later."),
                    settled: false,
                })
            }
        }
    }
}

/// From the rows about it, newest first.
fn told(proposal: &ProposalId, client: &ClientId, rows: &[Row]) -> Option<Told> {
    let about = |row: &&Row| row.reference.as_ref() == Some(&proposal.0);
    let asked = rows.iter().filter(about).find(|row| row.kind == RowKind::Proposed)?;
    if asked.data["client"].as_str() != Some(&client.0) {
        return None;
    }
    let text = |row: &Row, member: &str| row.data[member].as_str().unwrap_or_default().trim().to_owned();
    let tool = text(asked, "tool");
    let what = format!(
        "The write `{tool}` (proposal {proposal}), which you asked for at {},",
        asked.at
    );
    let last = rows.iter().filter(about).find_map(|row| {
        let end = match row.kind {
            RowKind::Outcome if row.data["late"] == true => return None,
            RowKind::Outcome => match row.data["outcome"].as_str() {
                Some("committed") => (Verdict::Committed, "was released and ran once; the page reported success. Do not call it again.".into()),
                Some("failed") if row.data["ran"] == false => (Verdict::Failed, format!("was released but certainly did not run: {}. Nothing has changed.", text(row, "message"))),
                Some("failed") => (Verdict::Failed, format!("was released and sent once, and the page reported failure: {}. Whether something changed all the same is not known: read how things stand.", text(row, "message"))),
                Some("page-gate") => (Verdict::PageWaits, "was released, and a gate of the page's own answered in the tool's place: it has neither succeeded nor failed, as far as is known.".into()),
                _ => (Verdict::Unknown, "was released, and nobody saw how it ended. It may have happened and is never run again by itself: read how things stand.".into()),
            },
            RowKind::Refused => (Verdict::Refused, match text(row, "reason") {
                reason if reason.is_empty() => "was refused by the person. Nothing has changed. Do not ask for it again.".to_owned(),
                reason => format!("was refused by the person, who says: {reason}. Nothing has changed. Do not ask for it again."),
            }),
            RowKind::Expired => (Verdict::Expired, "expired: nobody decided before Countersign ended or its time was over. Nothing has changed. What it would have cost was measured at a moment that is over, so it cannot be released any more; ask for it anew if it is still wanted.".into()),
            RowKind::Withdrawn => (Verdict::Withdrawn, "was taken back. Nothing has changed.".into()),
            RowKind::PageGone => (Verdict::PageGone, "was lost with its page. Nothing has changed.".into()),
            _ => return None,
        };
        Some(end)
    });
    let (verdict, ended): (Verdict, String) = last.unwrap_or((
        Verdict::Unknown,
        "is in the ledger without an end. Whether it ran is not known: read how things stand.".into(),
    ));
    Some(Told {
        proposal: proposal.clone(),
        tool,
        verdict,
        text: format!("{what} {ended}"),
        settled: true,
    })
}
