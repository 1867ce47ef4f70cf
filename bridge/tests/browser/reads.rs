use countersign_bridge::{Door, DoorError, DoorEvent};
use countersign_contract::{DoorState, TabState, ToolSource};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

#[tokio::test]
async fn a_read_runs_at_once_and_answers_as_text() {
    let mut rig = Rig::with_page(
        r#"<script>
        tools.registerTool({ name: "text", title: "As text", description: "d", annotations: { readOnlyHint: true },
          execute: ({ of }) => "pots: " + of });
        tools.registerTool({ name: "object", description: "d", annotations: { readOnlyHint: true },
          inputSchema: { type: "object", properties: { of: { type: "string" } } }, execute: (input) => ({ input }) });
        tools.registerTool({ name: "fails", description: "d", annotations: { readOnlyHint: true },
          execute: () => { throw new Error("no such pot"); } });
        </script>"#,
    )
    .await;
    rig.status(
        "open",
        |status| matches!(status, DoorState::Open { product } if product.contains('/')),
    )
    .await;
    let (text, object) = (rig.tool("text").await, rig.tool("object").await);
    assert_eq!((text.title.as_str(), text.source), ("As text", ToolSource::Script));
    assert!(text.annotations.read_only);
    assert_eq!(object.input_schema["properties"]["of"]["type"], "string");
    assert_eq!(text.page.origin, rig.site.url("").trim_end_matches('/'));
    assert_eq!(rig.read(&text, json!({ "of": "é" })).await, Ok("pots: é".into()));
    let read = rig.read(&object, json!({ "of": { "b": [1, null] } })).await.unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&read).unwrap(),
        json!({ "input": { "of": { "b": [1, null] } } })
    );
    let fails = rig.tool("fails").await;
    assert_eq!(
        rig.read(&fails, json!({})).await,
        Err(DoorError::Page("Error: no such pot".into()))
    );
}

#[tokio::test]
async fn hints_count_only_when_they_are_true() {
    let mut rig = Rig::with_page(
        r#"<script>
        tools.registerTool({ name: "says-no", description: "d", annotations: { readOnlyHint: "no" }, execute: () => {} });
        tools.registerTool({ name: "both", description: "d",
          annotations: { readOnlyHint: true, consequentialHint: true }, execute: () => {} });
        </script>"#,
    )
    .await;
    assert!(!rig.tool("says-no").await.annotations.read_only);
    assert!(rig.tool("both").await.annotations.consequential);
}

#[tokio::test]
async fn a_cancelled_read_ends_for_its_caller_and_in_the_page() {
    let mut rig = Rig::with_page(
        r#"<script>
        tools.registerTool({ name: "slow", description: "d", annotations: { readOnlyHint: true },
          execute: (input, { signal }) => new Promise(() => {
            S.calls.push("began");
            signal.addEventListener("abort", () => fetch("/aborted"));
          }) });
        </script>"#,
    )
    .await;
    let slow = rig.tool("slow").await;
    let state = rig.tool("state").await;
    let cancel = CancellationToken::new();
    let reading = tokio::spawn({
        let (door, pass, cancel) = (rig.door.clone(), rig.pass(&slow, json!({})), cancel.clone());
        async move { door.read(pass, cancel).await }
    });
    while rig.state(&state).await["calls"] != json!(["began"]) {}
    cancel.cancel();
    assert_eq!(reading.await.unwrap(), Err(DoorError::Cancelled));
    while rig.site.gets("/aborted") == 0 {
        rig.state(&state).await;
    }
}

#[tokio::test]
async fn a_read_made_by_the_page_is_seen() {
    let mut rig = Rig::with_page(
        r#"<script>
        tools.registerTool({ name: "look", description: "d", annotations: { readOnlyHint: true }, execute: () => "seen" })
          .then(() => own("look", { at: 1 }));
        </script>"#,
    )
    .await;
    let (tool, arguments) = rig
        .event("a read", |event| match event {
            DoorEvent::ReadSeen { tool, arguments } => Some((tool.name.clone(), arguments.clone())),
            _ => None,
        })
        .await;
    assert_eq!((tool.as_str(), arguments.as_str()), ("look", r#"{"at":1}"#));
}

#[tokio::test]
async fn tools_that_come_and_go_are_listed_and_a_page_without_webmcp_says_so() {
    let mut rig = Rig::with_page(
        r#"<script>
        const ended = new AbortController();
        tools.registerTool({ name: "there", description: "d", execute: () => {} }, { signal: ended.signal });
        tools.registerTool({ name: "end-it", description: "d", annotations: { readOnlyHint: true },
          execute: () => { ended.abort(); return "ended"; } });
        </script>"#,
    )
    .await;
    let there = rig.tool("there").await;
    assert_eq!(rig.door.tool(&there.key).await, Some(there.clone()));
    let end_it = rig.tool("end-it").await;
    rig.read(&end_it, json!({})).await.unwrap();
    rig.tabs("a list without it", |tabs| {
        let tools = &tabs.first()?.tools;
        (tools.iter().any(|tool| tool.name == "state") && !tools.iter().any(|tool| tool.name == "there")).then_some(())
    })
    .await;
    assert_eq!(rig.door.tool(&there.key).await, None);

    rig.door.open("about:blank").await.unwrap();
    rig.tabs("a tab without WebMCP", |tabs| {
        tabs.iter().find(|tab| tab.state == TabState::NoWebmcp).map(|_| ())
    })
    .await;
}

#[tokio::test]
async fn the_page_sees_nothing_of_the_interceptor() {
    let mut rig = Rig::with_page(
        r#"<script>
        const clean = document.createElement("iframe");
        S.names = Object.getOwnPropertyNames(globalThis).filter((name) => /^w[0-9a-f]{32}$/.test(name));
        S.text = Function.prototype.toString.call(ModelContext.prototype.registerTool);
        S.name = ModelContext.prototype.registerTool.name;
        S.length = ModelContext.prototype.registerTool.length;
        S.own = Reflect.ownKeys(tools).length;
        S.listened = 0;
        </script>"#,
    )
    .await;
    let state = rig.tool("state").await;
    let state = rig.state(&state).await;
    assert_eq!(state["names"], json!([]));
    assert!(state["text"].as_str().unwrap().contains("[native code]"));
    assert_eq!(
        (&state["name"], &state["length"], &state["own"]),
        (&json!("registerTool"), &json!(1), &json!(0))
    );
}

#[tokio::test]
async fn a_registration_that_the_browser_refuses_leaves_the_one_that_stands() {
    let mut rig = Rig::with_page(
        r#"<script>
        const offer = (answer, annotations) =>
          tools.registerTool({ name: "look", description: "Looks", annotations, execute: () => answer });
        offer("first", { readOnlyHint: true });
        offer("second", {}).catch((error) => { S.refused = error.name; });
        offer("third", { readOnlyHint: true }).catch(() => {});
        </script>"#,
    )
    .await;
    let (look, state) = (rig.tool("look").await, rig.tool("state").await);
    assert_eq!((look.source, look.annotations.read_only), (ToolSource::Script, true));
    assert_eq!(rig.read(&look, json!({})).await, Ok("first".into()));
    assert_eq!(rig.state(&state).await["refused"], "InvalidStateError");
}

#[tokio::test]
async fn a_page_that_one_comes_back_to_is_held_and_read_as_before() {
    let mut rig = Rig::with_page(
        r#"<script>
        tools.registerTool({ name: "look", description: "d", annotations: { readOnlyHint: true }, execute: () => "seen" });
        tools.registerTool({ name: "again", description: "d", annotations: { readOnlyHint: true },
          execute: () => own("look", {}) });
        tools.registerTool({ name: "leave", description: "d", annotations: { readOnlyHint: true },
          execute: () => { setTimeout(() => { location.href = "/next"; }, 0); return "leaving"; } });
        </script>"#,
    )
    .await;
    rig.site
        .page("/next", r#"<script>setTimeout(() => history.back(), 300)</script>"#);
    let leave = rig.tool("leave").await;
    let first = rig.tool("look").await;
    rig.read(&leave, json!({})).await.unwrap();
    rig.gone(&first.page.document).await;
    rig.tabs("the next page", |tabs| {
        tabs.iter().find(|tab| tab.url.ends_with("/next")).map(|_| ())
    })
    .await;
    rig.tabs("the page again", |tabs| {
        tabs.iter().find(|tab| !tab.url.ends_with("/next")).map(|_| ())
    })
    .await;
    let again = rig.tool("again").await;
    assert_eq!(rig.read(&again, json!({})).await, Ok("seen".into()));
}
