//! MCP clients at the desk.

use std::sync::Arc;

use countersign_bridge::mcp::{Asked, Seat, Standing, Surface, Told};
use countersign_contract::*;
use countersign_desk::DeskError;
use countersign_gate::GateError;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::common::{Bench, tool};

fn who(name: &str) -> ClientWho {
    ClientWho {
        name: name.into(),
        version: "1.0".into(),
        way: ClientWay::Stdio,
        program: None,
        process: Some(4711),
        token: None,
    }
}

impl Bench {
    fn client(&self, name: &str) -> Client {
        let clients = self.desk.state().clients;
        clients
            .into_iter()
            .find(|one| one.who.name == name)
            .expect("it has come")
    }

    /// Shows a client's card for long enough, and presses.
    pub async fn let_in(&self, name: &str) {
        let Client { id: client, digest, .. } = self.client(name);
        self.desk.window(true, true);
        self.desk.client_shown(&ShownClientParams {
            client: client.clone(),
            digest: digest.clone(),
        });
        self.clock.forward(500);
        let fingerprint = Fingerprint::default();
        self.desk
            .pair(PairParams {
                client,
                digest,
                fingerprint,
            })
            .await
            .expect("it is let in");
    }

    pub async fn seated(&self, name: &str) -> Arc<dyn Seat> {
        let seat = self.desk.seat(who(name)).unwrap();
        self.let_in(name).await;
        sees(&*seat, |surface| surface.standing == Standing::Here).await;
        seat
    }
}

async fn sees(seat: &dyn Seat, holds: impl Fn(&Surface) -> bool) -> Surface {
    let mut surface = seat.surface();
    let seen = surface.wait_for(|surface| holds(surface)).await.unwrap();
    (**seen).clone()
}

async fn ask(seat: &dyn Seat, name: &str, arguments: Value) -> Asked {
    seat.ask(&tool(name, false).key, arguments, CancellationToken::new())
        .await
}

async fn held(seat: &dyn Seat, bench: &Bench, arguments: Value) -> ProposalId {
    let Asked::Held { told } = ask(seat, "order", arguments).await else {
        panic!("a write was not held");
    };
    assert_eq!(
        (told.verdict, told.settled, &*told.tool),
        (Verdict::Held, false, "order")
    );
    bench.previewed(&told.proposal).await;
    told.proposal
}

async fn recorded(bench: &Bench, kind: RowKind) {
    let is_there = || bench.rows().iter().any(|row| row.kind == kind);
    bench.until("it is recorded", |_| is_there()).await;
}

#[tokio::test]
async fn a_client_sees_and_calls_nothing_until_it_is_let_in() {
    let bench = Bench::new().await;
    let seat = bench.desk.seat(who("agent")).unwrap();
    let surface = seat.surface().borrow().clone();
    assert_eq!(surface.pages, []);
    assert!(matches!(&surface.standing, Standing::Away { why } if why.contains("approval window")));
    for name in ["list", "order"] {
        let Asked::Failed { message } = ask(&*seat, name, json!({})).await else {
            panic!("{name} was taken");
        };
        assert!(message.contains("has not let this client in"), "{message}");
    }
    bench.let_in("agent").await;
    let surface = sees(&*seat, |surface| surface.standing == Standing::Here).await;
    let [page] = &surface.pages[..] else {
        panic!("one tab: {surface:?}")
    };
    assert_eq!((&*page.handle, &*page.url), ("t1", "http://shop.example/"));
    let listed: Vec<_> = page
        .tools
        .iter()
        .map(|offered| (&*offered.tool.name, offered.reads))
        .collect();
    assert_eq!(listed, [("list", true), ("order", false)]);
    assert_eq!(
        ask(&*seat, "list", json!({ "page": 1 })).await,
        Asked::Read {
            result: "read list with {\"page\":1}".into()
        }
    );
    recorded(&bench, RowKind::Read).await;
    let row = bench.rows().into_iter().find(|row| row.kind == RowKind::Read).unwrap();
    assert_eq!(
        (row.ingress, &*row.seat),
        (Ingress::McpClient, "agent 1.0 (process 4711)")
    );
}

#[tokio::test]
async fn a_write_of_a_client_is_held_runs_once_when_it_is_released_and_the_client_learns_it() {
    let bench = Bench::new().await;
    let seat = bench.seated("agent").await;
    let proposal = held(&*seat, &bench, json!({ "cups": 2 })).await;
    assert_eq!(bench.card(&proposal).caller.name, "agent 1.0 (process 4711)");
    let waits = {
        let (seat, proposal) = (seat.clone(), proposal.clone());
        tokio::spawn(async move { seat.settled(&proposal).await })
    };
    assert_eq!(bench.executed(), []);
    bench.release(&proposal).await.unwrap();
    let told = waits.await.unwrap().unwrap();
    assert_eq!((told.verdict, told.settled), (Verdict::Committed, true));
    assert_eq!(bench.executed().len(), 1);
    assert_eq!(seat.check(&proposal).await, Some(told.clone()));
    assert_eq!(seat.list().await, [told]);
    let proposed = bench
        .rows()
        .into_iter()
        .find(|row| row.kind == RowKind::Proposed)
        .unwrap();
    assert_eq!(proposed.data["client"], "c1");
}

#[tokio::test]
async fn a_call_that_was_given_up_while_it_was_being_held_is_taken_back() {
    let bench = Bench::new().await;
    let seat = bench.seated("agent").await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let Asked::Held { told } = seat.ask(&tool("order", false).key, json!({}), cancel).await else {
        panic!("it was not held");
    };
    assert_eq!(told.verdict, Verdict::Withdrawn);
    assert_eq!(bench.kinds(&told.proposal), [RowKind::Proposed, RowKind::Withdrawn]);
}

#[tokio::test]
async fn a_client_learns_nothing_of_what_another_asked_for_and_takes_back_only_its_own() {
    let bench = Bench::new().await;
    let (one, other) = (bench.seated("one").await, bench.seated("other").await);
    let proposal = held(&*one, &bench, json!({})).await;
    assert_eq!(other.check(&proposal).await, None);
    assert_eq!(other.list().await, []);
    assert_eq!(other.withdraw(&proposal).await, None);
    assert!(bench.card(&proposal).state.is_open());
    let Some(Told { verdict, .. }) = one.withdraw(&proposal).await else {
        panic!("it is its own")
    };
    assert_eq!(verdict, Verdict::Withdrawn);
}

#[tokio::test]
async fn what_a_client_asked_for_stays_held_when_it_leaves_unless_it_is_to_be_taken_back() {
    let bench = Bench::new().await;
    let seat = bench.seated("agent").await;
    let proposal = held(&*seat, &bench, json!({})).await;
    drop(seat);
    bench
        .until("it has left", |state| state.clients[0].connections == 0)
        .await;
    assert!(bench.card(&proposal).state.is_open());
    // It comes back and knows it again.
    let seat = bench.desk.seat(who("agent")).unwrap();
    assert_eq!(
        seat.check(&proposal).await.map(|told| told.verdict),
        Some(Verdict::Held)
    );
    bench.desk.keep_for_clients_that_leave(false);
    let second = bench.desk.seat(who("agent")).unwrap();
    drop(second);
    bench
        .until("one of two has left", |state| state.clients[0].connections == 1)
        .await;
    assert!(bench.card(&proposal).state.is_open());
    drop(seat);
    bench
        .until("it is taken back", |state| {
            matches!(state.proposals[0].state, ProposalState::Expired { .. })
        })
        .await;
}

#[tokio::test]
async fn unpairing_takes_back_what_is_held_and_hears_the_client_no_more() {
    let bench = Bench::new().await;
    let seat = bench.seated("agent").await;
    let proposal = held(&*seat, &bench, json!({})).await;
    let client = bench.client("agent").id;
    bench.desk.unpair(&UnpairParams { client }).await.unwrap();
    assert_eq!(bench.kinds(&proposal), [RowKind::Proposed, RowKind::Expired]);
    assert!(matches!(ask(&*seat, "list", json!({})).await, Asked::Failed { .. }));
    sees(&*seat, |surface| surface.standing != Standing::Here).await;
    assert_eq!(
        (seat.check(&proposal).await, seat.list().await),
        (None, Vec::new()),
        "it learns nothing more"
    );
    let refused = bench.release(&proposal).await;
    assert!(
        matches!(refused, Err(DeskError::Gate(GateError::NotHeld { .. }))),
        "{refused:?}"
    );
    assert_eq!(bench.executed(), []);
}

#[tokio::test]
async fn after_a_restart_a_client_learns_what_became_of_everything_it_asked_for() {
    let bench = Bench::new().await;
    let seat = bench.seated("agent").await;
    let other = bench.seated("other").await;
    let waits = held(&*seat, &bench, json!({ "cups": 1 })).await;
    let refused = held(&*seat, &bench, json!({ "cups": 2 })).await;
    let ran = held(&*seat, &bench, json!({ "cups": 3 })).await;
    let theirs = held(&*other, &bench, json!({ "cups": 4 })).await;
    bench
        .desk
        .refuse(RefuseParams {
            proposal: refused.clone(),
            digest: String::new(),
            reason: "Too many cups.".into(),
            fingerprint: Fingerprint::default(),
            rule: None,
        })
        .await
        .unwrap();
    bench.release(&ran).await.unwrap();
    seat.settled(&ran).await.unwrap();
    recorded(&bench, RowKind::Outcome).await;

    let later = bench.restarted().await;
    let seat = later.desk.seat(who("agent")).unwrap();
    sees(&*seat, |surface| surface.standing == Standing::Here).await;
    let told = async |proposal: &ProposalId| {
        seat.check(proposal)
            .await
            .map(|told| (told.verdict, told.settled, told.text))
    };
    let (verdict, settled, text) = told(&waits).await.unwrap();
    assert_eq!((verdict, settled), (Verdict::Expired, true));
    assert!(text.contains("Nothing has changed"), "{text}");
    let (verdict, _, text) = told(&refused).await.unwrap();
    assert_eq!(verdict, Verdict::Refused);
    assert!(text.contains("Too many cups."), "{text}");
    assert_eq!(told(&ran).await.unwrap().0, Verdict::Committed);
    assert_eq!(told(&theirs).await, None);
    for never in ["p99", "p", "", "p1\",\"", "q1"] {
        assert_eq!(told(&ProposalId(never.into())).await, None);
    }
    assert_eq!(later.executed(), []);
}

#[tokio::test]
async fn a_tab_keeps_its_handle_and_no_other_gets_it() {
    let bench = Bench::new().await;
    let seat = bench.seated("agent").await;
    bench.events.send(countersign_bridge::DoorEvent::Tabs(vec![])).unwrap();
    sees(&*seat, |surface| surface.pages.is_empty()).await;
    bench.offer(vec![tool("list", true)]).await;
    let surface = sees(&*seat, |surface| !surface.pages.is_empty()).await;
    assert_eq!(surface.pages[0].handle, "t2");
    bench.offer(vec![tool("list", true), tool("order", false)]).await;
    let surface = sees(&*seat, |surface| {
        surface.pages.first().is_some_and(|page| page.tools.len() == 2)
    })
    .await;
    assert_eq!(surface.pages[0].handle, "t2");
}

#[tokio::test]
async fn no_page_makes_the_list_too_large_or_too_deep_for_a_client() {
    let bench = Bench::new().await;
    let seat = bench.seated("agent").await;
    let with = |name: &str, schema: Value, description: usize| Tool {
        input_schema: schema,
        description: "x".repeat(description),
        ..tool(name, true)
    };
    let deep = (0..100).fold(json!({}), |inner, _| json!({ "properties": inner }));
    let long = json!({ "type": "object", "title": "x".repeat(100_000) });
    let fits = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    bench
        .offer(vec![
            with("deep", deep, 1),
            with("long", long, 1),
            with("endless", json!({}), 20_000_000),
            with("fits", fits.clone(), 1),
        ])
        .await;
    let fits_in = |surface: &Surface| surface.pages.iter().flat_map(|page| &page.tools).count() == 3;
    let surface = sees(&*seat, fits_in).await;
    let listed: Vec<_> = surface.pages[0]
        .tools
        .iter()
        .map(|one| (&*one.tool.name, one.tool.input_schema.clone()))
        .collect();
    let bare = json!({ "type": "object" });
    assert_eq!(listed, [("deep", bare.clone()), ("long", bare), ("fits", fits)]);
    let line = serde_json::to_string(&surface).unwrap();
    assert_eq!(serde_json::from_str::<Surface>(&line).unwrap(), surface);
}
