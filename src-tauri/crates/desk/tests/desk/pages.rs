//! Which pages agents may act on is the person's choice.

use countersign_bridge::DoorEvent;
use countersign_bridge::mcp;
use countersign_contract::*;
use countersign_desk::{Asked, CallAsk, DeskError};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::common::{Bench, tool};

const SHOP: &str = "http://shop.example";
const BANK: &str = "http://bank.example";

/// A tab with a read and a write, of the same names in each.
fn tab(id: &str, origin: &str) -> Tab {
    let tools = [tool("list", true), tool("order", false)].map(|mut tool| {
        tool.key = ToolKey(format!("{id}/{}/1", tool.name));
        tool.page.tab = id.into();
        tool.page.origin = origin.into();
        tool
    });
    Tab {
        id: id.into(),
        door: DoorKind::Browser,
        title: "Shop".into(),
        url: format!("{origin}/"),
        origin: origin.into(),
        state: TabState::Ready,
        browser: None,
        window: None,
        opener: None,
        tools: tools.into(),
    }
}

fn at(id: &str) -> TabRef {
    TabRef {
        door: DoorKind::Browser,
        tab: id.into(),
    }
}

fn opened_by(opener: &str, tab: Tab) -> Tab {
    Tab {
        opener: Some(opener.into()),
        ..tab
    }
}

impl Bench {
    async fn has(&self, tabs: &[Tab]) -> DeskState {
        *self.door.tools.lock().unwrap() = tabs.iter().flat_map(|tab| tab.tools.clone()).collect();
        self.events.send(DoorEvent::Tabs(tabs.to_vec())).unwrap();
        self.until("the tabs are listed", |state| state.tabs == tabs).await
    }

    async fn pin(&self, id: &str, origin: &str) -> Result<(), DeskError> {
        let origin = origin.into();
        self.desk.pin_page(&ChoosePageParams { at: at(id), origin }).await
    }

    async fn ask_of(&self, ingress: Ingress, id: &str, name: &str) -> Result<Asked, DeskError> {
        let ask = CallAsk {
            caller: Caller::new(ingress, "somebody"),
            tool: ToolKey(format!("{id}/{name}/1")),
            arguments: json!({}),
            fingerprint: Fingerprint::default(),
            task: "conversation-1".into(),
        };
        self.desk.ask(ask, CancellationToken::new()).await
    }

    fn agents(&self) -> Vec<String> {
        let tools = self.desk.agents_tools();
        tools.into_iter().map(|tool| tool.key.0).collect()
    }

    fn choices(&self) -> Vec<String> {
        let rows = self.rows().into_iter().filter(|row| row.kind == RowKind::PageChosen);
        rows.map(|row| {
            format!(
                "{} {}",
                row.data["choice"].as_str().unwrap(),
                row.data["page"].as_str().unwrap()
            )
        })
        .collect()
    }
}

fn page<'a>(state: &'a DeskState, id: &str) -> &'a ListedPage {
    state.pages.iter().find(|page| page.at.tab == id).expect("it is listed")
}

#[tokio::test]
async fn the_agent_acts_on_the_pinned_page_and_on_no_other() {
    let bench = Bench::new().await;
    bench.has(&[tab("tab-1", SHOP), tab("tab-2", SHOP)]).await;
    assert_eq!(bench.agents(), ["tab-1/list/1", "tab-1/order/1"]);

    for name in ["list", "order"] {
        let refused = bench.ask_of(Ingress::PanelAgent, "tab-2", name).await;
        assert!(matches!(refused, Err(DeskError::NotChosen { .. })), "{refused:?}");
    }
    let rows: Vec<_> = bench
        .rows()
        .into_iter()
        .filter(|row| row.kind == RowKind::TurnedAway)
        .collect();
    assert_eq!(rows.len(), 2, "each is recorded");
    assert_eq!(
        (rows[0].ingress, &rows[0].data["how"]),
        (Ingress::PanelAgent, &json!("page-not-chosen"))
    );
    assert_eq!(bench.desk.state().proposals, [], "nothing is held of it");

    // A person who asks by hand names the page by doing so.
    assert!(bench.ask_of(Ingress::PanelHand, "tab-2", "list").await.is_ok());

    bench.pin("tab-2", SHOP).await.unwrap();
    assert_eq!(bench.agents(), ["tab-2/list/1", "tab-2/order/1"]);
    assert!(bench.ask_of(Ingress::PanelAgent, "tab-2", "list").await.is_ok());
    assert!(bench.ask_of(Ingress::PanelAgent, "tab-1", "list").await.is_err());
    assert_eq!(bench.choices(), ["pinned t1", "pinned t2"]);
}

#[tokio::test]
async fn a_page_that_is_gone_is_lost_and_nothing_is_chosen_in_its_place() {
    let bench = Bench::new().await;
    bench.has(&[tab("tab-1", SHOP), tab("tab-2", SHOP)]).await;
    let state = bench.has(&[tab("tab-2", SHOP)]).await;
    assert!(state.page_lost.is_some());
    assert_eq!(page(&state, "tab-2").agent, None);
    assert_eq!(bench.agents(), [""; 0]);

    bench.desk.open_page(DoorKind::Browser, "new").await.unwrap();
    let state = bench.has(&[tab("tab-2", SHOP), tab("tab of new", BANK)]).await;
    assert_eq!(
        page(&state, "tab of new").agent,
        Some(AgentUse::Pinned),
        "the person opened it"
    );
    assert_eq!(state.page_lost, None);
    assert_eq!(bench.agents(), ["tab of new/list/1", "tab of new/order/1"]);
    assert_eq!(bench.choices(), ["pinned t1", "lost t1", "opened and pinned t3"]);
}

#[tokio::test]
async fn a_page_on_another_origin_stands_still_until_the_person_goes_on_with_it() {
    let bench = Bench::new().await;
    let state = bench.has(&[tab("tab-1", BANK)]).await;
    assert!(page(&state, "tab-1").moved);
    assert_eq!(bench.agents(), [""; 0]);
    let refused = bench.ask_of(Ingress::PanelAgent, "tab-1", "list").await;
    assert!(matches!(refused, Err(DeskError::NotChosen { .. })), "{refused:?}");

    let params = |origin: &str| ChoosePageParams {
        at: at("tab-1"),
        origin: origin.into(),
    };
    let late = bench.desk.go_on_with_page(&params("http://seen.example")).await;
    assert!(matches!(late, Err(DeskError::Elsewhere(_))), "{late:?}");
    assert_eq!(bench.agents(), [""; 0]);

    bench.desk.go_on_with_page(&params(BANK)).await.unwrap();
    assert_eq!(bench.agents(), ["tab-1/list/1", "tab-1/order/1"]);
    let state = bench.has(&[tab("tab-1", SHOP)]).await;
    assert!(!page(&state, "tab-1").moved, "it was chosen there before");
}

#[tokio::test]
async fn what_the_agents_page_opens_while_it_acts_there_is_followed_and_nothing_else_is() {
    let bench = Bench::new().await;
    let first = tab("tab-1", SHOP);
    let other = tab("tab-2", SHOP);
    // Nobody acts: a page that opens another by itself is not followed.
    let unasked = opened_by("tab-1", tab("tab-3", SHOP));
    let state = bench.has(&[first.clone(), other.clone(), unasked.clone()]).await;
    assert_eq!(page(&state, "tab-3").agent, None);

    // Nor is what it opens for somebody else's act.
    bench.ask_of(Ingress::PanelHand, "tab-1", "list").await.unwrap();
    let by_hand = opened_by("tab-1", tab("tab-4", SHOP));
    let state = bench
        .has(&[first.clone(), other.clone(), unasked.clone(), by_hand])
        .await;
    assert_eq!(page(&state, "tab-4").agent, None);

    let Asked::Held(write) = bench.ask_of(Ingress::PanelAgent, "tab-1", "order").await.unwrap() else {
        panic!("a write was not held");
    };
    bench.previewed(&write).await;
    bench.release(&write).await.unwrap();
    bench
        .until("it ran", |state| state.proposals[0].state.is_settled())
        .await;
    let followed = opened_by("tab-1", tab("tab-5", SHOP));
    let elsewhere = opened_by("tab-1", tab("tab-6", BANK));
    let foreign = opened_by("tab-2", tab("tab-7", SHOP));
    let open = [
        first.clone(),
        other.clone(),
        followed.clone(),
        elsewhere.clone(),
        foreign,
    ];
    let state = bench.has(&open).await;
    assert_eq!(page(&state, "tab-5").agent, Some(AgentUse::Opened));
    assert_eq!(page(&state, "tab-7").agent, None, "another page opened it");
    // It led to another origin, and the person has not seen that.
    assert_eq!(
        (page(&state, "tab-6").agent, page(&state, "tab-6").moved),
        (Some(AgentUse::Opened), true)
    );
    assert_eq!(
        bench.agents(),
        ["tab-1/list/1", "tab-1/order/1", "tab-5/list/1", "tab-5/order/1"]
    );
    assert!(!page(&state, "tab-5").offered, "nobody offered it to MCP clients");

    // The person takes it back.
    bench
        .desk
        .leave_page(&LeavePageParams { at: at("tab-5") })
        .await
        .unwrap();
    assert_eq!(bench.agents(), ["tab-1/list/1", "tab-1/order/1"]);

    // Long after the act nothing is put down to it.
    bench.clock.forward(10_000);
    let late = opened_by("tab-1", tab("tab-8", SHOP));
    let state = bench.has(&[first, other, late]).await;
    assert_eq!(page(&state, "tab-8").agent, None);
}

#[tokio::test]
async fn a_client_uses_only_pages_that_the_person_opened_pinned_or_offered() {
    let bench = Bench::new().await;
    let seat = bench.seated("scribe").await;
    bench.desk.open_page(DoorKind::Browser, "opened").await.unwrap();
    let mut tabs = vec![tab("tab-1", SHOP), tab("tab-2", SHOP), tab("tab of opened", SHOP)];
    bench.has(&tabs).await;
    let pages = async |wanted: &[&str]| {
        let mut surface = seat.surface();
        let seen = surface.wait_for(|seen| {
            let seen: Vec<_> = seen.pages.iter().map(|page| page.handle.as_str()).collect();
            seen == wanted
        });
        seen.await.unwrap();
    };
    pages(&["t1", "t2"]).await;
    let foreign = &tabs[1].tools[0].key;
    let refused = seat.ask(foreign, json!({}), CancellationToken::new()).await;
    assert!(
        matches!(&refused, mcp::Asked::Failed { message } if message.contains("none that the person chose")),
        "{refused:?}"
    );

    let offer = |id: &str, offered: bool| OfferPageParams {
        at: at(id),
        origin: SHOP.into(),
        offered,
    };
    bench.desk.offer_page(&offer("tab-2", true)).await.unwrap();
    pages(&["t1", "t2", "t3"]).await;
    assert!(matches!(
        seat.ask(foreign, json!({}), CancellationToken::new()).await,
        mcp::Asked::Read { .. }
    ));
    bench.desk.offer_page(&offer("tab-1", false)).await.unwrap();
    pages(&["t2", "t3"]).await;
    assert_eq!(
        bench.agents(),
        ["tab-1/list/1", "tab-1/order/1"],
        "it is the agent's as before"
    );

    tabs[1] = tab("tab-2", BANK);
    bench.has(&tabs).await;
    pages(&["t2"]).await;
}

#[tokio::test]
async fn pages_are_told_apart_by_title_host_browser_and_window() {
    let bench = Bench::new().await;
    let in_window = |window: &str, tab: Tab| Tab {
        window: Some(window.into()),
        ..tab
    };
    let untitled = Tab {
        title: " ".into(),
        ..tab("tab-4", BANK)
    };
    let one_window = [
        in_window("900", tab("tab-1", SHOP)),
        in_window("900", tab("tab-2", BANK)),
    ];
    let state = bench.has(&one_window).await;
    let seen = |state: &DeskState| -> Vec<String> {
        let pages = state.pages.iter();
        pages
            .map(|page| {
                let twin = page.twin.map(|twin| format!(" ({twin})")).unwrap_or_default();
                format!("{}: {}{twin} on {}", page.place, page.name, page.host)
            })
            .collect()
    };
    assert_eq!(
        seen(&state),
        [
            "Countersign’s browser: Shop on shop.example",
            "Countersign’s browser: Shop on bank.example"
        ]
    );
    let two_windows = [
        in_window("900", tab("tab-1", SHOP)),
        in_window("17", tab("tab-3", SHOP)),
        in_window("900", untitled),
    ];
    let state = bench.has(&two_windows).await;
    assert_eq!(
        seen(&state),
        [
            "Countersign’s browser, window 1: Shop (1) on shop.example",
            "Countersign’s browser, window 1: http://bank.example/ on bank.example",
            "Countersign’s browser, window 2: Shop (2) on shop.example",
        ]
    );
}
