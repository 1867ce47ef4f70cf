use countersign_contract::ProposalId;
use countersign_gate::{Ended, Policy};
use serde_json::json;

use crate::support::*;

fn order(desk: &Desk) -> Vec<String> {
    desk.gate
        .proposals(&desk.at())
        .into_iter()
        .map(|proposal| proposal.id.0)
        .collect()
}

#[test]
fn open_ones_come_first_and_set_aside_ones_last_of_them() {
    let mut desk = Desk::new();
    let ids: Vec<ProposalId> = (0..12).map(|_| desk.held()).collect();
    desk.set_aside(&ids[0], true).expect("held");
    desk.refuse(&ids[5], "").expect("held");
    desk.refuse(&ids[3], "").expect("held");
    desk.release(&ids[4]);
    assert_eq!(
        order(&desk),
        [
            "p2", "p3", "p7", "p8", "p9", "p10", "p11", "p12", "p1", "p5", "p4", "p6"
        ]
    );
    desk.gate
        .settle(&ids[4], Ended::Committed { result: String::new() }, &desk.at())
        .expect("running");
    assert_eq!(order(&desk)[9..], ["p5", "p4", "p6"], "settled ones stand newest first");
}

#[test]
fn only_so_many_settled_ones_are_kept() {
    let mut desk = Desk::with(Policy {
        keep_settled: 2,
        ..Policy::default()
    });
    let open = desk.held();
    let running = desk.held();
    desk.release(&running);
    for n in 0..3 {
        let id = desk.hold(call(json!({ "n": n })));
        desk.refuse(&id, "").expect("held");
    }
    assert_eq!(order(&desk), [open.0.as_str(), running.0.as_str(), "p5", "p4"]);
}
