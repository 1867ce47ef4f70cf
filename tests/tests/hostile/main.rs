//! Pages that try to get something past the hold, each with a host of its own, all against one real browser, one desk and one
//! ledger on disk. What ran is counted by the server they talk to, what was released in the ledger's file.
//!
//! Arguments pick cases by a part of their names, `=NAME` by the whole; `--defence KEY` picks those that name a defence, `--report FILE` writes what
//! came of each as JSON.

mod case;
mod press;
mod record;
mod rig;
mod rules;
mod secure;
mod site;
mod stage;
mod steps;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use case::Case;
use rig::Rig;
use stage::{Fault, Seen, Stage};
use table::Outcome;

struct Wanted {
    names: Vec<String>,
    defence: Option<String>,
    report: Option<PathBuf>,
}

fn main() -> ExitCode {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages/hostile");
    let mut arguments = std::env::args().skip(1);
    let mut wanted = Wanted {
        names: Vec::new(),
        defence: None,
        report: None,
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo and the runner of the other tests ask what there is; this is run as a whole.
            "--list" => return ExitCode::SUCCESS,
            "--defence" => wanted.defence = arguments.next(),
            "--report" => wanted.report = arguments.next().map(PathBuf::from),
            name => wanted.names.push(name.to_owned()),
        }
    }
    let cases = match case::all(&pages) {
        Ok(cases) => cases,
        Err(faults) => {
            eprintln!("{faults}");
            return ExitCode::FAILURE;
        }
    };
    let cases: Vec<_> = cases.into_iter().filter(|case| is_wanted(case, &wanted)).collect();
    if cases.is_empty() {
        eprintln!("There is no such case.");
        return ExitCode::FAILURE;
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    match runtime.block_on(all(&pages, &cases, wanted.report.as_deref())) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn is_wanted(case: &Case, wanted: &Wanted) -> bool {
    let is = |name: &String| match name.strip_prefix('=') {
        Some(whole) => case.slug == whole,
        None => case.slug.contains(name.as_str()),
    };
    let named = wanted.names.is_empty() || wanted.names.iter().any(is);
    let defended = wanted.defence.as_ref().is_none_or(|key| case.defences.contains(key));
    named && defended
}

async fn all(pages: &Path, cases: &[Case], report: Option<&Path>) -> Result<bool, Box<dyn std::error::Error>> {
    let rig = Rig::start(pages).await?;
    let mut outcomes = Vec::new();
    for case in cases {
        let begun = Instant::now();
        let seen = one(&rig, case).await;
        let outcome = Outcome::new(case, seen, begun.elapsed());
        table::line(&outcome);
        outcomes.push(outcome);
    }
    let ledger = rig.finish().await;
    table::end(&outcomes, &ledger);
    if let Some(report) = report {
        std::fs::write(report, table::report(&outcomes))?;
    }
    Ok(ledger.is_ok() && outcomes.iter().all(|outcome| outcome.fault.is_none()))
}

async fn one(rig: &Rig, case: &Case) -> Seen {
    let mut stage = Stage::new(rig, case, patience());
    let seen = played(&mut stage).await;
    let seen = stage.named(seen);
    leave(&mut stage).await;
    seen
}

async fn played(stage: &mut Stage<'_>) -> Seen {
    steps::open(stage, "/").await?;
    for line in &stage.case.steps {
        // What a step waits for by itself has its own words; a defence that is off may leave it waiting for good.
        let most = patience() * 3;
        let seen = match tokio::time::timeout(most, steps::step(stage, line)).await {
            Ok(seen) => seen,
            Err(_) => Err(Fault::Wrong(format!(
                "it did not come to an end in {} s",
                most.as_secs()
            ))),
        };
        if let Err(fault) = seen {
            return Err(match fault {
                Fault::Breach(words) => Fault::Breach(format!("{words} (at `{line}`)")),
                Fault::Wrong(words) => Fault::Wrong(format!("{words} (at `{line}`)")),
            });
        }
    }
    stage.ended().await
}

/// Whatever the case left running or waiting ends before the next one begins.
async fn leave(stage: &mut Stage<'_>) {
    for (reading, cancel) in stage.reading.drain(..) {
        cancel.cancel();
        reading.abort();
    }
    rules::leave(stage).await;
    stage.rig.site.signal(&stage.case.slug, "end");
    let host = format!("{}.localhost:", stage.case.slug);
    let end = Instant::now() + Duration::from_secs(2);
    while stage.rig.desk.state().tabs.iter().any(|tab| tab.url.contains(&host)) && Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// How long a case waits for something to happen. A defence that is switched off is seen sooner.
fn patience() -> Duration {
    let seconds = std::env::var("COUNTERSIGN_HOSTILE_PATIENCE").ok();
    Duration::from_secs(seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or(20))
}
