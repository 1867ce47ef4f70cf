use countersign_bridge::{Door, DoorEvent};
use countersign_contract::wire::Head;
use serde_json::{Value, json};

use crate::rig::Rig;

/// Asks for a desk as a page does that keeps a chain of its own, and tells it these heads one after the other.
const TELLS: &str = r#"<script>
    let desk;
    document.dispatchEvent(new CustomEvent("countersign:page", { detail: { version: 1, heard: (found) => (desk = found) } }));
    S.found = desk && [desk.version, Reflect.ownKeys(desk).join(), Object.getPrototypeOf(desk)];
    const hash = (digit) => digit.repeat(64);
    S.told = [];
    const tell = async (head) => S.told.push((await desk.tell(head)) ?? null);
    (async () => {
      for (const odd of [undefined, {}, { seq: "1", hash: hash("a") }, { seq: 1.5, hash: hash("a") }, { seq: -1, hash: hash("a") },
        { seq: 1, hash: hash("A") }, { seq: 1, hash: "a" }, { seq: 2 ** 53, hash: hash("a") }]) await tell(odd);
      await tell({ seq: 7, hash: hash("a") });
      await tell({ seq: 8, hash: hash("b") });
    })();
    </script>"#;

fn head(seq: u64, digit: &str) -> Head {
    Head {
        seq,
        hash: digit.repeat(64),
    }
}

#[tokio::test]
async fn a_page_finds_the_desk_and_has_its_head_recorded_and_not_many_at_once() {
    let mut rig = Rig::with_page(TELLS).await;
    let state = rig.tool("state").await;
    let (page, number, told) = rig
        .event("a head", |event| match event {
            DoorEvent::Head { page, number, head } => Some((page.clone(), *number, head.clone())),
            _ => None,
        })
        .await;
    assert_eq!(told, head(7, "a"), "the page's odd ones are not passed on");
    assert_eq!(
        (&page.origin, &page.document),
        (&state.page.origin, &state.page.document)
    );
    let mut elsewhere = page.clone();
    elsewhere.document = "another document".into();
    rig.door.tell_head(&elsewhere, number, Some(head(1, "0")));
    rig.door.tell_head(&page, number, Some(head(41, "c")));

    let all = |state: &Value| state["told"].as_array().is_some_and(|told| told.len() == 10);
    let seen = rig.state_when(&state, all).await;
    let mut expected = vec![Value::Null; 10];
    expected[8] = json!(head(41, "c"));
    assert_eq!(
        seen["told"],
        Value::Array(expected),
        "what comes within a second is not recorded"
    );
    assert_eq!(seen["found"], json!([1, "version,tell", null]));
}

#[tokio::test]
async fn a_page_that_asks_oddly_for_a_desk_breaks_nothing() {
    let mut rig = Rig::with_page(
        r#"<script>
        const asks = [undefined, null, 5, "x", {}, { heard: 5 }, { get heard() { throw new Error("mine"); } }];
        S.errors = [];
        addEventListener("error", (event) => { S.errors.push(event.message); event.preventDefault(); });
        for (const detail of asks) document.dispatchEvent(new CustomEvent("countersign:page", { detail }));
        document.dispatchEvent(new Event("countersign:page"));
        </script>"#,
    )
    .await;
    let state = rig.tool("state").await;
    assert_eq!(rig.state(&state).await["errors"], json!(["Uncaught Error: mine"]));
}
