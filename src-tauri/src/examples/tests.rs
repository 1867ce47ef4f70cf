use std::io::{Read, Write};
use std::net::TcpStream;

use countersign_contract::ExampleName;

use super::pages::{files_of, media_type, shared_files};
use super::{Examples, pages};

/// Sends `head` and `body` to the server at `url` as they are and gives the whole answer. `{host}` is the server's own.
pub(super) fn ask(url: &str, head: &str, body: &str) -> String {
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).expect("the example listens");
    let (head, length) = (head.replace("{host}", host), body.len());
    write!(
        stream,
        "{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .expect("the request is sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("there is an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(url: &str, path: &str) -> String {
    ask(url, &format!("GET {path} HTTP/1.1\r\nHost: {{host}}"), "")
}

/// The value of a header.
fn header<'a>(answer: &'a str, name: &str) -> &'a str {
    let mut lines = answer.lines().take_while(|line| !line.is_empty());
    lines
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        .unwrap_or_default()
}

/// Of an address, what comes before its path.
fn origin_of(url: &str) -> &str {
    url.split_once("/?")
        .map_or(url, |(origin, _)| origin)
        .trim_end_matches('/')
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_is_served_at_an_origin_of_its_own_and_stays_there() {
    let examples = Examples::default();
    let mut urls = Vec::new();
    for example in ExampleName::ALL {
        let url = examples.url(example).await.expect("loopback has a port");
        assert_eq!(examples.url(example).await.expect("it is served"), url);
        let answer = get(origin_of(&url), "/");
        assert!(answer.starts_with("HTTP/1.1 200"), "{example:?}: {answer}");
        assert_eq!(header(&answer, "content-type"), "text/html; charset=utf-8");
        urls.push(origin_of(&url).to_owned());
    }
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), ExampleName::ALL.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_of_an_example_comes_as_it_is_with_its_type_and_a_policy() {
    for example in ExampleName::ALL.into_iter().filter(|name| *name != ExampleName::Shop) {
        let served = pages::serve(example).await.expect("loopback has a port");
        let origin = origin_of(&served.url);
        let own = files_of(example).iter().filter(|(path, _)| *path != "/partner.html");
        let own = own.map(|(path, bytes)| ((*path).to_owned(), *bytes));
        for (path, bytes) in own.chain(shared_files()) {
            let answer = get(origin, &path);
            assert!(answer.starts_with("HTTP/1.1 200"), "{example:?}{path}: {answer}");
            assert!(answer.ends_with(&*String::from_utf8_lossy(bytes)), "{example:?}{path}");
            assert_ne!(
                media_type(&path),
                "application/octet-stream",
                "{path} needs a media type"
            );
            assert!(header(&answer, "content-security-policy").starts_with("default-src 'none'; script-src 'self'"));
            assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
        }
        let library = get(origin, "/countersign.js");
        assert!(library.contains("Countersign"), "{example:?} has the library");
        assert_eq!(header(&library, "content-type"), "text/javascript; charset=utf-8");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_partner_of_the_room_is_at_another_origin_and_shown_by_the_room_alone() {
    let served = pages::serve(ExampleName::Room).await.expect("loopback has a port");
    let room = origin_of(&served.url);
    let (_, partner) = served
        .url
        .split_once("/?partner=")
        .expect("the room is told its partner's origin");
    assert_ne!(room, partner);
    for (origin, here, there) in [(room, "/", "/partner.html"), (partner, "/partner.html", "/")] {
        assert!(get(origin, here).starts_with("HTTP/1.1 200"), "{origin}{here}");
        assert!(get(origin, there).starts_with("HTTP/1.1 404"), "{origin}{there}");
    }
    let policy = |url: &str, path: &str| header(&get(url, path), "content-security-policy").to_owned();
    let rooms = policy(room, "/");
    assert!(
        rooms.contains(&format!("frame-src {partner};")) && rooms.ends_with("frame-ancestors 'none'"),
        "{rooms}"
    );
    let partners = policy(partner, "/partner.html");
    assert!(
        partners.contains("frame-src 'none';") && partners.ends_with(&format!("frame-ancestors {room}")),
        "{partners}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_example_answers_at_its_own_address_and_changes_nothing() {
    let board = pages::serve(ExampleName::Board).await.expect("loopback has a port");
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: board.example", "403"),
        ("GET /../Cargo.toml HTTP/1.1\r\nHost: {host}", "404"),
        ("GET /room/index.html HTTP/1.1\r\nHost: {host}", "404"),
        ("POST / HTTP/1.1\r\nHost: {host}", "405"),
    ] {
        let answer = ask(&board.url, request, "");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
        assert!(
            header(&answer, "content-security-policy").starts_with("default-src 'none'"),
            "{answer}"
        );
    }
}
