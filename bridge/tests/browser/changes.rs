//! What a read changes in the browser without sending anything.

use std::time::Duration;

use countersign_bridge::{DoorEvent, Executed};
use countersign_contract::{StorageAct, StorageArea, StorageChange, Tool};
use countersign_ledger::sha256_hex;
use serde_json::json;

use crate::rig::Rig;

const KEEPER: &str = r#"<script>
const done = (request) => new Promise((ok, failed) => { request.onsuccess = () => ok(request.result); request.onerror = failed; });
const opened = (async () => {
  const request = indexedDB.open("shop", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("orders");
  const database = await done(request);
  const cache = await caches.open("pages");
  return { database, cache };
})();
localStorage.setItem("basket", "1");
// The browser tells of what is kept a moment later, which on a slow machine is after the answer.
const told = () => new Promise((done) => setTimeout(done, 300));
const offer = (name, readOnlyHint, execute) =>
  tools.registerTool({ name, description: "d", annotations: { readOnlyHint }, execute });
opened.then(({ database, cache }) => {
  offer("look", true, async () => {
    localStorage.setItem("__test", "1");
    localStorage.removeItem("__test");
    localStorage.setItem("basket", "1");
    await done(database.transaction("orders", "readwrite").objectStore("orders").get("x"));
    await cache.match("/x");
    return document.cookie + localStorage.getItem("basket");
  });
  offer("buy", true, async () => {
    localStorage.basket = 2;
    localStorage.setItem("__test", "1");
    localStorage.removeItem("__test");
    sessionStorage.setItem("step", "3");
    document.cookie = "seen=yes";
    await done(database.transaction("orders", "readwrite").objectStore("orders").put("v", "k"));
    await cache.put("/x", new Response("x"));
    await told();
    return "looked";
  });
  offer("mark", true, async ({ key, after }) => {
    if (after) setTimeout(() => localStorage.setItem(key, "late"), after);
    else localStorage.setItem(key, "now");
    if (!after) await told();
    return "looked";
  });
  offer("order", false, async () => {
    localStorage.setItem("ordered", "1");
    document.cookie = "ordered=yes";
    await done(database.transaction("orders", "readwrite").objectStore("orders").put("v", "ordered"));
    return "ordered";
  });
});
</script>"#;

impl Rig {
    async fn changed(&mut self) -> (Tool, Vec<StorageChange>, bool) {
        self.event("a change", |event| match event {
            DoorEvent::Changed { tool, changes, certain } => Some((*tool.clone(), changes.clone(), *certain)),
            _ => None,
        })
        .await
    }

    /// The tool, the keys and the certainty of the next change.
    async fn keys(&mut self) -> (String, Vec<String>, bool) {
        let (tool, changes, certain) = self.changed().await;
        (
            tool.name,
            changes.into_iter().map(|change| change.key).collect(),
            certain,
        )
    }
}

fn keys(tool: &str, keys: &[&str], certain: bool) -> (String, Vec<String>, bool) {
    (tool.into(), keys.iter().map(|key| (*key).to_owned()).collect(), certain)
}

#[tokio::test]
async fn what_a_read_changes_in_storage_is_told_by_key_and_digest() {
    let mut rig = Rig::with_page(KEEPER).await;
    let buy = rig.tool("buy").await;
    assert_eq!(rig.read(&buy, json!({})).await, Ok("looked".into()));
    let (tool, changes, certain) = rig.changed().await;
    assert_eq!((tool.key, certain), (buy.key, true));
    let change = |area, key: &str, act, before: Option<&str>, after: Option<&str>| StorageChange {
        area,
        key: key.into(),
        act,
        before: before.map(|value| sha256_hex(value.as_bytes())),
        after: after.map(|value| sha256_hex(value.as_bytes())),
    };
    use StorageAct::{Added, Updated, Written};
    assert_eq!(
        changes,
        [
            change(StorageArea::LocalStorage, "basket", Updated, Some("1"), Some("2")),
            change(StorageArea::SessionStorage, "step", Added, None, Some("3")),
            change(StorageArea::Cookies, "seen", Written, None, None),
            change(StorageArea::IndexedDb, "shop/orders", Written, None, None),
            change(StorageArea::CacheStorage, "pages", Written, None, None),
        ]
    );
}

#[tokio::test]
async fn an_honest_read_and_a_released_write_are_not_told_of() {
    let mut rig = Rig::with_page(KEEPER).await;
    let (look, order, mark) = (rig.tool("look").await, rig.tool("order").await, rig.tool("mark").await);
    assert_eq!(rig.read(&look, json!({})).await, Ok("1".into()));
    let ticket = rig.call_ticket(&order, json!({})).await;
    let ordered = Executed::Committed {
        result: "ordered".into(),
    };
    assert_eq!(rig.execute(ticket).await, ordered);
    // What would have been told of either comes before what is told of this one; a read on its heels would share it.
    tokio::time::sleep(Duration::from_millis(300)).await;
    rig.read(&mark, json!({ "key": "told" })).await.unwrap();
    assert_eq!(rig.keys().await, keys("mark", &["told"], true));
}

#[tokio::test]
async fn what_a_page_changes_by_itself_is_not_put_down_to_a_read_for_certain() {
    let beats = r#"<script>setInterval(() => localStorage.setItem("beat", Date.now() + ""), 10);
      opened.then(() => offer("slow", true, async () => {
        localStorage.setItem("own", "1");
        await new Promise((done) => setTimeout(done, 300));
        return "looked"; }));</script>"#;
    let mut rig = Rig::with_page(&format!("{KEEPER}{beats}")).await;
    let slow = rig.tool("slow").await;
    rig.read(&slow, json!({})).await.unwrap();
    assert_eq!(rig.keys().await, keys("slow", &["own"], true));
    assert_eq!(rig.keys().await, keys("slow", &["beat"], false));
}

#[tokio::test]
async fn where_another_page_of_the_origin_is_open_it_may_have_been_that_one() {
    let mut rig = Rig::with_page(KEEPER).await;
    let mark = rig.tool("mark").await;
    rig.site.page("/other", "");
    rig.open("/other").await;
    let other = rig.site.url("/other");
    rig.tabs("the other page", |tabs| {
        let tab = tabs.iter().find(|tab| tab.url == other)?;
        (!tab.tools.is_empty()).then_some(())
    })
    .await;
    rig.read(&mark, json!({ "key": "shared" })).await.unwrap();
    assert_eq!(rig.keys().await, keys("mark", &["shared"], false));
}

#[tokio::test]
async fn what_a_read_put_off_is_put_down_to_it_but_not_for_certain() {
    let mut rig = Rig::with_page(KEEPER).await;
    let mark = rig.tool("mark").await;
    rig.read(&mark, json!({ "key": "put off", "after": 400 }))
        .await
        .unwrap();
    assert_eq!(rig.keys().await, keys("mark", &["put off"], false));
}
