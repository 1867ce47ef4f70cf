use countersign_bridge::Executed;
use countersign_contract::{Tool, ToolSource};
use serde_json::json;

use crate::rig::Rig;

#[tokio::test]
async fn tools_of_every_frame_are_listed_and_called_in_theirs() {
    let mut rig = Rig::start().await;
    let tool = |name: &str| {
        format!(
            r#"<script>tools.registerTool({{ name: "{name}", description: "d", execute: async () => {{
              await fetch("/{name}", {{ method: "POST", body: location.host }}); return "{name}";
            }} }})</script>"#
        )
    };
    rig.site.page("/near", &tool("near"));
    rig.site.page("/far", &tool("far"));
    let far = rig.site.other_site("/far");
    let frames = format!(r#"<iframe src="/near"></iframe><iframe allow="tools" src="{far}"></iframe>"#);
    rig.site.page("/", &(tool("top") + &frames));
    rig.open("/").await;
    let (top, near, far) = (rig.tool("top").await, rig.tool("near").await, rig.tool("far").await);
    assert_eq!((&top.page.tab, &top.page.tab), (&near.page.tab, &far.page.tab));
    assert_eq!(near.page.origin, top.page.origin);
    assert_eq!(far.page.origin, rig.site.other_site("").trim_end_matches('/'));
    assert_ne!(near.page.frame, top.page.frame);
    for (tool, name) in [(&near, "near"), (&far, "far")] {
        assert_eq!(rig.site.posts(&format!("/{name}")).len(), 0);
        let ticket = rig.call_ticket(tool, json!({})).await;
        assert_eq!(rig.execute(ticket).await, Executed::Committed { result: name.into() });
        assert_eq!(rig.site.posts(&format!("/{name}")).len(), 1);
    }
}

#[tokio::test]
async fn a_popup_is_covered_before_its_first_script() {
    let mut rig = Rig::start().await;
    rig.site.page(
        "/popup",
        r#"<script>tools.registerTool({ name: "pop", description: "d", execute: () => { S.calls.push(1); } })
          .then(() => own("pop", {}))</script>"#,
    );
    rig.site.page(
        "/",
        r#"<script>tools.registerTool({ name: "open", description: "d", execute: () => {
             window.open("/popup", "_blank"); return "opened"; } })</script>"#,
    );
    rig.open("/").await;
    let open = rig.tool("open").await;
    let ticket = rig.call_ticket(&open, json!({})).await;
    rig.execute(ticket).await;
    // The browser may block the popup, as it does without a person's gesture; then it is opened by hand.
    rig.open("/popup").await;
    let (_, tool, ..) = rig.ask().await;
    assert_eq!(tool.name, "pop");
    assert_ne!(tool.page.tab, open.page.tab);
}

#[tokio::test]
async fn a_frame_that_was_tampered_with_before_its_document_came_is_still_held() {
    let mut rig = Rig::start().await;
    rig.site.page(
        "/near",
        r#"<script>S.tampered = globalThis.tampered === true;
          tools.registerTool({ name: "near", description: "d", execute: () => { S.calls.push(1); } })
            .then(() => own("near", {}))</script>"#,
    );
    // The frame's first, empty document and the same-origin one that follows share a window.
    rig.site.page(
        "/",
        r#"<body><script>
          const frame = document.createElement("iframe");
          frame.src = "/near";
          document.body.append(frame);
          const inner = frame.contentWindow;
          inner.tampered = true;
          inner.EventTarget.prototype.dispatchEvent = () => false;
          inner.MessagePort.prototype.postMessage = () => {};
          inner.JSON.stringify = () => "{}";
          inner.Function.prototype.toString = () => "function registerTool() { [native code] }";
        </script>"#,
    );
    rig.open("/").await;
    let (_, tool, ..) = rig.ask().await;
    assert_eq!(tool.name, "near");
    let near = rig
        .tabs("both frames", |tabs| {
            let tools = || tabs.iter().flat_map(|tab| &tab.tools);
            let near = tools().find(|tool| tool.name == "near")?;
            tools()
                .find(|tool| tool.name == "state" && tool.page.frame == near.page.frame)
                .cloned()
        })
        .await;
    let state = rig.state(&near).await;
    assert_eq!((&state["tampered"], &state["calls"]), (&json!(true), &json!([])));
}

#[tokio::test]
async fn a_sandboxed_frame_without_an_address_runs_no_script_before_the_interceptor() {
    const FRAMES: usize = 16;
    let mut rig = Rig::with_page(
        r#"<script>
        for (let at = 0; at < 16; at++) {
          const made = document.createElement("iframe");
          const text = `<script>document.modelContext.registerTool({ name: "boxed${at}", description: "d", execute: () => 1 })<\/script>`;
          made.allow = "tools";
          made.sandbox = "allow-scripts";
          if (at % 2) made.srcdoc = text;
          else made.src = URL.createObjectURL(new Blob([text], { type: "text/html" }));
          document.documentElement.append(made);
        }
        </script>"#,
    )
    .await;
    let boxed = |tool: &&Tool| tool.name.starts_with("boxed");
    let tools = rig
        .tabs("the frames' tools", |tabs| {
            let tools: Vec<_> = tabs.iter().flat_map(|tab| &tab.tools).filter(boxed).cloned().collect();
            (tools.len() == FRAMES).then_some(tools)
        })
        .await;
    for tool in tools {
        assert_eq!(tool.source, ToolSource::Script, "{}", tool.name);
    }
}
