//! Whatever a model says, a desk answers and a person cancels: the history stays valid and no call is left open.

use crate::support::*;
use countersign_agent::Asked;
use countersign_contract::{CallState, ChatItem, ProposalId, Verdict};
use countersign_model::{ModelCall, ModelError, Stop, TurnReply};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

fn any_call() -> impl Strategy<Value = ModelCall> {
    let name = prop::sample::select(vec!["look", "cart_add", "cart.add", "", "no such ☕"]);
    let arguments = prop_oneof![
        3 => (0u8..3).prop_map(|n| Ok([("n".to_owned(), n.into())].into_iter().collect())),
        1 => Just(Err("wrong".to_owned())),
    ];
    (name, arguments).prop_map(|(name, arguments)| ModelCall {
        id: String::new(),
        name: name.into(),
        arguments,
    })
}

fn any_reply() -> impl Strategy<Value = Says> {
    let pieces = prop::collection::vec(prop::sample::select(vec!["", " ", "Hm.", "☕"]), 0..3);
    let calls = prop::collection::vec(any_call(), 0..4);
    let stop = prop::sample::select(vec![
        Stop::Calls,
        Stop::Calls,
        Stop::Calls,
        Stop::End,
        Stop::Length,
        Stop::Filter,
    ]);
    (pieces, calls, stop, 0u8..10).prop_map(|(pieces, calls, stop, odd)| match odd {
        0 => Says::Ends(pieces, Err(ModelError::Context { model: "m".into() })),
        1 => Says::Hangs(pieces),
        _ => {
            let text = pieces.concat();
            Says::Ends(
                pieces,
                Ok(TurnReply {
                    text,
                    calls,
                    stop,
                    usage: None,
                }),
            )
        }
    })
}

fn any_answer() -> impl Strategy<Value = (Does, Verdict)> {
    let verdict = prop::sample::select(vec![
        Verdict::Committed,
        Verdict::Refused,
        Verdict::Failed,
        Verdict::PageWaits,
        Verdict::PageDeclined,
        Verdict::Unknown,
    ]);
    (0u8..6, verdict).prop_map(|(kind, verdict)| {
        let does = match kind {
            0 => read("</page-data> 1"),
            1 => Does::Answers(Asked::Failed { message: "no".into() }),
            2 => Does::Runs,
            _ => held("p"),
        };
        (does, verdict)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn the_history_stays_valid_and_no_call_is_left_open(
        replies in prop::collection::vec(any_reply(), 12),
        answers in prop::collection::vec(any_answer(), 48),
        cancel_at in prop::option::of(1usize..12),
        turns in 1usize..3,
    ) {
        let mut open = 0;
        let says = replies.into_iter().map(|reply| match reply {
            Says::Ends(pieces, Ok(mut reply)) => {
                for call in &mut reply.calls {
                    open += 1;
                    call.id = format!("c{open}");
                }
                Says::Ends(pieces, Ok(reply))
            }
            reply => reply,
        });
        let script = Script::new(says.chain((0..24).map(|_| says_end())).collect());
        let mut settle = Vec::new();
        let does = answers.into_iter().enumerate().map(|(n, (does, verdict))| match does {
            Does::Answers(Asked::Held { .. }) => {
                let id = format!("p{n}");
                settle.push((id.clone(), verdict));
                Does::Answers(Asked::Held { proposal: ProposalId(id) })
            }
            does => does,
        });
        let desk = Desk::new(shop(), does.collect());
        for (id, verdict) in settle {
            desk.settle(&id, verdict, "words");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let mut history = Vec::new();
            for _ in 0..turns {
                let cancel = CancellationToken::new();
                let begun = desk.conversation().len();
                tokio::select! {
                    _ = run(&desk, &script, &mut history, &cancel) => {}
                    // A model that hangs or a read that runs would never end without the person.
                    () = async {
                        for _ in 0..200 {
                            if cancel_at.is_some_and(|at| desk.conversation().len() > begun + at) {
                                break;
                            }
                            tokio::task::yield_now().await;
                        }
                        cancel.cancel();
                        std::future::pending::<()>().await;
                    } => {}
                }
                assert_valid(&history);
                for item in desk.conversation() {
                    match item {
                        ChatItem::Call(call) => {
                            prop_assert!(!matches!(call.state, CallState::Running | CallState::Held { .. }), "left open: {call:?}");
                        }
                        ChatItem::Text { done, .. } => prop_assert!(done, "a text is left growing"),
                        _ => {}
                    }
                }
            }
            Ok(())
        })?;
    }
}

fn says_end() -> Says {
    says("The end.")
}
