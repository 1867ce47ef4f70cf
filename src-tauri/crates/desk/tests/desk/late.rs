use countersign_bridge::{DoorEvent, Executed};
use countersign_contract::*;
use serde_json::json;
use tokio::sync::oneshot;

use crate::common::{Bench, tool};

#[tokio::test]
async fn what_a_page_tells_late_is_recorded_and_changes_nothing_else() {
    let bench = Bench::new().await;
    let (end, waits) = oneshot::channel();
    *bench.door.gate.lock().unwrap() = Some(waits);
    let proposal = bench.held(json!({})).await;
    bench.release(&proposal).await.unwrap();
    let late = |ended| DoorEvent::EndedLate {
        proposal: proposal.clone(),
        tool: Box::new(tool("order", false)),
        ended,
    };
    // Even if the page's word is there first, the row that says it is unknown is.
    bench
        .events
        .send(late(Executed::Committed { result: "done".into() }))
        .unwrap();
    end.send(Executed::Unknown {
        message: "the page did not answer".into(),
    })
    .unwrap();
    let answer = bench.desk.settled(&proposal).await.unwrap();
    assert_eq!(answer.verdict, Verdict::Unknown);
    bench
        .until("the late row is there", |_| {
            bench
                .kinds(&proposal)
                .iter()
                .filter(|kind| **kind == RowKind::Outcome)
                .count()
                == 2
        })
        .await;
    let rows = bench.rows();
    let [unknown, told] = &rows[rows.len() - 2..] else {
        panic!()
    };
    assert_eq!(unknown.data["outcome"], "unknown");
    assert_eq!(
        told.data,
        json!({
            "proposal": proposal,
            "outcome": "committed",
            "ran": true,
            "late": true,
            "resultDigest": countersign_ledger::sha256_hex(b"done"),
            "resultBytes": "4",
        })
    );
    assert_eq!((told.ingress, told.grade), (Ingress::Page, Grade::ClientAsserted));
    assert_eq!(bench.desk.answer(&proposal).unwrap().verdict, Verdict::Unknown);
    assert_eq!(bench.executed().len(), 1);
    // A restart takes it for neither held nor running.
    let after = bench.restarted().await;
    assert_eq!(after.kinds(&proposal), bench.kinds(&proposal));
}
