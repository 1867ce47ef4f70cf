use super::store::{Euro, Shop};
use super::*;
use crate::examples::tests::ask;

fn refused<T: std::fmt::Debug>(result: Result<T, Refusal>) -> &'static str {
    result.expect_err("the shop should have refused").error
}

#[test]
fn an_order_costs_what_the_quote_said() {
    let mut shop = Shop::default();
    let quote = shop.quote("espresso", 2).expect("there are fourteen");
    assert_eq!(
        (quote.delivery, quote.total, quote.balance_after),
        (Euro(390), Euro(2_350), Euro(9_650))
    );
    let order = shop.order("espresso", 2).expect("there are fourteen");
    assert_eq!((order.number, order.total), (1_001, quote.total));
    let view = shop.view();
    assert_eq!(
        (&view["balance"], &view["products"][0]["stock"]),
        (&json!("96.50"), &json!(12))
    );
}

#[test]
fn delivery_is_free_from_forty_euros() {
    let quote = Shop::default().quote("mug", 3).expect("there are nine");
    assert_eq!((quote.delivery, quote.total), (Euro(0), Euro(4_200)));
}

#[test]
fn a_refusal_changes_nothing() {
    let mut shop = Shop::default();
    let before = shop.clone();
    assert_eq!(refused(shop.order("letters", 1)), "sold-out");
    assert_eq!(refused(shop.order("decaf", 7)), "not-enough-stock");
    assert_eq!(refused(shop.order("pen", 0)), "bad-quantity");
    assert_eq!(refused(shop.order("pen", 11)), "bad-quantity");
    assert_eq!(refused(shop.order("piano", 1)), "no-such-product");
    assert_eq!(refused(shop.order("filter", i64::MAX)), "bad-quantity");
    assert_eq!(refused(shop.put_in_basket("pen", i64::MIN)), "bad-quantity");
    assert_eq!(refused(shop.order_basket()), "empty-basket");
    assert_eq!(refused(shop.set_note(&"x".repeat(201))), "note-too-long");
    assert_eq!(shop, before);
}

#[test]
fn the_balance_bounds_what_can_be_ordered() {
    let mut shop = Shop::default();
    shop.order("notebook", 10).expect("115 of 120 EUR");
    assert_eq!(refused(shop.order("filter", 1)), "balance-too-low");
}

#[test]
fn the_basket_is_ordered_whole_or_not_at_all() {
    let mut shop = Shop::default();
    shop.put_in_basket("pen", 3).expect("there are three");
    shop.put_in_basket("mug", 1).expect("there are nine");
    shop.put_in_basket("mug", -1).expect("taken out again");
    assert_eq!(refused(shop.put_in_basket("pen", 1)), "not-enough-stock");
    shop.order("pen", 1).expect("another order takes one");
    let before = shop.clone();
    assert_eq!(refused(shop.order_basket()), "not-enough-stock");
    assert_eq!(shop, before);
}

#[test]
fn a_closed_account_orders_nothing() {
    let mut shop = Shop::default();
    shop.close_account().expect("open until now");
    assert_eq!(refused(shop.order("filter", 1)), "account-closed");
    assert_eq!(refused(shop.close_account()), "account-closed");
    shop.start_over().expect("always possible");
    shop.order("filter", 1).expect("open again");
}

#[test]
fn prices_rise_to_the_next_cent() {
    let mut shop = Shop::default();
    shop.raise_prices(5).expect("five is allowed");
    let prices = shop.view();
    assert_eq!(
        (&prices["products"][0]["price"], &prices["products"][7]["price"]),
        (&json!("10.29"), &json!("8.30"))
    );
}

const POST_NOTE: &str = "POST /api/note HTTP/1.1\r\nContent-Type: application/json\r\nHost: {host}";
const NOTE: &str = r#"{"note":"Ring twice."}"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_request_is_written_down() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("hits.jsonl");
    let example = serve_logging_to(Some(file.clone())).await.expect("loopback has a port");
    ask(&example.url, "GET /api/state?after=0 HTTP/1.1\r\nHost: {host}", "");
    let answer = ask(&example.url, &format!("{POST_NOTE}\r\nOrigin: http://{{host}}"), NOTE);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let hits = [
        Hit {
            method: "GET".into(),
            path: "/api/state?after=0".into(),
            body: String::new(),
        },
        Hit {
            method: "POST".into(),
            path: "/api/note".into(),
            body: NOTE.into(),
        },
    ];
    let lines = std::fs::read_to_string(file).expect("the log was written");
    let lines: Vec<Hit> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a hit a line"))
        .collect();
    assert_eq!(lines, hits);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_taken_from_the_shops_own_page_only() {
    let example = serve_logging_to(None).await.expect("loopback has a port");
    for head in [
        POST_NOTE.to_owned(),
        format!("{POST_NOTE}\r\nOrigin: null"),
        format!("{POST_NOTE}\r\nOrigin: http://localhost:1"),
        format!("{POST_NOTE}\r\nOrigin: http://{{host}}\r\nOrigin: null"),
        "GET / HTTP/1.1\r\nHost: shop.example".to_owned(),
    ] {
        let answer = ask(&example.url, &head, NOTE);
        assert!(answer.starts_with("HTTP/1.1 403"), "{head}: {answer}");
    }
    let state = ask(&example.url, "GET /api/state HTTP/1.1\r\nHost: {host}", "");
    assert!(
        state.contains(r#""revision":1"#) && !state.contains("Ring twice"),
        "{state}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_comes_with_a_policy_that_lets_nothing_else_in() {
    let example = serve_logging_to(None).await.expect("loopback has a port");
    for file in &PAGE_FILES {
        let answer = ask(
            &example.url,
            &format!("GET {} HTTP/1.1\r\nHost: {{host}}", file.path),
            "",
        );
        assert!(answer.starts_with("HTTP/1.1 200"), "{}: {answer}", file.path);
        assert!(
            answer.contains("content-security-policy: default-src 'none'"),
            "{answer}"
        );
        assert!(
            answer.ends_with(file.text),
            "{} is served as it is in the repository",
            file.path
        );
    }
}
