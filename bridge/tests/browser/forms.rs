use countersign_bridge::{Door, Executed};
use countersign_contract::ToolSource;
use serde_json::json;

use crate::rig::Rig;

fn form(attributes: &str, script: &str) -> String {
    format!(
        r#"<form toolname="order" tooldescription="Orders pots" {attributes} action="/ordered" method="post">
          <input name="pot" toolparamdescription="which"><button>Order</button></form>
        <script>
        const form = document.querySelector("form");
        form.addEventListener("submit", (event) => {{
          event.preventDefault();
          S.calls.push(new FormData(form).get("pot"));
          const sent = fetch("/ordered", {{ method: "POST", body: new FormData(form).get("pot") }});
          event.respondWith?.(sent.then(() => "ordered"));
        }});
        {script}
        </script>"#
    )
}

#[tokio::test]
async fn a_form_is_a_write_and_a_released_call_of_it_submits_it_once() {
    for attributes in ["toolautosubmit", ""] {
        let mut rig = Rig::with_page(&form(attributes, "")).await;
        let state = rig.tool("state").await;
        // While the form is being parsed it is listed as far as it goes.
        let order = rig
            .tabs("the whole form", |tabs| {
                let mut tools = tabs.iter().flat_map(|tab| &tab.tools);
                tools
                    .find(|tool| tool.name == "order" && tool.input_schema["properties"]["pot"].is_object())
                    .cloned()
            })
            .await;
        assert_eq!((order.source, order.annotations.read_only), (ToolSource::Form, false));
        assert_eq!(order.annotations.autosubmit, attributes == "toolautosubmit");
        assert_eq!(rig.state(&state).await["calls"], json!([]));
        let ticket = rig.call_ticket(&order, json!({ "pot": "blue" })).await;
        assert_eq!(
            rig.execute(ticket).await,
            Executed::Committed {
                result: "ordered".into()
            }
        );
        assert_eq!(rig.site.posts("/ordered"), ["blue"]);
        assert_eq!(rig.state(&state).await["calls"], json!(["blue"]));
    }
}

#[tokio::test]
async fn a_form_that_leads_to_another_page_is_committed() {
    let mut rig = Rig::with_page(
        r#"<form toolname="order" tooldescription="Orders pots" toolautosubmit action="/ordered" method="post">
          <input name="pot" toolparamdescription="which"><button>Order</button></form>"#,
    )
    .await;
    let order = rig
        .tabs("the whole form", |tabs| {
            let mut tools = tabs.iter().flat_map(|tab| &tab.tools);
            tools
                .find(|tool| tool.name == "order" && tool.input_schema["properties"]["pot"].is_object())
                .cloned()
        })
        .await;
    let ticket = rig.call_ticket(&order, json!({ "pot": "blue" })).await;
    assert_eq!(
        rig.execute(ticket).await,
        Executed::Committed {
            result: "The form was submitted.".into()
        }
    );
    assert_eq!(rig.site.posts("/ordered"), ["pot=blue"]);
}

#[tokio::test]
async fn a_submit_by_script_of_a_form_an_agent_filled_is_held() {
    let call = r#"
      tools.addEventListener("toolactivated", () => form.submit());
      setTimeout(() => own("order", { pot: "red" }).catch(() => {}), 50);"#;
    let mut rig = Rig::with_page(&form("", call)).await;
    let (held, tool, arguments, _) = rig.ask().await;
    assert_eq!((tool.name.as_str(), arguments.as_str()), ("order", r#"{"pot":"red"}"#));
    assert_eq!(rig.site.writes(), []);
    let ticket = rig.held_ticket(held, &tool, &arguments).await;
    let executed = rig.execute(ticket).await;
    assert!(matches!(executed, Executed::Committed { .. }), "{executed:?}");
    assert_eq!(rig.site.posts("/ordered"), ["pot=red"]);
}

#[tokio::test]
async fn a_form_that_an_agent_in_the_page_submits_is_held() {
    let call = r#"setTimeout(() => own("order", { pot: "red" }).then((got) => { S.got = got; }, (e) => { S.failed = "" + e; }), 50);"#;
    let mut rig = Rig::with_page(&form("toolautosubmit", call)).await;
    let state = rig.tool("state").await;
    let (held, tool, arguments, _) = rig.ask().await;
    assert_eq!((tool.name.as_str(), arguments.as_str()), ("order", r#"{"pot":"red"}"#));
    assert_eq!(rig.state(&state).await["calls"], json!([]));
    assert_eq!(rig.site.writes(), []);
    let ticket = rig.held_ticket(held, &tool, &arguments).await;
    assert_eq!(
        rig.execute(ticket).await,
        Executed::Committed {
            result: "ordered".into()
        }
    );
    assert_eq!(rig.site.posts("/ordered"), ["red"]);
    while rig.state(&state).await["got"] != json!("ordered") {}
}

#[tokio::test]
async fn a_refused_form_is_not_submitted_and_its_caller_gets_the_words() {
    let call = r#"setTimeout(() => own("order", { pot: "red" }).then((got) => { S.got = got; }, (e) => { S.failed = "" + e; }), 50);"#;
    let mut rig = Rig::with_page(&form("toolautosubmit", call)).await;
    let state = rig.tool("state").await;
    let (held, ..) = rig.ask().await;
    rig.door.answer(&held, "Refused. Nothing changed.").await;
    while rig.state(&state).await["got"] != json!("Refused. Nothing changed.") {}
    assert_eq!(rig.state(&state).await["calls"], json!([]));
    assert_eq!(rig.site.writes(), []);
}

#[tokio::test]
async fn a_form_whose_call_was_given_up_is_not_submitted_by_a_late_release() {
    let call = r#"const caller = new AbortController();
      setTimeout(() => own("order", { pot: "red" }, { signal: caller.signal }).catch(() => { S.failed = true; }), 50);
      tools.registerTool({ name: "give-up", description: "d", annotations: { readOnlyHint: true },
        execute: () => { caller.abort(); return "given up"; } });"#;
    let mut rig = Rig::with_page(&form("toolautosubmit", call)).await;
    let (state, give_up) = (rig.tool("state").await, rig.tool("give-up").await);
    let (held, tool, arguments, _) = rig.ask().await;
    let ticket = rig.held_ticket(held, &tool, &arguments).await;
    rig.read(&give_up, json!({})).await.unwrap();
    while rig.state(&state).await["failed"] != json!(true) {}
    let executed = rig.execute(ticket).await;
    assert!(matches!(executed, Executed::NotRun { .. }), "{executed:?}");
    assert_eq!(rig.state(&state).await["calls"], json!([]));
    assert_eq!(rig.site.writes(), []);
}
