use countersign_contract::RowKind;
use countersign_scenarios::{App, Options};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_port_leads_to_the_desk_or_to_the_browser() {
    let app = App::start(Options::default()).await;
    // Under automation the toolkit itself listens for its driver, on one port; an app that nobody drives has none.
    let toolkit = app.process().listens_on();
    app.panel().open_example().await;
    let shop = app.shop().await;
    let port = shop.origin().rsplit_once(':').expect("a port").1;
    let mut opened = app.process().listens_on();
    opened.retain(|port| !toolkit.contains(port));
    assert_eq!(
        opened.iter().map(u16::to_string).collect::<Vec<_>>(),
        [port],
        "the example's own server, and nothing else"
    );
    assert!(toolkit.len() <= 1, "the desk itself listens to nobody: {toolkit:?}");
    let browser = app.browser().expect("the browser runs");
    assert_eq!(
        browser.listens_on(),
        Vec::<u16>::new(),
        "the browser has a pipe and no port"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_release_under_automation_is_recorded_as_one() {
    let app = App::start(Options::default()).await;
    app.panel().open_example().await;
    app.panel()
        .run_by_hand("add_to_basket", &[("product", "notebook"), ("quantity", "1")])
        .await;
    app.approval().comes_up().await;
    // A driver can make the page deny that it is driven; the shell knows all the same.
    let denies =
        "Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false }); return navigator.webdriver";
    let says: bool = app.approval().screen().script(denies, json!([])).await;
    assert!(!says);
    app.approval().release().await;
    let released = app.record().has(RowKind::Released).await;
    assert_eq!(released.data["fingerprint"]["automated"], json!(true));
}
