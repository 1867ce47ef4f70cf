use countersign_bridge::{Door, DoorEvent, Executed};
use serde_json::json;

use crate::rig::Rig;

/// A page that calls its own write as soon as it is there.
const OWN_CALL: &str = r#"<script>
const caller = new AbortController();
tools.registerTool({ name: "buy", description: "Buys", execute: async (input) => {
  S.calls.push(input);
  await fetch("/bought", { method: "POST", body: JSON.stringify(input) });
  return "bought " + input.pot;
} }).then(() => own("buy", { pot: 3 }, { signal: caller.signal }))
  .then((result) => { S.got = result; }, (reason) => { S.failed = String(reason); });
tools.registerTool({ name: "give-up", description: "d", annotations: { readOnlyHint: true },
  execute: () => { caller.abort("not any more"); return "given up"; } });
</script>"#;

#[tokio::test]
async fn a_call_of_the_page_itself_is_held_and_runs_once_when_it_is_released() {
    let mut rig = Rig::with_page(OWN_CALL).await;
    let state = rig.tool("state").await;
    let (held, tool, arguments, fingerprint) = rig.ask().await;
    assert_eq!((tool.name.as_str(), arguments.as_str()), ("buy", r#"{"pot":3}"#));
    assert_eq!((fingerprint.event, fingerprint.user_activation), (None, Some(false)));
    let before = rig.state(&state).await;
    assert_eq!((&before["calls"], &before["got"]), (&json!([]), &json!(null)));
    assert_eq!(rig.site.writes(), []);

    let ticket = rig.held_ticket(held, &tool, &arguments).await;
    assert_eq!(
        rig.execute(ticket).await,
        Executed::Committed {
            result: "bought 3".into()
        }
    );
    assert_eq!(rig.site.posts("/bought"), [r#"{"pot":3}"#]);
    let after = rig.state(&state).await;
    assert_eq!(
        (&after["calls"], &after["got"]),
        (&json!([{ "pot": 3 }]), &json!("bought 3"))
    );
}

#[tokio::test]
async fn a_refused_call_resolves_with_the_words_and_changes_nothing() {
    let mut rig = Rig::with_page(OWN_CALL).await;
    let state = rig.tool("state").await;
    let (held, tool, arguments, _) = rig.ask().await;
    rig.door.answer(&held, "Refused: too dear. Nothing changed.").await;
    let ticket = rig.held_ticket(held, &tool, &arguments).await;
    assert!(
        matches!(rig.execute(ticket).await, Executed::NotRun { .. }),
        "a decided call is not decided again"
    );
    let after = loop {
        let state = rig.state(&state).await;
        if state["got"] != json!(null) {
            break state;
        }
    };
    assert_eq!(
        (&after["calls"], &after["got"]),
        (&json!([]), &json!("Refused: too dear. Nothing changed."))
    );
    assert_eq!(rig.site.writes(), []);
}

#[tokio::test]
async fn a_call_its_caller_gave_up_is_withdrawn_and_a_late_release_runs_nothing() {
    let mut rig = Rig::with_page(OWN_CALL).await;
    let (state, give_up) = (rig.tool("state").await, rig.tool("give-up").await);
    let (held, tool, arguments, _) = rig.ask().await;
    let ticket = rig.held_ticket(held.clone(), &tool, &arguments).await;
    rig.read(&give_up, json!({})).await.unwrap();
    rig.event("the withdrawal", |event| match event {
        DoorEvent::Withdrawn { held: gone } if *gone == held => Some(()),
        _ => None,
    })
    .await;
    assert!(matches!(rig.execute(ticket).await, Executed::NotRun { .. }));
    let after = rig.state(&state).await;
    assert_eq!(
        (&after["calls"], &after["failed"]),
        (&json!([]), &json!("not any more"))
    );
    assert_eq!(rig.site.writes(), []);
}

#[tokio::test]
async fn a_held_call_runs_with_the_arguments_that_were_released() {
    let mut rig = Rig::with_page(OWN_CALL).await;
    let (held, tool, _, _) = rig.ask().await;
    let ticket = rig.held_ticket(held, &tool, r#"{"pot":1}"#).await;
    assert_eq!(
        rig.execute(ticket).await,
        Executed::Committed {
            result: "bought 1".into()
        }
    );
    assert_eq!(rig.site.posts("/bought"), [r#"{"pot":1}"#]);
}

#[tokio::test]
async fn a_registration_through_another_realm_is_held_as_well() {
    let mut rig = Rig::with_page(
        r#"<iframe></iframe><script>
        const realm = document.querySelector("iframe").contentWindow;
        realm.ModelContext.prototype.registerTool.call(tools, { name: "sly", description: "d",
          execute: () => { S.calls.push("ran"); } }).then(() => own("sly", {})).then((text) => { S.got = text; });
        </script>"#,
    )
    .await;
    let (sly, state) = (rig.tool("sly").await, rig.tool("state").await);
    assert!(!sly.annotations.read_only);
    assert_eq!(rig.state(&state).await["calls"], json!([]));

    // It cannot be traced, so it is not run even when it is released; and its record does not claim that it was.
    let ticket = rig.call_ticket(&sly, json!({})).await;
    let ended = rig.execute(ticket).await;
    assert!(matches!(ended, Executed::Unknown { .. }), "{ended:?}");
    assert_eq!(rig.state(&state).await["calls"], json!([]));
}
