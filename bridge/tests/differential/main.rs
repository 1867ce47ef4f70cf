//! With and without Countersign an honest page behaves the same. Each page of `tests/pages/honest` writes down what happens in
//! it; it is loaded by a bare browser and by the door, in browsers started with the same flags, and the two transcripts are
//! compared line by line. What differs on purpose is in `meant.rs` and, with its reason, in `docs/differences.md`.

mod bare;
mod compare;
mod held;
mod meant;
mod site;

#[allow(dead_code, reason = "shared with the tests of the door, which use all of it")]
#[path = "../browser/rig.rs"]
mod rig;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A page's lines, by the page's name.
type Transcripts = BTreeMap<String, Vec<String>>;

/// The page to look at alone; then the two transcripts are printed as well.
const ONLY: &str = "COUNTERSIGN_HONEST_PAGE";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/pages/honest")
}

fn pages() -> Vec<String> {
    let only = std::env::var(ONLY).ok();
    let files = std::fs::read_dir(folder()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut pages = names
        .filter_map(|name| name.strip_suffix(".html").map(str::to_owned))
        .filter(|name| only.as_ref().is_none_or(|only| only == name))
        .collect::<Vec<_>>();
    pages.sort();
    pages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_honest_page_behaves_the_same_with_and_without() {
    let pages = pages();
    let desk = held::Desk::start(&pages).await;
    let bare = bare::Bare::start(&pages, desk.browser()).await;
    let (with, without) = tokio::join!(desk.transcripts(), bare.transcripts());

    let mut unlisted = Vec::new();
    let mut met = vec![false; meant::MEANT.len()];
    for page in &pages {
        for difference in compare::differences(&without[page], &with[page]) {
            let listed = meant::MEANT.iter().position(|meant| meant.is(page, &difference));
            match listed {
                Some(at) => met[at] = true,
                None => unlisted.push(format!("{page}: {difference}")),
            }
        }
    }
    if std::env::var_os(ONLY).is_some() {
        for page in &pages {
            println!(
                "== {page}, bare\n{}\n== {page}, held\n{}",
                without[page].join("\n"),
                with[page].join("\n")
            );
        }
    }
    let silent = meant::MEANT
        .iter()
        .zip(met)
        .filter(|(meant, met)| !met && pages.iter().any(|page| page == meant.page));
    let silent = silent
        .map(|(meant, _)| format!("{}: {}", meant.page, meant.line))
        .collect::<Vec<_>>();
    assert!(
        unlisted.is_empty(),
        "these differences are not listed:\n{}",
        unlisted.join("\n")
    );
    assert!(
        silent.is_empty(),
        "these differences are listed and do not occur:\n{}",
        silent.join("\n")
    );
}

#[test]
fn every_difference_has_its_reason_in_the_docs() {
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/differences.md")).unwrap();
    let headings = docs
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect::<Vec<_>>();
    for meant in meant::MEANT {
        assert!(
            headings.contains(&meant.because),
            "docs/differences.md has no section “{}”",
            meant.because
        );
    }
    for heading in headings {
        let used = meant::MEANT.iter().any(|meant| meant.because == heading);
        assert!(used, "no difference is put down to “{heading}”");
    }
}
