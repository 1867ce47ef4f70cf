use countersign_bridge::{DoorEvent, Executed};
use countersign_contract::*;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::common::{Bench, tool};

const HELD: &str = r#"{"proposal":"p7","status":"held","changed":"nothing yet"}"#;

/// A released write that ends so, and its answer and row.
async fn ends(executed: Executed) -> (Answer, ProposalState, Value) {
    let bench = Bench::new().await;
    let (end, waits) = oneshot::channel();
    *bench.door.gate.lock().unwrap() = Some(waits);
    let proposal = bench.held(json!({})).await;
    bench.release(&proposal).await.unwrap();
    end.send(executed).unwrap();
    let answer = bench.desk.settled(&proposal).await.unwrap();
    bench
        .until("the outcome is recorded", |_| {
            bench.kinds(&proposal).contains(&RowKind::Outcome)
        })
        .await;
    let row = bench.rows().pop().unwrap();
    (answer, bench.card(&proposal).state, row.data)
}

#[tokio::test]
async fn a_write_that_the_page_s_own_gate_holds_is_no_success() {
    let (answer, state, row) = ends(Executed::Committed { result: HELD.into() }).await;
    assert_eq!(answer.verdict, Verdict::PageWaits);
    let gate = PageGate::Waiting {
        reference: Some("p7".into()),
    };
    assert!(matches!(state, ProposalState::PageGate { gate: is, .. } if is == gate));
    assert_eq!(
        (&row["outcome"], &row["ran"], &row["gate"]),
        (
            &json!("page-gate"),
            &Value::Null,
            &json!({ "says": "waiting", "reference": "p7" })
        )
    );
}

#[tokio::test]
async fn a_gate_that_throws_is_no_failure_and_what_only_sounds_like_one_is_taken_at_its_word() {
    let declined = "Error: The operator declined this action. Nothing was changed.";
    let (answer, ..) = ends(Executed::Failed {
        message: declined.into(),
    })
    .await;
    assert_eq!(answer.verdict, Verdict::PageDeclined);
    let failed = json!({ "status": "ERROR", "reason": "execution_error", "tool": "order" }).to_string();
    let (answer, _, row) = ends(Executed::Committed { result: failed }).await;
    assert_eq!(
        (answer.verdict, &row["message"]),
        (Verdict::Failed, &json!("execution_error"))
    );
    let (answer, ..) = ends(Executed::Committed {
        result: "The order is held for you at the counter.".into(),
    })
    .await;
    assert_eq!(answer.verdict, Verdict::Committed);
}

#[tokio::test]
async fn a_late_word_of_the_page_s_own_gate_is_recorded_as_one() {
    let bench = Bench::new().await;
    let (end, waits) = oneshot::channel();
    *bench.door.gate.lock().unwrap() = Some(waits);
    let proposal = bench.held(json!({})).await;
    bench.release(&proposal).await.unwrap();
    end.send(Executed::Unknown { message: "late".into() }).unwrap();
    let late = DoorEvent::EndedLate {
        proposal: proposal.clone(),
        tool: Box::new(tool("order", false)),
        ended: Executed::Committed { result: HELD.into() },
    };
    bench.events.send(late).unwrap();
    let outcomes = || {
        let rows = bench.rows();
        rows.into_iter()
            .filter(|row| row.kind == RowKind::Outcome)
            .collect::<Vec<_>>()
    };
    bench.until("the late row is there", |_| outcomes().len() == 2).await;
    let row = &outcomes()[1];
    assert_eq!(
        (&row.data["outcome"], &row.data["late"], &row.data["gate"]["says"]),
        (&json!("page-gate"), &json!(true), &json!("waiting"))
    );
}
