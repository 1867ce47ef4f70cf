//! Reads that a person put beside a write, asked before it and after it.

use crate::common::{Bench, tool};
use countersign_bridge::Executed;
use countersign_contract::*;
use serde_json::{Value, json};
use tokio::sync::oneshot;

fn photograph(read: &str) -> Photograph {
    Photograph {
        read: read.into(),
        arguments: vec![Filled {
            name: "of".into(),
            from: "/account".into(),
        }],
    }
}

async fn bench(reads: &[&str]) -> Bench {
    let bench = Bench::new().await;
    bench.offer(vec![tool("order", false), tool("balance", true)]).await;
    bench.desk.set_beside(&[Beside {
        origin: "http://shop.example".into(),
        tool: "order".into(),
        digest: tool("order", false).digest,
        quote: None,
        photographs: reads.iter().map(|read| photograph(read)).collect(),
    }]);
    bench
}

fn says(bench: &Bench, answer: Value) {
    let mut reads = bench.door.reads.lock().unwrap();
    reads.insert("balance".into(), answer.to_string());
}

/// Releases a write, during which the balance becomes another.
async fn released(bench: &Bench, then: Value, ends: Executed) -> ProposalId {
    let proposal = bench.held(json!({ "account": "mine" })).await;
    let (end, wait) = oneshot::channel();
    *bench.door.gate.lock().unwrap() = Some(wait);
    bench.release(&proposal).await.unwrap();
    says(bench, then);
    end.send(ends).unwrap();
    bench.desk.settled(&proposal).await;
    proposal
}

async fn measured(bench: &Bench, proposal: &ProposalId) -> Measured {
    let is_it = |card: &&Proposal| card.id == *proposal && card.measured.is_some();
    let state = bench
        .until("it is measured", |state| {
            state.proposals.iter().any(|card| is_it(&card))
        })
        .await;
    let card = state.proposals.into_iter().find(|card| is_it(&card));
    card.and_then(|card| card.measured).unwrap()
}

fn committed() -> Executed {
    Executed::Committed { result: "done".into() }
}

#[tokio::test]
async fn what_a_write_changed_is_set_against_what_its_preview_promised() {
    let bench = bench(&["balance"]).await;
    bench
        .offer(vec![
            tool("order", false),
            tool("order.preview", true),
            tool("balance", true),
        ])
        .await;
    *bench.door.preview.lock().unwrap() = Some(json!({ "before": { "left": 20 }, "after": { "left": 8 } }));
    says(&bench, json!({ "left": 20, "at": "nine" }));
    let proposal = released(&bench, json!({ "left": 3, "at": "ten" }), committed()).await;

    let seen = measured(&bench, &proposal).await;
    let change = |path: &str, before: Value, after: Value| Change {
        path: path.into(),
        before: Some(before),
        after: Some(after),
    };
    assert!(
        matches!(&seen.photographs[0].shows, Shows::Compared { changes, cut: 0, .. }
            if *changes == [change("left", json!(20), json!(3)), change("at", json!("nine"), json!("ten"))]),
        "{seen:?}"
    );
    assert_eq!(
        seen.promises[0].found,
        Found::Otherwise {
            read: "balance".into(),
            measured: change("left", json!(20), json!(3)),
        }
    );
    assert_eq!(
        *bench.door.asked.lock().unwrap(),
        [r#"balance {"of":"mine"}"#, r#"balance {"of":"mine"}"#]
    );
    bench
        .until("its row is there", |_| {
            bench.kinds(&proposal).last() == Some(&RowKind::Photographed)
        })
        .await;
    assert_eq!(
        bench.kinds(&proposal),
        [
            RowKind::Proposed,
            RowKind::Released,
            RowKind::Outcome,
            RowKind::Photographed
        ]
    );
    let row = bench.rows().into_iter().find(|row| row.kind == RowKind::Photographed);
    let row = row.unwrap();
    assert_eq!(row.grade, Grade::ClientAsserted);
    assert_eq!(row.data["promises"][0]["found"], "otherwise");
    assert_eq!(
        row.data["promises"][0]["measured"],
        json!({"path": "left", "before": "20", "after": "3"})
    );
}

#[tokio::test]
async fn a_write_that_failed_is_photographed_too_and_a_read_that_is_not_there_is_not_measured() {
    let bench = bench(&["balance", "forecast"]).await;
    says(&bench, json!(20));
    let failed = Executed::Failed {
        message: "no stock".into(),
    };
    let proposal = released(&bench, json!(8), failed).await;
    let seen = measured(&bench, &proposal).await;
    assert!(
        matches!(&seen.photographs[0].shows, Shows::Compared { changes, .. } if changes.len() == 1),
        "{seen:?}"
    );
    assert!(
        matches!(&seen.photographs[1].shows, Shows::NotMeasured { why } if why.contains("did not offer")),
        "{seen:?}"
    );
}

#[tokio::test]
async fn what_did_not_run_is_not_compared() {
    let bench = bench(&["balance"]).await;
    says(&bench, json!(20));
    let not_run = Executed::NotRun {
        message: "the page went away".into(),
    };
    let proposal = released(&bench, json!(8), not_run).await;
    // Whatever came after its outcome would be recorded before the next ask.
    let next = bench.held(json!({})).await;
    bench
        .until("the next is recorded", |_| !bench.kinds(&next).is_empty())
        .await;
    assert_eq!(
        bench.kinds(&proposal),
        [RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    assert_eq!(bench.card(&proposal).measured, None);
}
