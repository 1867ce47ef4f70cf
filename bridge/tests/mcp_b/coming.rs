//! Who may come, and who is who.

use serde_json::json;

use crate::page::{Page, hello};
use crate::rig::{CDN, ORIGIN, Rig};

#[tokio::test]
async fn the_mcp_b_door_listens_on_loopback_and_greets_as_the_relay_does() {
    let rig = Rig::start().await;
    assert!(rig.address().ip().is_loopback());
    let page = Page::come(&rig).await;
    assert_eq!(page.protocol, "webmcp-discovery.v1");
    let greeting = &page.greeting;
    assert_eq!(
        (&greeting["type"], &greeting["service"], &greeting["version"]),
        (&json!("server-hello"), &json!("webmcp-local-relay"), &json!(1))
    );
    assert_eq!(
        (&greeting["host"], &greeting["port"]),
        (&json!("127.0.0.1"), &json!(rig.address().port()))
    );
    assert!(greeting["instanceId"].is_string());
}

#[tokio::test]
async fn a_foreign_origin_and_a_program_without_one_are_refused_and_shown() {
    let rig = Rig::start().await;
    let foreign = [
        "https://evil.example",
        "https://room.example.evil.example",
        "https://room.example:444",
        "http://room.example",
        "https://ROOM.example",
        "https://room.example/",
        "null",
        "",
    ];
    for origin in foreign {
        assert_eq!(
            Page::connect(&rig, &[("origin", origin)]).await.err(),
            Some(403),
            "{origin}"
        );
        let refused = rig.status().refused.expect("it is shown");
        assert_eq!(refused.origin, origin);
        assert!(refused.reason.contains("not on the list"), "{}", refused.reason);
    }
    assert_eq!(Page::connect(&rig, &[]).await.err(), Some(403));
    assert!(rig.status().refused.unwrap().reason.contains("names no origin"));
    let two = [("origin", ORIGIN), ("origin", "https://evil.example")];
    assert_eq!(Page::connect(&rig, &two).await.err(), Some(403));
    assert_eq!(rig.status().refused.unwrap().times, foreign.len() as u32 + 2);
    assert_eq!(rig.status().pages, 0);
}

#[tokio::test]
async fn a_name_of_somebodys_site_that_leads_here_is_refused() {
    let rig = Rig::start().await;
    let named = [("origin", ORIGIN), ("host", "room.example:9333")];
    assert_eq!(Page::connect(&rig, &named).await.err(), Some(403));
    let by_its_own = [("origin", ORIGIN), ("host", "localhost:9333")];
    assert!(Page::connect(&rig, &by_its_own).await.is_ok());
}

#[tokio::test]
async fn a_page_is_of_the_origin_that_its_browser_names_and_of_no_other() {
    let mut rig = Rig::serving(&[ORIGIN, "https://bank.example"], &[CDN]).await;
    let mut liar = Page::come(&rig).await;
    liar.say(&hello("a", "https://bank.example")).await;
    assert_eq!(liar.closed().await.unwrap().0, 1008);
    assert!(rig.status().refused.unwrap().reason.contains("said that it speaks for"));
    assert_eq!(rig.tabs(), []);

    let mut page = Page::come(&rig).await;
    page.say(&hello("a", ORIGIN)).await;
    let tabs = rig.tabs_when("the page", |tabs| tabs.len() == 1).await;
    assert_eq!(
        (&*tabs[0].origin, &*tabs[0].url, &*tabs[0].title),
        (ORIGIN, "https://room.example/room", "Room")
    );
    page.say(&hello("a", "https://bank.example")).await;
    assert_eq!(page.closed().await.unwrap().0, 1008);
    rig.tabs_when("its end", <[_]>::is_empty).await;
}

#[tokio::test]
async fn a_widget_from_a_listed_place_speaks_for_listed_pages_only() {
    let mut rig = Rig::start().await;
    let mut foreign = Page::connect(&rig, &[("origin", CDN)]).await.unwrap();
    foreign.say(&hello("a", "https://evil.example")).await;
    assert_eq!(foreign.closed().await.unwrap().0, 1008);
    assert_eq!(rig.status().refused.unwrap().origin, "https://evil.example");

    let mut silent = Page::connect(&rig, &[("origin", CDN)]).await.unwrap();
    silent.say(&json!({ "type": "hello", "tabId": "a" })).await;
    assert_eq!(silent.closed().await.unwrap().0, 1008, "the place itself is no page");

    let mut page = Page::connect(&rig, &[("origin", CDN)]).await.unwrap();
    page.say(&hello("a", ORIGIN)).await;
    let tabs = rig.tabs_when("the page", |tabs| tabs.len() == 1).await;
    assert_eq!(tabs[0].origin, ORIGIN);
}

#[tokio::test]
async fn several_pages_are_several_tabs_whatever_they_call_themselves() {
    let mut rig = Rig::start().await;
    let mut one = Page::come(&rig).await;
    one.say(&hello("a", ORIGIN)).await;
    rig.tabs_when("one", |tabs| tabs.len() == 1).await;
    let mut twin = Page::come(&rig).await;
    twin.say(&hello("a", ORIGIN)).await;
    let mut odd = Page::come(&rig).await;
    odd.say(&json!({ "type": "hello", "tabId": "../a b", "url": "https://evil.example/x" }))
        .await;
    let tabs = rig.tabs_when("three", |tabs| tabs.len() == 3).await;
    assert_eq!(rig.status().pages, 3);
    assert_eq!(tabs[0].id, "mcp-b:a");
    assert!(tabs[1].id != tabs[0].id && tabs[2].id != tabs[1].id);
    let fits = |tab: &countersign_contract::Tab| {
        tab.id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b":-".contains(&byte))
    };
    assert!(tabs.iter().all(fits), "{tabs:?}");
    assert_eq!(
        tabs[2].url, "https://room.example/",
        "an address of another origin is not shown"
    );
}

#[tokio::test]
async fn no_more_than_64_are_connected_at_once() {
    let rig = Rig::start().await;
    let mut pages = Vec::new();
    for _ in 0..64 {
        pages.push(Page::come(&rig).await);
    }
    let mut more = tokio::net::TcpStream::connect(rig.address()).await.unwrap();
    let mut end = [0];
    use tokio::io::AsyncReadExt;
    let read = crate::rig::within_patience("the end", more.read(&mut end)).await;
    assert!(matches!(read, Ok(0) | Err(_)), "it is hung up on at once");
}
