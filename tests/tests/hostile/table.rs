//! What is printed.

use std::time::Duration;

use serde_json::json;

use crate::case::Case;
use crate::stage::{Fault, Seen};

/// What came of a case.
pub struct Outcome {
    case: Case,
    pub fault: Option<Fault>,
    took: Duration,
}

impl Outcome {
    pub fn new(case: &Case, seen: Seen, took: Duration) -> Self {
        Self {
            case: case.clone(),
            fault: seen.err(),
            took,
        }
    }
}

/// One case, as soon as it has ended.
pub fn line(outcome: &Outcome) {
    let Outcome { case, fault, took } = outcome;
    let result = match fault {
        None => format!("passed: {}", case.end.words()),
        Some(fault) => format!("FAILED: {}", fault.words()),
    };
    println!(
        "| {} | {} | {} | {} | {result} | {:.1} s |",
        case.slug,
        case.attempt,
        case.promise,
        case.defences.join(", "),
        took.as_secs_f64()
    );
}

/// The count, and what the whole ledger says.
pub fn end(outcomes: &[Outcome], ledger: &Result<String, String>) {
    let failed = outcomes.iter().filter(|outcome| outcome.fault.is_some()).count();
    println!();
    match ledger {
        Ok(words) => println!("ledger: verified, {words}"),
        Err(words) => println!("ledger: FAILED, {words}"),
    }
    println!("hostile pages: {} held, {failed} failed", outcomes.len() - failed);
    for outcome in outcomes {
        if let Some(fault) = &outcome.fault {
            println!("  {}: {}", outcome.case.slug, fault.words());
        }
    }
}

/// The same for a program.
pub fn report(outcomes: &[Outcome]) -> String {
    let cases: Vec<_> = outcomes
        .iter()
        .map(|Outcome { case, fault, .. }| {
            json!({
                "case": case.slug,
                "passed": fault.is_none(),
                "gotThrough": matches!(fault, Some(Fault::Breach(_))),
                "words": fault.as_ref().map(Fault::words),
            })
        })
        .collect();
    json!(cases).to_string()
}
