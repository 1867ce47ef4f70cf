//! The life of a write through the whole desk, with a real gate and a real ledger.

use crate::common::{Bench, DOCUMENT, tool};
use countersign_bridge::{DoorEvent, Executed};
use countersign_contract::wire::Head;
use countersign_contract::*;
use countersign_desk::Asked;
use countersign_gate::Target;
use serde_json::json;
use std::time::Duration;
use tokio::sync::oneshot;

#[tokio::test]
async fn a_read_runs_at_once_and_is_recorded() {
    let bench = Bench::new().await;
    let asked = bench.ask("list", json!({ "page": 2 })).await;
    assert_eq!(asked, Asked::Read(r#"read list with {"page":2}"#.into()));
    bench
        .until("the read is recorded", |_| {
            bench.rows().iter().any(|row| row.kind == RowKind::Read)
        })
        .await;
    assert_eq!(bench.executed(), vec![]);
}

#[tokio::test]
async fn a_write_is_durable_and_nothing_runs_before_its_release() {
    let bench = Bench::new().await;
    let Asked::Held(proposal) = bench.ask("order", json!({ "cups": 3 })).await else {
        panic!("a write ran")
    };
    assert_eq!(
        bench.kinds(&proposal),
        vec![RowKind::Proposed],
        "the row was not there when the caller heard `held`"
    );
    bench.previewed(&proposal).await;
    assert_eq!(bench.executed(), vec![]);

    bench.release(&proposal).await.unwrap();
    let answer = bench.desk.settled(&proposal).await.unwrap();
    assert_eq!(answer.verdict, Verdict::Committed);
    let executed = bench.executed();
    assert!(
        matches!(&executed[..], [Target::Call { arguments, .. }] if arguments == r#"{"cups":3}"#),
        "ran something else, or not once: {executed:?}"
    );
    bench
        .until("the outcome is recorded", |_| {
            bench.kinds(&proposal).contains(&RowKind::Outcome)
        })
        .await;
    assert_eq!(
        bench.kinds(&proposal),
        vec![RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    assert_eq!(bench.desk.ledger().verify().unwrap().fault, None);
}

#[tokio::test]
async fn a_release_can_not_be_pressed_twice() {
    let bench = Bench::new().await;
    let proposal = bench.held(json!({})).await;
    let digest = bench.show(&proposal);
    let params = ReleaseParams {
        proposal: proposal.clone(),
        digest,
        acknowledged: vec![],
        fingerprint: Fingerprint::default(),
        rule: None,
    };
    let (first, second) = tokio::join!(bench.desk.release(params.clone()), bench.desk.release(params));
    assert_eq!(
        [first.is_ok(), second.is_ok()].iter().filter(|ok| **ok).count(),
        1,
        "{first:?} {second:?}"
    );
    bench.desk.settled(&proposal).await;
    assert_eq!(bench.executed().len(), 1);
}

#[tokio::test]
async fn a_refused_write_never_runs_and_its_caller_is_told_why() {
    let bench = Bench::new().await;
    let proposal = bench.held(json!({})).await;
    let params = RefuseParams {
        proposal: proposal.clone(),
        digest: bench.card(&proposal).digest,
        reason: "too dear".into(),
        fingerprint: Fingerprint::default(),
        rule: None,
    };
    bench.desk.refuse(params).await.unwrap();
    let answer = bench.desk.settled(&proposal).await.unwrap();
    assert_eq!(answer.verdict, Verdict::Refused);
    assert!(answer.text.contains("too dear"), "{}", answer.text);
    assert!(bench.release_is_refused(&proposal).await);
    assert_eq!(bench.executed(), vec![]);
    assert_eq!(bench.kinds(&proposal), vec![RowKind::Proposed, RowKind::Refused]);
}

#[tokio::test]
async fn an_edit_runs_the_new_arguments_and_says_so() {
    let bench = Bench::new().await;
    let proposal = bench.held(json!({ "cups": 3 })).await;
    let digest = bench.card(&proposal).digest;
    let params = EditParams {
        proposal: proposal.clone(),
        digest,
        arguments: json!({ "cups": 1 }),
    };
    bench.desk.edit(params).await.unwrap();
    let card = bench.previewed(&proposal).await;
    assert_eq!(card.version, 2);
    bench.release(&proposal).await.unwrap();
    let answer = bench.desk.settled(&proposal).await.unwrap();
    assert!(answer.text.contains(r#"{"cups":1}"#), "{}", answer.text);
    assert!(matches!(&bench.executed()[..], [Target::Call { arguments, .. }] if arguments == r#"{"cups":1}"#));
}

#[tokio::test]
async fn a_tool_that_was_replaced_is_held_again_and_not_run() {
    let bench = Bench::new().await;
    let proposal = bench.held(json!({})).await;
    let mut other = tool("order", false);
    other.description = "does something else".into();
    other.digest = "0".repeat(64);
    *bench.door.tools.lock().unwrap() = vec![tool("list", true), other];
    let error = bench.release(&proposal).await.unwrap_err();
    assert_eq!(error.code(), Code::Moved);
    assert!(bench.card(&proposal).state.is_open());
    assert_eq!(bench.executed(), vec![]);
    assert_eq!(bench.kinds(&proposal), vec![RowKind::Proposed, RowKind::Repriced]);
}

#[tokio::test]
async fn a_price_that_moved_is_held_again_and_shown() {
    let bench = Bench::new().await;
    bench
        .offer(vec![tool("order", false), tool("order.preview", true)])
        .await;
    let price = |amount: &str| {
        json!({ "before": { "orders": 0 }, "after": { "orders": 1 },
                "cost": { "items": [{ "label": "coffee", "amount": amount, "unit": "EUR" }] } })
    };
    *bench.door.preview.lock().unwrap() = Some(price("12.00"));
    let proposal = bench.held(json!({})).await;
    assert_eq!(bench.card(&proposal).cost.unwrap().totals[0].amount, "12.00");

    *bench.door.preview.lock().unwrap() = Some(price("97.30"));
    let error = bench.release(&proposal).await.unwrap_err();
    assert_eq!(error.code(), Code::Moved);
    assert_eq!(bench.executed(), vec![]);
    assert_eq!(bench.card(&proposal).cost.unwrap().totals[0].amount, "97.30");

    bench.release(&proposal).await.unwrap();
    bench.desk.settled(&proposal).await;
    assert_eq!(bench.executed().len(), 1);
}

#[tokio::test]
async fn a_call_the_page_makes_is_held_and_answered_in_words() {
    let bench = Bench::new().await;
    let held = HeldRef("call-1".into());
    let ask = DoorEvent::Ask {
        held: held.clone(),
        tool: Box::new(tool("order", false)),
        arguments: r#"{"cups":9}"#.into(),
        fingerprint: Fingerprint::default(),
    };
    bench.events.send(ask).unwrap();
    let state = bench.until("the call is held", |state| state.pending() == 1).await;
    let card = &state.proposals[0];
    assert_eq!(
        (card.grade, card.caller.ingress),
        (Grade::ClientAsserted, Ingress::Page)
    );
    bench.previewed(&card.id).await;
    let params = RefuseParams {
        proposal: card.id.clone(),
        digest: bench.card(&card.id).digest,
        reason: String::new(),
        fingerprint: Fingerprint::default(),
        rule: None,
    };
    bench.desk.refuse(params).await.unwrap();
    let answered = loop {
        let answered = bench.door.answered.lock().unwrap().clone();
        if !answered.is_empty() {
            break answered;
        }
        tokio::task::yield_now().await;
    };
    assert!(
        matches!(&answered[..], [(to, text)] if *to == held && !text.is_empty()),
        "{answered:?}"
    );
    assert_eq!(bench.executed(), vec![]);
}

#[tokio::test]
async fn a_request_that_is_put_down_to_nobody_is_held_and_makes_no_liar() {
    let bench = Bench::new().await;
    let read = tool("list", true);
    let request = NetworkRequest {
        method: "POST".into(),
        url: "http://shop.example/api/track".into(),
        body: None,
        body_bytes: 0,
        resource: "Ping".into(),
        during: Some("list".into()),
    };
    let fingerprint = Fingerprint {
        is_trusted: Some(true),
        ..Fingerprint::default()
    };
    let event = DoorEvent::Network {
        held: HeldRef("request-1".into()),
        page: read.page.clone(),
        tool: None,
        request,
        fingerprint: Box::new(fingerprint.clone()),
    };
    bench.events.send(event).unwrap();
    let state = bench.until("the request is held", |state| state.pending() == 1).await;
    assert_eq!(state.proposals[0].fingerprint, fingerprint);
    assert!(bench.rows().iter().all(|row| row.kind != RowKind::LyingRead));
    assert!(matches!(bench.ask("list", json!({})).await, Asked::Read(_)));
}

#[tokio::test]
async fn a_read_that_changed_what_its_page_keeps_is_recorded_shown_and_a_write_from_then_on() {
    let bench = Bench::new().await;
    let change = StorageChange {
        area: StorageArea::LocalStorage,
        key: "basket".into(),
        act: StorageAct::Updated,
        before: None,
        after: Some("0".repeat(64)),
    };
    let event = |certain| DoorEvent::Changed {
        tool: Box::new(tool("list", true)),
        changes: vec![change.clone()],
        certain,
    };
    let notice = |times, certain| {
        vec![Notice::ChangedUnreleased {
            tool: "list".into(),
            origin: "http://shop.example".into(),
            changes: vec![change.clone()],
            times,
            certain,
            at: "2026-12-01T00:00:00.000Z".into(),
        }]
    };
    // It may have been another page: that is recorded and shown, and held against nobody.
    bench.events.send(event(false)).unwrap();
    bench
        .until("the notice is there", |state| state.notices == notice(1, false))
        .await;
    assert!(matches!(bench.ask("list", json!({})).await, Asked::Read(_)));
    bench.events.send(event(true)).unwrap();
    bench
        .until("the notice is sure", |state| state.notices == notice(2, true))
        .await;
    assert!(matches!(bench.ask("list", json!({})).await, Asked::Held(_)));
    let of_change = |row: &Row| row.kind == RowKind::ChangedUnreleased;
    bench
        .until("both are recorded", |_| {
            bench.rows().iter().filter(|row| of_change(row)).count() == 2
        })
        .await;
    let row = bench.rows().into_iter().rfind(of_change).unwrap();
    assert_eq!(
        (row.grade, row.data["certain"].as_bool()),
        (Grade::ServerObserved, Some(true))
    );
    assert_eq!(row.data["changes"], json!([change]));
}

#[tokio::test]
async fn the_head_of_a_pages_own_chain_is_recorded_as_its_word_and_the_page_is_told_the_row() {
    let bench = Bench::new().await;
    let head = Head {
        seq: 7,
        hash: "a".repeat(64),
    };
    let page = tool("list", true).page;
    bench.events.send(DoorEvent::Head { page, number: 3, head }).unwrap();
    let told = |heads: &[(u32, Option<Head>)]| heads.first().cloned();
    while told(&bench.door.heads.lock().unwrap()).is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let rows = bench.rows();
    let row = rows.iter().find(|row| row.kind == RowKind::PageHead).unwrap();
    assert_eq!(
        (row.grade, row.seat.as_str(), &row.data),
        (
            Grade::ClientAsserted,
            "http://shop.example",
            &json!({ "origin": "http://shop.example", "seq": "7", "hash": "a".repeat(64) })
        )
    );
    let kept = Head {
        seq: row.seq,
        hash: row.hash.clone(),
    };
    assert_eq!(*bench.door.heads.lock().unwrap(), [(3, Some(kept))]);
}

#[tokio::test]
async fn what_is_wanted_for_a_site_reaches_the_doors() {
    let bench = Bench::new().await;
    let sites = [SitePolicy {
        origin: "http://shop.example".into(),
        gets: GetPolicy::Hold,
    }];
    bench.desk.set_sites(&sites);
    assert_eq!(*bench.door.sites.lock().unwrap(), sites);
}

#[tokio::test]
async fn a_read_that_sends_a_write_is_held_and_is_a_write_from_then_on() {
    let bench = Bench::new().await;
    let liar = tool("list", true);
    let request = NetworkRequest {
        method: "POST".into(),
        url: "http://shop.example/api/track".into(),
        body: Some("{}".into()),
        body_bytes: 2,
        resource: "Fetch".into(),
        during: Some("list".into()),
    };
    let page = liar.page.clone();
    let event = DoorEvent::Network {
        held: HeldRef("request-1".into()),
        page,
        tool: Some(Box::new(liar)),
        request,
        fingerprint: Box::default(),
    };
    bench.events.send(event).unwrap();
    bench.until("the request is held", |state| state.pending() == 1).await;
    assert!(bench.rows().iter().any(|row| row.kind == RowKind::LyingRead));
    let asked = bench.ask("list", json!({})).await;
    assert!(
        matches!(asked, Asked::Held(_)),
        "a tool that was caught lying ran as a read: {asked:?}"
    );
}

#[tokio::test]
async fn a_page_that_goes_takes_its_proposals_with_it() {
    let bench = Bench::new().await;
    let proposal = bench.held(json!({})).await;
    let message = "The tab was closed.".to_owned();
    bench
        .events
        .send(DoorEvent::DocumentGone {
            document: DOCUMENT.into(),
            message,
        })
        .unwrap();
    let answer = bench.desk.settled(&proposal).await.unwrap();
    assert_eq!(answer.verdict, Verdict::PageGone);
    assert!(bench.release_is_refused(&proposal).await);
    assert_eq!(bench.executed(), vec![]);
}

#[tokio::test]
async fn what_was_sent_and_not_seen_to_end_is_unknown_and_not_run_again() {
    let bench = Bench::new().await;
    let (end, waits) = oneshot::channel();
    *bench.door.gate.lock().unwrap() = Some(waits);
    let proposal = bench.held(json!({})).await;
    bench.release(&proposal).await.unwrap();
    end.send(Executed::Unknown {
        message: "The browser went away.".into(),
    })
    .unwrap();
    let answer = bench.desk.settled(&proposal).await.unwrap();
    assert_eq!(answer.verdict, Verdict::Unknown);
    assert!(bench.release_is_refused(&proposal).await);
    assert_eq!(bench.executed().len(), 1);
}

#[tokio::test]
async fn nobody_deciding_in_time_is_an_end_of_its_own() {
    let bench = Bench::new().await;
    let proposal = bench.held(json!({})).await;
    bench.clock.forward(24 * 3_600_000);
    bench.desk.window(false, false);
    let answer = bench.desk.settled(&proposal).await.unwrap();
    assert_eq!(answer.verdict, Verdict::Expired);
    assert_eq!(bench.executed(), vec![]);
}

#[tokio::test]
async fn a_restart_expires_what_was_held_and_never_runs_what_was_released() {
    let bench = Bench::new().await;
    let held = bench.held(json!({})).await;
    let released = bench.held(json!({ "cups": 2 })).await;
    let (_end, waits) = oneshot::channel();
    *bench.door.gate.lock().unwrap() = Some(waits);
    bench.release(&released).await.unwrap();
    bench.until("it was sent", |_| bench.executed().len() == 1).await;

    let after = bench.restarted().await;
    assert_eq!(after.kinds(&held), vec![RowKind::Proposed, RowKind::Expired]);
    assert_eq!(
        after.kinds(&released),
        vec![RowKind::Proposed, RowKind::Released, RowKind::Outcome]
    );
    assert_eq!(after.desk.state().proposals, vec![]);
    let next = after.held(json!({})).await;
    assert!(next != held && next != released, "a proposal's name was used again");
}

impl Bench {
    async fn release_is_refused(&self, proposal: &ProposalId) -> bool {
        let params = ReleaseParams {
            proposal: proposal.clone(),
            digest: self.card(proposal).digest,
            acknowledged: vec![],
            fingerprint: Fingerprint::default(),
            rule: None,
        };
        self.desk.release(params).await.is_err()
    }
}
