//! Prices of writes without a preview, told by a read that a person named.

use crate::common::{Bench, tool};
use countersign_contract::*;
use serde_json::json;

fn beside(digest: &str) -> Beside {
    Beside {
        origin: "http://shop.example".into(),
        tool: "order".into(),
        digest: digest.into(),
        quote: Some(Quote {
            read: "quote".into(),
            arguments: vec![Filled {
                name: "count".into(),
                from: "/cups".into(),
            }],
            amount: "/total".into(),
            unit: "EUR".into(),
        }),
        photographs: Vec::new(),
    }
}

async fn bench() -> Bench {
    let bench = Bench::new().await;
    bench.offer(vec![tool("order", false), tool("quote", true)]).await;
    bench.desk.set_beside(&[beside(&tool("order", false).digest)]);
    bench
}

fn says(bench: &Bench, answer: serde_json::Value) {
    bench
        .door
        .reads
        .lock()
        .unwrap()
        .insert("quote".into(), answer.to_string());
}

#[tokio::test]
async fn a_read_that_a_person_named_quotes_the_price_and_is_asked_again_at_the_release() {
    let bench = bench().await;
    says(&bench, json!({ "total": "12.00" }));
    let proposal = bench.held(json!({ "cups": 3 })).await;
    let card = bench.card(&proposal);
    let cost = card.cost.expect("it was priced");
    assert_eq!(
        (cost.totals[0].amount.as_str(), cost.items[0].basis),
        ("12.00", Basis::Quoted)
    );
    assert!(
        matches!(&card.preview, Preview::Quoted { read, .. } if read == "quote"),
        "{:?}",
        card.preview
    );
    assert_eq!(*bench.door.asked.lock().unwrap(), [r#"quote {"count":3}"#]);
    bench
        .until("the read is recorded", |_| {
            bench.rows().iter().any(|row| row.kind == RowKind::Read)
        })
        .await;

    says(&bench, json!({ "total": 13 }));
    assert_eq!(bench.release(&proposal).await.unwrap_err().code(), Code::Moved);
    assert_eq!(bench.executed(), vec![]);
    assert_eq!(bench.card(&proposal).cost.unwrap().totals[0].amount, "13");
    bench.release(&proposal).await.unwrap();
    bench.desk.settled(&proposal).await;
    assert_eq!(bench.executed().len(), 1);
}

#[tokio::test]
async fn a_quote_that_is_no_number_is_not_measured_and_never_zero() {
    let bench = bench().await;
    for answer in [
        json!({ "total": "free" }),
        json!({ "other": 1 }),
        json!({ "total": null }),
    ] {
        says(&bench, answer);
        let proposal = bench.held(json!({ "cups": 3 })).await;
        let cost = bench.card(&proposal).cost.expect("somebody was asked");
        assert_eq!((cost.totals.len(), cost.not_measured), (0, 1));
    }
    bench
        .door
        .reads
        .lock()
        .unwrap()
        .insert("quote".into(), "no JSON".into());
    let proposal = bench.held(json!({ "cups": 3 })).await;
    let card = bench.card(&proposal);
    assert!(
        matches!(&card.preview, Preview::Unavailable { why } if why.contains("quote")),
        "{:?}",
        card.preview
    );
}

#[tokio::test]
async fn a_quote_is_asked_of_nothing_but_a_read_of_the_same_document_for_the_same_definition() {
    let bench = bench().await;
    says(&bench, json!({ "total": 1 }));
    let mut elsewhere = tool("quote", true);
    elsewhere.page.document = "document-2".into();
    for offered in [tool("quote", false), elsewhere] {
        bench.offer(vec![tool("order", false), offered]).await;
        let proposal = bench.held(json!({ "cups": 1 })).await;
        assert_eq!(bench.card(&proposal).cost, None);
    }
    bench.offer(vec![tool("order", false), tool("quote", true)]).await;
    bench.desk.set_beside(&[beside("another definition")]);
    let proposal = bench.held(json!({ "cups": 1 })).await;
    assert_eq!(bench.card(&proposal).cost, None);
    assert_eq!(bench.door.asked.lock().unwrap().len(), 0);
}
