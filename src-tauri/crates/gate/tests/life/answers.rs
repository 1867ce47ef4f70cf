use countersign_contract::{Answer, Ingress, PageGate, Verdict};
use countersign_gate::Ended;
use serde_json::json;

use crate::support::*;

fn answer(desk: &Desk, id: &countersign_contract::ProposalId) -> (Verdict, String) {
    let Answer { verdict, text, .. } = desk.gate.answer(id).expect("a recorded proposal");
    (verdict, text)
}

#[test]
fn held() {
    let mut desk = Desk::new();
    let id = desk.held();
    let text = "The write `buy` on https://shop.example (proposal p1) is held and has not run: it waits for a decision in \
                Countersign's approval window. Nothing has changed. This is neither success nor failure. Do not call it \
                again; wait for the decision, or check proposal p1 later.";
    assert_eq!(answer(&desk, &id), (Verdict::Held, text.into()));
}

#[test]
fn releasing_is_still_held() {
    let mut desk = Desk::new();
    let id = desk.held();
    let _draft = desk.draft(&id);
    let text = "The write `buy` on https://shop.example (proposal p1) is still held and has not run: release was pressed and \
                is being checked against the page. Do not call it again; check proposal p1 again in a moment.";
    assert_eq!(answer(&desk, &id), (Verdict::Held, text.into()));
}

#[test]
fn released() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.release(&id);
    let text = "The write `buy` on https://shop.example (proposal p1) was released and has been sent; how it ended is not \
                known yet. Something may have changed already. Do not call it again; check proposal p1 for the outcome.";
    assert_eq!(answer(&desk, &id), (Verdict::Released, text.into()));
}

#[test]
fn committed() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.release(&id);
    desk.gate
        .settle(
            &id,
            Ended::Committed {
                result: "{\"order\":7}".into(),
            },
            &desk.at(),
        )
        .expect("running");
    let text = "The write `buy` on https://shop.example (proposal p1) was released and ran once; the page reported success. \
                It is done: do not call it again. What it answered:\n{\"order\":7}";
    assert_eq!(answer(&desk, &id), (Verdict::Committed, text.into()));
}

#[test]
fn what_the_page_s_own_gate_holds_or_stops_is_neither_success_nor_failure() {
    let begin = "The write `buy` on https://shop.example (proposal p1) was released and sent once. It has neither succeeded \
                 nor failed: the page has a gate of its own, and";
    let cases = [
        (
            PageGate::Waiting {
                reference: Some("p7".into()),
            },
            Verdict::PageWaits,
            "it waits there as p7 for somebody at the page. Nothing has changed yet, as the page says, and it may still run. Do \
             not call it again: tell the person that it waits at the page, and read how things stand later.",
        ),
        (
            PageGate::Declined {
                reason: Some("Not today.".into()),
            },
            Verdict::PageDeclined,
            "it was declined there (Not today). As the page says, it did not run and nothing has changed. This is a decision \
             and not an error: do not try it again, and do not reach for the same effect another way. Ask the person how to \
             go on.",
        ),
        (
            PageGate::Expired,
            Verdict::PageDeclined,
            "nobody decided there in time. As the page says, it did not run and nothing has changed. Nobody declined it. Do \
             not try it again by yourself: tell the person, and ask again only if they want it.",
        ),
        (
            PageGate::NotAsked,
            Verdict::PageDeclined,
            "nobody there could be asked. As the page says, it did not run and nothing has changed. Nobody declined it. Do not \
             try it again by yourself: tell the person, and ask again only if they want it.",
        ),
    ];
    for (gate, verdict, how) in cases {
        let mut desk = Desk::new();
        let id = desk.held();
        desk.release(&id);
        let result = "held".to_owned();
        desk.gate
            .settle(&id, Ended::PageGate { gate, result }, &desk.at())
            .expect("running");
        let text = format!("{begin} {how} What it answered:\nheld");
        assert_eq!(answer(&desk, &id), (verdict, text));
    }
}

#[test]
fn committed_with_edits_says_which_arguments_ran() {
    let mut desk = Desk::new();
    let id = desk.hold_with(call(json!({"n": 1})), priced(1, "4.00"));
    desk.edit(&id, json!({"n": 2})).expect("held");
    desk.gate.set_preview(&id, 2, priced(2, "8.00"), &desk.at());
    desk.release(&id);
    desk.gate
        .settle(&id, Ended::Committed { result: String::new() }, &desk.at())
        .expect("running");
    let text = "The write `buy` on https://shop.example (proposal p1) was released and ran once; the page reported success. \
                Its arguments were edited before the release; what was released is not what you asked for, but: {\"n\":2} \
                It is done: do not call it again. The page answered nothing.";
    assert_eq!(answer(&desk, &id), (Verdict::Committed, text.into()));
}

#[test]
fn failed() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.release(&id);
    desk.gate
        .settle(
            &id,
            Ended::Failed {
                message: "Out of stock.".into(),
            },
            &desk.at(),
        )
        .expect("running");
    let text = "The write `buy` on https://shop.example (proposal p1) was released and sent once, and the page reported \
                failure: Out of stock. Whether something changed all the same is not known. Do not call it again by \
                yourself: read how things stand, then ask the person how to go on.";
    assert_eq!(answer(&desk, &id), (Verdict::Failed, text.into()));
}

#[test]
fn not_run() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.release(&id);
    desk.gate
        .settle(
            &id,
            Ended::NotRun {
                message: "The tab was closed.".into(),
            },
            &desk.at(),
        )
        .expect("running");
    let text = "The write `buy` on https://shop.example (proposal p1) was released but certainly did not run: The tab was \
                closed. Nothing has changed. It will not be tried again by itself. List the page's tools again, and ask for \
                it anew only if it is still wanted.";
    assert_eq!(answer(&desk, &id), (Verdict::Failed, text.into()));
}

#[test]
fn unknown() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.release(&id);
    desk.gate
        .settle(
            &id,
            Ended::Unknown {
                message: "The browser died.".into(),
            },
            &desk.at(),
        )
        .expect("running");
    let text = "The write `buy` on https://shop.example (proposal p1) was released, and nobody saw how it ended: The browser \
                died. It may have run and it may not. It will not be run again by itself. Do not call it again: read how \
                things stand, and tell the person what you find.";
    assert_eq!(answer(&desk, &id), (Verdict::Unknown, text.into()));
}

#[test]
fn refused() {
    let mut desk = Desk::new();
    let (with, without) = (desk.held(), desk.held());
    desk.refuse(&with, "Too dear.").expect("held");
    desk.refuse(&without, " ").expect("held");
    let text = |id: &str, reason: &str| {
        format!(
            "The write `buy` on https://shop.example (proposal {id}) was refused in Countersign's approval window. It did \
             not run and nothing has changed. {reason} This is a decision and not an error: do not try it again, and do not \
             reach for the same effect another way. Ask the person how to go on."
        )
    };
    assert_eq!(
        answer(&desk, &with),
        (Verdict::Refused, text("p1", "The reason: Too dear."))
    );
    assert_eq!(
        answer(&desk, &without),
        (Verdict::Refused, text("p2", "No reason was given."))
    );
}

#[test]
fn expired() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.wait(60_000);
    desk.gate.expire(&desk.at());
    let text = "The write `buy` on https://shop.example (proposal p1) expired without a decision: nobody decided before \
                2026-01-01T00:01:01.000Z. It did not run and nothing has changed. Nobody refused it. Do not try it again by \
                yourself: tell the person, and ask again only if they want it.";
    assert_eq!(answer(&desk, &id), (Verdict::Expired, text.into()));
}

#[test]
fn repriced() {
    let mut desk = Desk::new();
    let id = desk.hold_with(call(json!({})), priced(3, "12.00"));
    desk.arm(&id);
    let press = desk.press(&id).expect("armed");
    desk.gate
        .recheck(press, Some(&buy()), Some(priced(3, "13.00")), &desk.at())
        .expect_err("dearer");
    let text = "The write `buy` on https://shop.example (proposal p1) is held again and has not run: release was pressed, but \
                something moved between what was shown and the press (cost: Tea: 12.00 EUR is now Tea: 13.00 EUR). Nothing \
                has changed. This is neither success nor failure. Do not call it again; wait for the decision, or check \
                proposal p1 later.";
    assert_eq!(answer(&desk, &id), (Verdict::Repriced, text.into()));
}

#[test]
fn withdrawn() {
    let mut desk = Desk::new();
    let id = desk.hold(held_request("h1", None));
    desk.gate
        .withdraw(&id, Ingress::BrowserNetwork, &desk.at())
        .expect("held");
    let text = "The POST request to https://shop.example/api/like (proposal p1) was taken back by its caller before it was \
                decided. It did not run and nothing has changed. There is nothing to do.";
    assert_eq!(answer(&desk, &id), (Verdict::Withdrawn, text.into()));
}

#[test]
fn page_gone() {
    let mut desk = Desk::new();
    let id = desk.held();
    desk.gate.page_gone("D1", "the tab was closed", &desk.at());
    let text = "The write `buy` on https://shop.example (proposal p1) cannot run any more: the page or the tool it was for is \
                gone (the tab was closed). It did not run and nothing has changed. Do not retry it as it is: list the tools \
                again, and ask anew only if it is still wanted.";
    assert_eq!(answer(&desk, &id), (Verdict::PageGone, text.into()));
}
